#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include <cauchy/geometry/shape.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// Points of the boundary of a plane region right beside one of its points, along its side: none,
/// one or two.
[[nodiscard]] std::vector<std::array<double, 2>> beside_on_boundary(const Shape& shape,
                                                                    const double* x,
                                                                    const double* normal);

/// How many conditions on a field hold at each of these points of the boundary. A periodic one
/// counts for value and derivatives up to its order. A point between two parts of the boundary of
/// a plane region, of which neither holds it, has what holds beside it.
[[nodiscard]] std::vector<int> conditions_at(const Problem& problem, const std::string& field,
                                             const Points& points);

/// Highest orders of the derivatives of all fields in the equations, by the given coordinates.
[[nodiscard]] std::map<std::string, int> highest_orders(
    const Problem& problem, const std::vector<std::string>& coordinates);
/// That of one field.
[[nodiscard]] int highest_order(const Problem& problem, const std::string& field,
                                const std::vector<std::string>& coordinates);

}  // namespace cauchy::detail
