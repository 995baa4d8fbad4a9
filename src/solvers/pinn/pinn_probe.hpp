#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>

#include "solvers/pinn/pinn_assembly.hpp"

namespace cauchy::detail {

/// Measures a training on its way (Pinn::diagnose) with executors of its own: the training does not
/// notice. Parameters are kept at steps 0, 1, 2, 3, 4, 6, 9, ... and measured as the time allows,
/// those first that are farthest from all that were measured.
///   cost     at most a tenth of the time so far on the way; with the last measurement and the
///            landscape at most a fifth of the run, where a run is long enough for one measurement
class PinnProbe final {
 public:
  /// All of them must outlive it. Nothing is made before the first measurement.
  PinnProbe(const PinnAssembly& pinn, TrainingLoss& loss, const TrainingPoints& points,
            std::shared_ptr<Threads> pool);

  /// For TrainingSetup::look.
  void look(std::span<const double> theta, std::uint64_t step);
  /// The last measurement, and everything that is measured once.
  [[nodiscard]] std::shared_ptr<const TrainingDiagnosis> finish(std::span<const double> theta,
                                                                std::uint64_t step);

  /// What was measured so far.
  void save(Checkpoint& checkpoint) const;
  void restore(const Checkpoint& checkpoint);

 private:
  using Clock = std::chrono::steady_clock;
  /// Some points of a term: rows of its points at the time of the first measurement.
  struct Sample {
    Points points;
    std::vector<std::size_t> rows;
  };

  /// A step that waits for its measurement.
  struct Pending {
    std::uint64_t step = 0;
    std::vector<double> theta, weights;  // parameters, and weights of the terms
  };

  void prepare();
  /// Measures what waits while `share` of the time so far is enough.
  void catch_up(double share, std::uint64_t steps);
  void measure(const Pending& at);
  void compare_batches(std::span<const double> theta, DiagnosisEntry& entry);
  void compare_terms(std::span<const double> theta, DiagnosisEntry& entry);
  void look_at_kernels(std::span<const double> theta, DiagnosisEntry& entry);
  void look_at_layers(std::span<const double> theta, DiagnosisEntry& entry);
  void look_between(std::span<const double> theta, DiagnosisEntry& entry);
  void survey(std::span<const double> theta, double seconds);
  /// Points of a term for the probe, with the weights that the training gives them.
  void use(std::size_t term, std::span<const std::size_t> rows);
  [[nodiscard]] std::vector<double> weights_now() const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double expected_cost(std::uint64_t steps) const;
  [[nodiscard]] bool is_collocation(std::size_t term) const;

  const PinnAssembly& pinn_;
  TrainingLoss& loss_;
  const TrainingPoints& points_;
  std::shared_ptr<Threads> pool_;
  Clock::time_point begin_ = Clock::now();
  double before_ = 0;  // seconds of earlier parts of a run that was resumed
  TrainingDiagnosis found_;
  std::vector<Pending> pending_;
  std::vector<double> start_;  // parameters at the start
  std::uint64_t next_ = 0;
  std::unique_ptr<Executor> probe_, kernel_, fresh_, hidden_;
  std::vector<Sample> samples_;           // of kernels
  std::vector<Matrix> kernels_;           // at the first measurement
  std::vector<std::vector<Expr>> units_;  // of hidden layers
  std::vector<double> inputs_;            // points of the information plane
  std::vector<double> outputs_;           // what is to be predicted there; empty: the fields
  std::size_t output_columns_ = 0;
};

}  // namespace cauchy::detail
