#include "expr/inertia.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {
namespace {

/// A <- J' A J with the rotation J in the plane (p, q) that makes a_pq zero.
void rotate(std::vector<double>& a, std::size_t n, std::size_t p, std::size_t q) {
  const double off = a[p * n + q];
  if (off == 0) return;
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * off);
  const double t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1.0)), theta);
  const double c = 1 / std::hypot(t, 1.0);
  const double s = t * c;
  for (std::size_t k = 0; k < n; ++k) {
    const double kp = a[k * n + p], kq = a[k * n + q];
    a[k * n + p] = c * kp - s * kq;
    a[k * n + q] = s * kp + c * kq;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double pk = a[p * n + k], qk = a[q * n + k];
    a[p * n + k] = c * pk - s * qk;
    a[q * n + k] = s * pk + c * qk;
  }
  a[p * n + q] = a[q * n + p] = 0;
}

}  // namespace

std::vector<double> symmetric_eigenvalues(std::vector<double> a, std::size_t n) {
  double largest = 0;
  for (const double v : a) largest = std::max(largest, std::abs(v));
  if (largest > 0) {
    for (double& v : a) v /= largest;  // keeps squares away from overflow
  }
  // Convergence is quadratic: about five sweeps for small n; the bound is never reached.
  constexpr int max_sweeps = 50;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) off = std::max(off, std::abs(a[p * n + q]));
    }
    if (off < 1e-17) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) rotate(a, n, p, q);
    }
  }
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = largest * a[i * n + i];
  std::sort(values.begin(), values.end());
  return values;
}

Inertia inertia(const std::vector<double>& matrix, std::size_t n, double relative) {
  const std::vector<double> values = symmetric_eigenvalues(matrix, n);
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  Inertia count;
  for (const double v : values) {
    if (std::abs(v) <= relative * largest) {
      ++count.zero;
    } else {
      ++(v > 0 ? count.positive : count.negative);
    }
  }
  return count;
}

}  // namespace cauchy::detail
