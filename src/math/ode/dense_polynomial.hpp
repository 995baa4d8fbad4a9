#pragma once

#include <cstddef>
#include <span>

namespace cauchy::detail {

/// The continuous extension of a step of length h at x = (t - t0) / h:
///   y = F0 + x (F1 + (1 - x) (F2 + x (F3 + (1 - x) (...))))
/// coefficients holds F0, F1, ..., n numbers each. y or dy may be empty.
inline void dense_polynomial(std::span<const double> coefficients, std::size_t n, double h,
                             double x, std::span<double> y, std::span<double> dy) {
  const std::size_t m = coefficients.size() / n;
  for (std::size_t i = 0; i < n; ++i) {
    double value = coefficients[(m - 1) * n + i], slope = 0;
    for (std::size_t j = m - 1; j-- > 0;) {
      const bool even = j % 2 == 0;
      const double factor = even ? x : 1 - x;
      slope = factor * slope + (even ? value : -value);
      value = factor * value + coefficients[j * n + i];
    }
    if (!y.empty()) y[i] = value;
    if (!dy.empty()) dy[i] = slope / h;
  }
}

}  // namespace cauchy::detail
