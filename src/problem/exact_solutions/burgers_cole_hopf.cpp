#include <cauchy/problem/exact_solutions.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {

double burgers_cole_hopf(double t, double x, double nu) {
  using std::numbers::pi;
  if (!(nu >= 1e-8 && nu <= 1e100) || !(t >= 0) || !std::isfinite(t) || !std::isfinite(x)) {
    throw Error(fmt::format("needs finite 1e-8 <= nu <= 1e100, t >= 0 and x, got nu = {}, t = {}, "
                            "x = {}",
                            nu, t, x),
                "[problem.burgers_cole_hopf]");
  }
  if (std::abs(x) > 1) x -= 2 * std::round(x / 2);  // the period is 2
  // |u_t| is at most pi^2 nu + pi / 2 at the start: too early for any change to be seen.
  if (t * (10 * nu + 2) < 1e-17) return -std::sin(pi * x);
  // Late, |u| is at most 4 pi nu exp(-pi^2 nu t), which is below 1e-300 here.
  if (nu * t > 100) return 0;
  // log e(y) = -((x - y)^2 / (2 t) + cos(pi y) / pi) / (2 nu); its curvature is at most
  // (1 / t + pi) / (2 nu), so that features have the width sigma below. A quarter of it as step
  // leaves an error of exp(-(2 pi 4)^2 / 2) < 1e-130, far below rounding.
  const double sigma = std::sqrt(2 * nu / (1 / t + pi));
  // sin(pi y) must be resolved too, which is what counts when diffusion is strong.
  const double step = std::min(sigma / 4, 0.25);
  // Beyond the radius e(y) is below exp(-40) of its largest value: the cosine can regain at most
  // 1 / (pi nu) over the value near x, and nothing over the maximum next to x, which is not
  // farther than 1.
  const double radius =
      std::min(std::sqrt(4 * nu * t * (40 + 1 / (pi * nu))), std::sqrt(1 + 160 * nu * t));
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
