#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/operators/operator_method.hpp>  // GridDerivative
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

// Derivatives of functions on a grid as matrices along its axes: row i is the derivative at node i.

/// Finite differences of `points` nodes: central inside, one-sided of the same order at the ends,
/// around the circle along a periodic axis.
///   accuracy  O(h^(points - 1)) for first and second derivatives, O(h^(points - 3)) for third and
///             fourth ones
///   error     throws Error for a derivative that so few points do not have, and an axis with too
///             few nodes
[[nodiscard]] PointMatrix difference_matrix(const FieldGrid::Axis& axis, int order, int points);
/// The same on nodes anywhere, increasing (times). With fewer nodes than points: all of them.
[[nodiscard]] PointMatrix difference_matrix(std::span<const double> nodes, int order, int points);

/// Derivatives of the trigonometric polynomial through the nodes of a periodic axis, at places
/// anywhere. The highest frequency of an even number of nodes, whose sine the nodes do not see, has
/// no odd derivatives.
///   accuracy  exact below that frequency; all powers of h for smooth functions
[[nodiscard]] PointMatrix series_matrix(const FieldGrid::Axis& axis, std::span<const double> places,
                                        int order);
/// The same at the nodes of any axis. From what is not periodic a polynomial of degree 4 is taken
/// off first, and its derivative put back behind, that has the same jumps of value and three
/// derivatives from the end to the beginning (Lanczos; the jumps by one-sided differences).
///   accuracy  where the axis is not periodic, for smooth functions: O(h^5) inside, at the ends
///             O(h^3) for first, O(h^2) for second derivatives
[[nodiscard]] PointMatrix fourier_matrix(const FieldGrid::Axis& axis, int order);

/// The same matrix for every line of nodes along an axis of a value: sparse where it has few
/// entries.
int add_along(TensorGraph& graph, int value, std::size_t axis, const PointMatrix& matrix);

/// Points of the differences; of `fourier` and `exact` those that stand in for them along times: 5.
[[nodiscard]] int difference_points(GridDerivative derivative);
/// The derivative of some order along an axis. `exact` is that of `fourier`: of functions that are
/// no answer of a network.
[[nodiscard]] PointMatrix derivative_matrix(const FieldGrid::Axis& axis, int order,
                                            GridDerivative derivative);

}  // namespace cauchy::detail
