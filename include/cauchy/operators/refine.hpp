#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/operators/operator_method.hpp>
#include <cauchy/operators/trained_operator.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/training_record.hpp>

namespace cauchy {

/// How one answer of a learnt operator is made better by the equations of its problem.
struct RefineOptions {
  /// How the equations are asked; its samples and weight of data mean nothing here. `grid` is where
  /// they hold and where the answer is computed, which has the nodes of the data among its own;
  /// empty: that of the data. Equations with jumping coefficients want the grid of the solver.
  PhysicsLoss physics = {.weight = 1};
  /// Which sample of the problem it is: inputs are drawn anew on another grid, and where the data
  /// hold means of them. None: the data are not from the problem.
  std::optional<std::uint64_t> number = {};
  std::uint64_t steps = 200;  ///< of L-BFGS
  /// Other stages in its place; `steps` then means nothing.
  std::vector<Stage> stages = {};
  /// Weight of the distance to the answer that it begins with, a mean square in units of the
  /// normalisation of the outputs.
  double anchor = 0;
  /// Where conditions give the answer on all of the boundary (by formulas of the coordinates, not
  /// in time), it is put in exactly; else, and with `exact` derivatives, it is one more term.
  bool exact_boundary = true;
  /// Where the equation then is that of a minimum (linear, symmetric, positive; one equation), its
  /// energy is minimised in place of its residual: errors count as slopes, with the coefficients of
  /// the equation.
  bool energy = true;
  /// Random adjoints that tell how much each parameter moves the answer; L-BFGS begins in units of
  /// the fourth root of those squares. 0: all parameters alike. Other stages have no units.
  int probes = 30;
};

struct Refinement {
  /// The operator with other parameters: better for this sample, and for it alone. `after` is its
  /// answer, with the values on the boundary put in.
  std::shared_ptr<const TrainedOperator> model;
  std::vector<double> before, after;  ///< its answer, as TrainedOperator::predict
  /// Root of the sum of the physics terms, the residuals also where an energy is minimised.
  double residual_before = 0, residual_after = 0;
  bool energy = false, exact_boundary = false;        ///< whether they were what was asked
  OperatorError error_before = {}, error_after = {};  ///< empty where the data have no truth
  TrainingRecord training = {};
  double seconds = 0;
};

/// Test-time refinement: from the parameters of a learnt operator on, minimises the energy of the
/// equation, or the mean squares of the residuals of the equations and conditions, for one sample
/// in double precision. No truth is looked at.
///   determinism  same bits for any number of threads
///   error        throws Error for a sample that is not there, data that do not fit, a roll-out, a
///                grid without the nodes of the data, an input that must be drawn anew and cannot,
///                and as learn() for equations that a grid cannot treat
[[nodiscard]] Refinement refine(const TrainedOperator& model, const OperatorProblem& problem,
                                const DataSet& data, std::size_t sample,
                                const RefineOptions& options = {}, const RunOptions& run = {});

}  // namespace cauchy
