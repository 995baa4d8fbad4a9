#pragma once

#include <cstddef>

#include <cauchy/base/work.hpp>

namespace cauchy {

/// How a routine of LAPACK compares with a product of large matrices: so many times slower, and
/// twice as slow again for a matrix of `small` columns, where products of vectors prevail. Measured
/// for sizes of 50 to 1600; flops may be round numbers.
struct DenseSpeed {
  double slower = 1, small = 0;
};

/// The flops of a routine, as those of a product that takes as long.
[[nodiscard]] inline Work dense_work(double flops, std::size_t size, DenseSpeed speed) {
  const double n = size > 0 ? static_cast<double>(size) : 1;
  return {WorkKind::dense, flops * speed.slower * (1 + speed.small / n)};
}

/// Householder factorisations without pivots.
inline constexpr DenseSpeed speed_of_reflections{.slower = 1.5, .small = 100};
/// The same one reflection after the other.
inline constexpr DenseSpeed speed_of_rotations{.slower = 6, .small = 50};
/// Least squares with pivots, and with singular values.
[[nodiscard]] inline Work least_squares_work(double rows, std::size_t columns, bool svd) {
  const double n = static_cast<double>(columns), flops = 2 * rows * n * n;
  return svd ? dense_work(4 * flops, columns, {.slower = 0.65, .small = 300})
             : dense_work(flops, columns, {.slower = 2.2, .small = 100});
}

}  // namespace cauchy
