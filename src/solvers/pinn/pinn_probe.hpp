#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/work.hpp>
#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/probe_plan.hpp"

namespace cauchy::detail {

/// Measures a training on its way (Pinn::diagnose) with executors of its own: the training does not
/// notice. Parameters are kept and measured as ProbePlan says.
///   cost     a tenth of the counted work so far on the way; with the last measurement and the
///            landscape at most a fifth of the run, where a run is long enough for one measurement
class PinnProbe final {
 public:
  /// All of them must outlive it; the points may still be undrawn.
  PinnProbe(const PinnAssembly& pinn, TrainingLoss& loss, const TrainingPoints& points,
            std::shared_ptr<Threads> pool);

  /// For TrainingSetup::look.
  void look(std::span<const double> theta, std::uint64_t step, const Work& work);
  /// The last measurement, and everything that is measured once.
  [[nodiscard]] std::shared_ptr<const TrainingDiagnosis> finish(std::span<const double> theta,
                                                                std::uint64_t step);

  /// What was measured so far, what waits, and the work of both.
  void save(Checkpoint& checkpoint) const;
  /// Before the first look.
  ///   error    throws Error when the checkpoint is damaged
  void restore(const Checkpoint& checkpoint);

 private:
  /// A step that waits for its measurement.
  struct Kept {
    std::vector<double> theta, weights;  // parameters, and weights of the terms
  };

  void make_terms();
  std::shared_ptr<const Graph> make_layers();
  void find_outputs();
  /// Measures what waits as far as the plan has room for it.
  void catch_up();
  void measure(std::uint64_t step, const Kept& at);
  void compare_batches(std::span<const double> theta, DiagnosisEntry& entry);
  void compare_terms(std::span<const double> theta, DiagnosisEntry& entry);
  void look_at_kernels(std::span<const double> theta, DiagnosisEntry& entry);
  void look_at_layers(std::span<const double> theta, DiagnosisEntry& entry);
  void look_between(std::span<const double> theta, DiagnosisEntry& entry);
  void survey(std::span<const double> theta);
  /// Points of a term for the probe, with the weights that the training gives them.
  void use(std::size_t term, std::span<const std::size_t> rows);
  [[nodiscard]] Kept kept(std::span<const double> theta) const;
  [[nodiscard]] Matrix kernel_at(std::size_t term, std::span<const double> theta);
  [[nodiscard]] bool is_collocation(std::size_t term) const;

  const PinnAssembly& pinn_;
  TrainingLoss& loss_;
  const TrainingPoints& points_;
  ProbePlan plan_;
  TrainingDiagnosis found_;
  std::map<std::uint64_t, Kept> kept_;  // by step: those that wait
  std::vector<double> start_;           // parameters at the first measurement
  std::vector<Matrix> kernels_;         // there
  std::unique_ptr<Executor> probe_, kernel_, fresh_, hidden_;
  std::vector<std::vector<Expr>> units_;  // of hidden layers
  std::vector<double> inputs_;            // points of the information plane
  std::vector<double> outputs_;           // what is to be predicted there; empty: the fields
  std::size_t output_columns_ = 0;
};

}  // namespace cauchy::detail
