#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/problem/problem.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/solvers/pinn.hpp>
#include <cauchy/training/learning_errors.hpp>

namespace cauchy {

/// Which networks are trained: every width with every number of points from several starts.
struct LearningPlan {
  std::vector<int> widths = {4, 8, 16};
  std::vector<std::size_t> points = {16, 64, 256};  ///< of the equations
  std::size_t restarts = 3;
  std::size_t fresh = 20'000;  ///< random points per term that stand for the whole domain
};

/// A network that was trained from the first start.
struct LearningResult {
  int width = 0;
  std::size_t points = 0;
  /// R at the fresh points, R^ at the training points. The family are all networks of this width
  /// that were trained, whatever their points and starts: E_A is an estimate from above, E_G and
  /// E_O are such from below, and the inequality holds for the family.
  RiskDecomposition parts = {};
  double error = 0;  ///< relative L2 error against the reference; NaN without one
};

/// Trains the plan and takes the risks apart, widths one after the other, each with growing points.
///   error    throws Error unless the network is an Mlp, the weights of the terms are fixed, and
///            there is something to train
[[nodiscard]] std::vector<LearningResult> learning_study(const Problem& problem, const Pinn& method,
                                                         const LearningPlan& plan,
                                                         const RunOptions& options = {});

}  // namespace cauchy
