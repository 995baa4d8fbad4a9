#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/training/training.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/pinn_field.hpp"

namespace cauchy::detail {

/// Throws Error for rules of the method that the terms of its loss cannot have.
void check_rules(const PinnAssembly& pinn);

/// Executor, loss and points of one assembly, ready to be trained. The assembly must outlive it.
class PinnTraining final {
 public:
  PinnTraining(const PinnAssembly& pinn, std::shared_ptr<Threads> pool);

  /// Stages, rules, names and scales, fingerprint; callers add what they want to watch.
  [[nodiscard]] TrainingSetup setup() const;
  /// Random parameters of the seed of the method, or those of the run that it starts from; the last
  /// layer as Pinn::last_layer says. Draws the first points for that.
  [[nodiscard]] std::vector<double> first_parameters();
  /// What first_parameters() found worth telling; empty: nothing.
  [[nodiscard]] const std::string& start_text() const noexcept { return start_; }
  /// With Pinn::diagnose the record has a diagnosis.
  [[nodiscard]] TrainingResult train(std::vector<double> theta, TrainingSetup setup,
                                     const RunOptions& options);

  [[nodiscard]] TrainingLoss& loss() noexcept { return loss_; }
  [[nodiscard]] std::shared_ptr<const PinnField> field(std::vector<double> theta) const {
    return std::make_shared<PinnField>(evaluator_, std::move(theta));
  }
  /// Root mean squares on the training points, in the units of the equations and conditions.
  [[nodiscard]] std::map<std::string, double> trained_residuals(std::span<const double> theta);
  /// The largest root mean square of a term on points that were not trained, in units of its size;
  /// the points in use are the same afterwards.
  [[nodiscard]] double fresh_residual(std::span<const double> theta);

 private:
  [[nodiscard]] std::vector<PointSource> sources();
  struct SumOfSquares {
    double n = 0, sum = 0;
    void add(double count, double mean) {
      n += count;
      sum += count * mean;
    }
  };
  void add_equation_residuals(std::span<const double> theta, const Points& points,
                              std::map<std::string, SumOfSquares>& sums) const;

  const PinnAssembly& pinn_;
  std::shared_ptr<Threads> pool_;
  std::unique_ptr<Executor> executor_;
  TrainingLoss loss_;
  TrainingPoints points_;
  std::shared_ptr<const FieldEvaluator> evaluator_;
  std::string start_;
  std::unique_ptr<Executor> fresh_;  // of fresh_residual(), made at its first call
};

}  // namespace cauchy::detail
