#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/operators/operator_method.hpp>
#include <cauchy/operators/trained_operator.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/training_record.hpp>

namespace cauchy {

/// How one answer of a learnt operator is made better by the equations of its problem.
struct RefineOptions {
  /// How the equations are asked; its grid, samples and weight of data mean nothing here.
  PhysicsLoss physics = {.weight = 1};
  std::uint64_t steps = 200;  ///< of L-BFGS
  /// Other stages in its place; `steps` then means nothing.
  std::vector<Stage> stages = {};
  /// Weight of the distance to the answer that it begins with, a mean square in units of the
  /// normalisation of the outputs.
  double anchor = 0;
};

struct Refinement {
  /// The operator with other parameters: better for this sample, and for it alone.
  std::shared_ptr<const TrainedOperator> model;
  std::vector<double> before, after;                  ///< its answer, as TrainedOperator::predict
  double residual_before = 0, residual_after = 0;     ///< root of the sum of the physics terms
  OperatorError error_before = {}, error_after = {};  ///< empty where the data have no truth
  TrainingRecord training = {};
  double seconds = 0;
};

/// Test-time refinement: from the parameters of a learnt operator on, minimises the mean squares of
/// the residuals of the equations and conditions for one sample, on the grid of the data, in
/// double precision. No truth is looked at.
///   determinism  same bits for any number of threads
///   error        throws Error for a sample that is not there, data that do not fit, a roll-out,
///                and as learn() for equations that a grid cannot treat
[[nodiscard]] Refinement refine(const TrainedOperator& model, const OperatorProblem& problem,
                                const DataSet& data, std::size_t sample,
                                const RefineOptions& options = {}, const RunOptions& run = {});

}  // namespace cauchy
