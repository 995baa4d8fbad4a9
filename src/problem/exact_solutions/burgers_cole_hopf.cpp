#include <cauchy/problem/exact_solutions.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {

double burgers_cole_hopf(double t, double x, double nu) {
  using std::numbers::pi;
  if (!(nu > 0) || !(t >= 0) || !std::isfinite(nu) || !std::isfinite(t) || !std::isfinite(x)) {
    throw Error(
        fmt::format("needs finite nu > 0, t >= 0 and x, got nu = {}, t = {}, x = {}", nu, t, x),
        "[problem.burgers_cole_hopf]");
  }
  if (t == 0) return -std::sin(pi * x);
  // log e(y) = -((x - y)^2 / (2 t) + cos(pi y) / pi) / (2 nu); its curvature is at most
  // (1 / t + pi) / (2 nu), so that features have the width sigma below. A quarter of it as step
  // leaves an error of exp(-(2 pi 4)^2 / 2) < 1e-130, far below rounding.
  const double sigma = std::sqrt(2 * nu / (1 / t + pi));
  // sin(pi y) must be resolved too, which is what counts when diffusion is strong.
  const double step = std::min(sigma / 4, 0.25);
  // Beyond the radius e(y) is below exp(-40) of its value near x: the cosine can regain 1 / (pi
  // nu).
  const double radius = std::sqrt(4 * nu * t * (40 + 1 / (pi * nu)));
  const auto n = static_cast<long>(std::ceil(radius / step));
  const auto log_e = [&](double y) {
    return -((x - y) * (x - y) / (2 * t) + std::cos(pi * y) / pi) / (2 * nu);
  };
  double largest = log_e(x);
  for (long i = -n; i <= n; ++i)
    largest = std::max(largest, log_e(x + step * static_cast<double>(i)));
  double above = 0, below = 0;
  for (long i = -n; i <= n; ++i) {
    const double y = x + step * static_cast<double>(i);
    const double e = std::exp(log_e(y) - largest);
    above += std::sin(pi * y) * e;
    below += e;
  }
  return -above / below;
}

}  // namespace cauchy
