#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/roots.hpp>
#include <cmath>
#include <limits>

namespace cauchy {
namespace {

void require_finite(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b))
    throw Error(fmt::format("the interval [{}, {}] must be finite", a, b), "[math.roots]");
}

void require_tolerance(const char* name, double value) {
  if (!(value >= 0))
    throw Error(fmt::format("{} tolerance must not be negative, got {}", name, value),
                "[math.roots]");
}

}  // namespace

const char* to_string(RootStatus status) noexcept {
  switch (status) {
    case RootStatus::converged:
      return "converged";
    case RootStatus::no_sign_change:
      return "no sign change";
    case RootStatus::not_a_number:
      return "not a number";
    case RootStatus::max_iterations:
      return "max iterations";
  }
  return "unknown";
}

RootResult find_root(const std::function<double(double)>& f, double a, double b,
                     const RootOptions& options) {
  // x1 is the newest point, x2 the other end of the bracket, x3 the point given up last.
  require_finite(a, b);
  require_tolerance("absolute", options.absolute);
  require_tolerance("relative", options.relative);
  double x1 = b, x2 = a, x3 = a;
  double f1 = f(x1), f2 = f(x2), f3 = f2;
  RootResult result;
  const auto finish = [&](RootStatus status) {
    const bool first = std::abs(f1) <= std::abs(f2);
    result.root = first ? x1 : x2;
    result.value = first ? f1 : f2;
    result.lower = std::min(x1, x2);
    result.upper = std::max(x1, x2);
    result.status = status;
    return result;
  };
  if (std::isnan(f1) || std::isnan(f2)) return finish(RootStatus::not_a_number);
  if (f1 == 0 || f2 == 0) {
    (f1 == 0 ? x2 : x1) = f1 == 0 ? x1 : x2;
    (f1 == 0 ? f2 : f1) = 0;
    return finish(RootStatus::converged);
  }
  if (std::signbit(f1) == std::signbit(f2)) return finish(RootStatus::no_sign_change);

  const double relative = std::max(options.relative, 2 * std::numeric_limits<double>::epsilon());
  double t = 0.5;  // next point, as a fraction of the way from x1 to x2
  while (true) {
    const double best = std::abs(f1) < std::abs(f2) ? x1 : x2;
    const double width = std::abs(x2 / 2 - x1 / 2) * 2;
    const double tolerance = options.absolute + relative * std::abs(best);
    if (width <= tolerance) return finish(RootStatus::converged);
    if (result.iterations >= options.max_iterations) return finish(RootStatus::max_iterations);

    const double margin = std::min(0.5, tolerance / (2 * width));
    t = std::clamp(t, margin, 1 - margin);
    const double middle = x1 / 2 + x2 / 2;
    double x = t == 0.5 ? middle : x1 + t * (x2 - x1);
    // A step that rounds onto an end, or overflows, would never shrink the bracket.
    const auto inside = [&] { return x > std::min(x1, x2) && x < std::max(x1, x2); };
    if (!inside()) x = middle;
    if (!inside()) return finish(RootStatus::converged);  // neighbouring numbers
    const double fx = f(x);
    ++result.iterations;
    if (std::isnan(fx)) return finish(RootStatus::not_a_number);
    if (fx == 0) {
      x1 = x2 = x;
      f1 = f2 = 0;
      return finish(RootStatus::converged);
    }
    if (std::signbit(fx) == std::signbit(f1)) {
      x3 = x1;
      f3 = f1;
    } else {
      x3 = x2;
      f3 = f2;
      x2 = x1;
      f2 = f1;
    }
    x1 = x;
    f1 = fx;

    // Inverse quadratic interpolation through the three points, if it is monotone in the bracket.
    const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    t = 0.5;
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi) {
      const double alpha = (x3 - x1) / (x2 - x1);
      const double interpolated =
          f1 / (f2 - f1) * (f3 / (f2 - f3)) + alpha * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
      if (interpolated > 0 && interpolated < 1) t = interpolated;
    }
  }
}

Bracket expand_bracket(const std::function<double(double)>& f, double a, double b,
                       int max_expansions) {
  require_finite(a, b);
  if (a == b) throw Error(fmt::format("the interval [{}, {}] is empty", a, b), "[math.roots]");
  if (a > b) std::swap(a, b);
  double fa = f(a), fb = f(b);
  for (int i = 0;; ++i) {
    if (std::isnan(fa) || std::isnan(fb)) return {a, b, RootStatus::not_a_number};
    if (fa == 0 || fb == 0 || std::signbit(fa) != std::signbit(fb))
      return {a, b, RootStatus::converged};
    const double step = 1.6 * (b - a);
    if (i == max_expansions || !std::isfinite(step)) return {a, b, RootStatus::no_sign_change};
    if (std::abs(fa) < std::abs(fb)) {
      a -= step;
      fa = f(a);
    } else {
      b += step;
      fb = f(b);
    }
    if (!std::isfinite(a) || !std::isfinite(b)) return {a, b, RootStatus::no_sign_change};
  }
}

}  // namespace cauchy
