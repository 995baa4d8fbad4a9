#pragma once

#include <memory>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/solvers/method.hpp>

#include "problem/lowering.hpp"
#include "solvers/pinn/pieces.hpp"
#include "solvers/pinn/pinn_field.hpp"
#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy::detail {

/// A problem and the settings of a PINN put together: the one place where expressions, sizes, loss
/// and network are made. No training points are drawn and nothing is allocated for a run.
///   error    throws Error for bad settings and for what a PINN cannot treat
struct PinnAssembly {
  PinnAssembly(std::shared_ptr<const Problem> p, const Pinn& m, const HandedStart& start = {});

  std::shared_ptr<const Problem> problem;
  Pinn method;
  std::shared_ptr<const Pieces> pieces;  ///< with networks of their own; null: one for all
  Lowering lower;
  Sizes sizes;
  PinnLoss loss;
  std::shared_ptr<const Graph> graph;
  std::vector<Stage> stages;  ///< of the method, or the default ones

  /// The network as fields, those of experts among them (ExpertOutputs::all).
  [[nodiscard]] std::shared_ptr<const FieldEvaluator> evaluator(ExecutorOptions options) const;
  /// For people: "pinn, 20 x 5 tanh, 1761 parameters", "pinn, 2 pieces of 20 x 5 tanh, ...".
  [[nodiscard]] std::string describe() const;
  /// Values of the unknown constants in the order of the problem.
  [[nodiscard]] std::vector<double> unknowns(std::span<const double> theta) const;
  /// What a checkpoint must agree with to be continued.
  [[nodiscard]] std::string fingerprint() const;
};

/// What a run will need.
[[nodiscard]] MethodCost cost_of(const PinnAssembly& pinn, int threads);
/// Of one step of an optimiser over all points, as it will be counted.
[[nodiscard]] Work work_of_step(const PinnAssembly& pinn, const OptimizerOptions& method);

}  // namespace cauchy::detail
