#pragma once

#include <cstddef>
#include <span>

namespace cauchy {

// How far n points of [0, 1]^d are from uniform: norms of (share of the points in a box) - (volume
// of the box). points is row-major n x d. All sums run in a fixed order.
//   error    throws Error when there is no point, d is 0 or does not divide the length, or a
//            coordinate lies outside [0, 1]

/// L2-star discrepancy (Warnock 1972), over the boxes [0, y):
///   D^2 = 3^-d - 2^{1-d}/n sum_i prod_k (1 - x_ik^2)
///         + 1/n^2 sum_ij prod_k (1 - max(x_ik, x_jk))
/// Cost O(n^2 d). D^2 is a difference of numbers of size 3^-d to 1: absolute error about 1e-16, so
/// D below about 1e-8 is noise.
[[nodiscard]] double l2_star_discrepancy(std::span<const double> points, std::size_t dimension);

/// Centered L2 discrepancy (Hickernell 1998), over boxes from the nearest corner of the cube, with
/// all projections; the set mirrored at the centre has the same. With z = x - 1/2:
///   D^2 = (13/12)^d - 2/n sum_i prod_k (1 + |z_ik|/2 - z_ik^2/2)
///         + 1/n^2 sum_ij prod_k (1 + |z_ik|/2 + |z_jk|/2 - |x_ik - x_jk|/2)
/// Cost O(n^2 d). This is D, where some programs print D^2.
[[nodiscard]] double centered_l2_discrepancy(std::span<const double> points, std::size_t dimension);

/// Star discrepancy of numbers in [0, 1], the largest deviation over the intervals [0, y), exactly:
///   D = 1/(2n) + max_i |x_(i) - (2i - 1)/(2n)| with the numbers sorted. Cost O(n log n).
[[nodiscard]] double star_discrepancy_1d(std::span<const double> points);

}  // namespace cauchy
