#pragma once

#include <cstddef>
#include <vector>

namespace cauchy::detail {

/// Eigenvalues of a symmetric n x n matrix (row-major), ascending, by cyclic Jacobi rotations: the
/// matrices here have one row per coordinate, so that nothing larger is needed.
///   accuracy  about n * 1e-16 times the largest eigenvalue, absolute
std::vector<double> symmetric_eigenvalues(std::vector<double> matrix, std::size_t n);

/// Numbers of eigenvalues of each sign; below `relative` times the largest magnitude is zero.
struct Inertia {
  int positive = 0, negative = 0, zero = 0;
};
Inertia inertia(const std::vector<double>& matrix, std::size_t n, double relative);

}  // namespace cauchy::detail
