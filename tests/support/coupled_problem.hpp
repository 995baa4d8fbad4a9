#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace cauchy::minimization {

/// Coupled and not quadratic, five variables, with some oscillation for the plateau rule.
inline double coupled(std::span<const double> x, std::span<double> g) {
  double v = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    v += std::cosh(x[i] - 0.3 * static_cast<double>(i)) + std::sin(x[i] * x[(i + 1) % 5]);
  }
  for (std::size_t i = 0; i < g.size(); ++i) {
    const std::size_t next = (i + 1) % 5, before = (i + 4) % 5;
    g[i] = std::sinh(x[i] - 0.3 * static_cast<double>(i)) + x[next] * std::cos(x[i] * x[next]) +
           x[before] * std::cos(x[i] * x[before]);
  }
  return v;
}

}  // namespace cauchy::minimization
