#pragma once

#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// How many conditions on a field hold at each of these points of the boundary. A periodic one
/// counts for value and derivatives up to its order.
[[nodiscard]] std::vector<int> conditions_at(const Problem& problem, const std::string& field,
                                             const Points& points);

/// Highest order of the derivatives of a field in the equations, by the given coordinates.
[[nodiscard]] int highest_order(const Problem& problem, const std::string& field,
                                const std::vector<std::string>& coordinates);

}  // namespace cauchy::detail
