#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/dynamics/dynamics_method.hpp>
#include <cauchy/dynamics/trajectories.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/solution.hpp>  // Grade
#include <cauchy/problem/training_record.hpp>

namespace cauchy {

/// Dynamics that are to be learnt from trajectories.
///   field   its states are the fields, seen ones and hidden ones; the network of its unknown part
///           is that of the method
struct DynamicsProblem {
  std::string name, title = {}, source = {}, notes = {};
  VectorFieldSpec field;
  TrajectoryData data;  ///< its columns are fields; those without a column are hidden
  /// What answers are measured by, where the data are noisy; none: data that were held back.
  std::optional<TrajectoryData> reference = {};
  double train_until = std::numeric_limits<double>::infinity();  ///< later rows are for the test
  std::size_t test = 0;  ///< so many trajectories, the last ones, are for the test
  std::optional<double> tolerance = {};
  std::map<std::string, double> truths = {};  ///< of unknown constants, where they are known
};
/// Throws Error, naming what does not fit: a column that is no field, no trajectory to learn from.
void check(const DynamicsProblem& problem);

/// What has been learnt.
class TrainedDynamics {
 public:
  virtual ~TrainedDynamics() = default;
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual std::size_t n_parameters() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<std::string>& columns() const noexcept = 0;
  /// Answers for trajectories of which some rows are known: row-major times x columns each. The
  /// integration starts at the first known row; the times increase and do not lie before it.
  /// Numbers are NaN where the integration fails; `trouble` then says why.
  ///   threads  0: CAUCHY_THREADS, else the machine; same bits for any number
  [[nodiscard]] virtual std::vector<std::vector<double>> predict(
      const TrajectoryData& known, const std::vector<std::vector<double>>& times, int threads = 0,
      std::string* trouble = nullptr) const = 0;
  /// The learnt vector field at states (row-major n x states) and a time; empty where a model has
  /// none of the fields themselves.
  [[nodiscard]] virtual std::vector<double> slopes(double /*t*/,
                                                   std::span<const double> /*states*/) const {
    return {};
  }
  /// Those that were learnt, by name.
  [[nodiscard]] virtual std::map<std::string, double> constants() const { return {}; }
  virtual void save(Checkpoint& checkpoint) const = 0;
};
/// Inverse of TrainedDynamics::save.
[[nodiscard]] std::shared_ptr<const TrainedDynamics> load_dynamics(const Checkpoint& checkpoint,
                                                                   const DynamicsProblem& problem,
                                                                   const DynamicsMethod& method);

struct DynamicsResult {
  std::shared_ptr<const TrainedDynamics> model;
  TrainingRecord training;
  TrajectoryError train = {};  ///< on the rows of the training
  /// On rows behind the window of the training and on trajectories that were held back; of the
  /// reference where there is one.
  TrajectoryError test = {};
  TrajectoryData tested = {};  ///< the rows that `test` is measured on
  std::string tested_on = {};  ///< "later times of the reference"
  Grade grade = Grade::unverified;
  std::vector<std::string> findings = {};
  double seconds = 0;
  bool interrupted = false;
};

/// Learns the dynamics of a problem.
///   determinism  as train(): same bits for any number of threads, exact resume
///   failure      numerical trouble is told in grade and findings
///   error        throws Error for what check() and the method refuse
///   grade        converged: the mean error of the test is at most the tolerance (5e-2 without
///                one); suspicious: that of the training is, that of the test is not; stalled:
///                neither; unverified: there is no test; diverged: an answer is not finite
[[nodiscard]] DynamicsResult learn_dynamics(const DynamicsProblem& problem,
                                            const DynamicsMethod& method,
                                            const RunOptions& options = {});

}  // namespace cauchy
