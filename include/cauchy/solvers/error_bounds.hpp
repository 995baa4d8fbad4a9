#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <cauchy/problem/solution.hpp>

namespace cauchy {

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
