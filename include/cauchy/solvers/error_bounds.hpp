#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/problem/solution.hpp>

namespace cauchy {

/// A bound on the error of an answer from the theory of the equation, evaluated numerically: kept
/// apart from estimates. Suprema and integrals are taken over sample points, not over all points;
/// where they are right, so is the bound, for every answer.
struct ErrorBound {
  std::string theory;  ///< name in all_bound_theories()
  std::string field;   ///< empty: all fields together
  std::string norm;    ///< "largest over time", "L2", "L2 at the last time", "energy norm"
  /// The norm of the error lies between; lower 0: nothing known, upper infinity: the same.
  double upper = std::numeric_limits<double>::infinity(), lower = 0;
  /// upper over the same norm of the answer; NaN where that is 0.
  double relative = std::numeric_limits<double>::quiet_NaN();
  std::string how;  ///< one sentence with the constants that it rests on
};

/// Bounds that theory gives for this answer; empty where none applies: inverse problems, ranges of
/// parameters, several fields in space, nonlinear equations in space, answers with kinks inside
/// (whose strong residual is not all of it). Residuals are integrated by quadrature with points
/// graded towards conditions.
///   max_points  evaluations of the answer that each theory may take, about
///   cost        some milliseconds to a second
[[nodiscard]] std::vector<ErrorBound> error_bounds(const Solution& solution,
                                                   std::size_t max_points = 20'000);

/// A theory that gives bounds.
struct BoundTheory {
  std::string_view name, description;
  /// Empty where it does not apply.
  std::vector<ErrorBound> (*bounds)(const Solution& solution, std::size_t max_points);
};
/// All of them; error_bounds() asks each.
[[nodiscard]] const std::vector<BoundTheory>& all_bound_theories();

}  // namespace cauchy
