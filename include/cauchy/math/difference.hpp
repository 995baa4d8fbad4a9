#pragma once

#include <span>

#include <cauchy/math/matrix.hpp>

namespace cauchy {

/// Weights of finite differences on any nodes (Fornberg 1988):
///   f^(k)(at) ~ sum_j w(k, j) f(nodes[j]),  k = 0, ..., order
/// exact for polynomials of degree below the number of nodes. Row 0 interpolates.
///   order    0 or more; rows above the degree are 0
///   error    throws Error when there are no nodes, or two are the same
///   cost     O(order x nodes^2)
[[nodiscard]] Matrix difference_weights(double at, std::span<const double> nodes, int order);

/// Weights of the k-th derivative on the nodes -reach, ..., reach (spacing 1), of the given even
/// order of accuracy: the usual table of central differences.
///   error    throws Error when order < 0 or accuracy is not even and positive
[[nodiscard]] std::vector<double> central_weights(int order, int accuracy);

}  // namespace cauchy
