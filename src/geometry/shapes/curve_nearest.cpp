#include <algorithm>
#include <array>
#include <limits>
#include <numbers>

#include "curve.hpp"

namespace cauchy::detail {
namespace {

/// Local minima of the distance from a point to an ellipse, as unit vectors (cos t, sin t).
struct Minima {
  std::array<Vec, 2> at;
  int count = 0;
};

/// Half axes a > b, point (x, y) with x, y >= 0 in the frame of the axes. With z = (x/a, y/b) and
/// r = (a/b)^2 the feet are (r z0 / (w + r - 1), z1 / w) where
///   G(w) = (r z0 / (w + r - 1))^2 + (z1 / w)^2 - 1 = 0.
/// The nearest point has w > 0, where G is convex and falls; a second minimum, mirrored to y < 0,
/// exists inside the evolute and has w in (-(r - 1), 0), where G is convex. Newton's method from
/// the steep side converges monotonically.
Minima quadrant_minima(double a, double b, double x, double y) {
  Minima m;
  const double z0 = x / a, z1 = y / b;
  const double r = (a / b) * (a / b), r1 = (a - b) * (a + b) / (b * b);
  const auto newton = [&](double w) {
    for (int i = 0; i < 200; ++i) {
      const double p = r * z0 / (w + r1), q = z1 / w;
      const double g = p * p + q * q - 1;
      const double slope = -2 * (p * p / (w + r1) + q * q / w);
      const double step = g / slope;
      if (!std::isfinite(step)) break;
      w -= step;
      if (std::abs(step) <= 2e-16 * std::abs(w)) break;
    }
    return w;
  };
  const auto add = [&](double c, double s) {
    const double n = std::hypot(c, s);
    if (n > 0) m.at[static_cast<std::size_t>(m.count++)] = {c / n, s / n};
  };
  const double rim = r * z0 - r1;  // w where the first term is 1
  if (z1 == 0 && rim <= 0) {
    // On the long axis between the centres of curvature: two mirror images.
    const double c = r * z0 / r1, s = std::sqrt(std::max(0.0, (1 - c) * (1 + c)));
    add(c, s);
    add(c, -s);
    return m;
  }
  const double w = newton(std::max(z1, rim));
  add(r * z0 / (w + r1), z1 / w);
  if (z1 == 0) return m;
  if (z0 == 0) {
    if (z1 < r1) add(0, -1);
    return m;
  }
  const double valley = -r1 / (1 + std::cbrt((r * z0 / z1) * (r * z0 / z1)));
  const double p = r * z0 / (valley + r1), q = z1 / valley;
  if (p * p + q * q < 1) {
    const double second = newton(-z1);
    add(r * z0 / (second + r1), z1 / second);
  }
  return m;
}

}  // namespace

Curve::Foot Curve::nearest(Vec p) const {
  Foot best;
  if (!arc) {
    const double uu = dot(u, u);
    const double t = uu > 0 ? dot(p - origin, u) / uu : t0;
    best.t = std::clamp(t, t0, t1);
    best.point = point(best.t);
    best.distance = norm(p - best.point);
    return best;
  }
  best.distance = std::numeric_limits<double>::infinity();
  const auto consider = [&](double t, Vec q) {
    const double d = norm(p - q);
    if (d < best.distance) best = {t, q, d};
  };
  const auto consider_angle = [&](Vec at) {
    double t = std::atan2(at.y, at.x);
    t += 2 * std::numbers::pi * std::ceil((t0 - t) / (2 * std::numbers::pi));
    if (t <= t1) consider(t, origin + at.x * u + at.y * v);
  };
  consider(t0, start);
  consider(t1, end);
  const double x = dot(p - origin, u) / a, y = dot(p - origin, v) / b;
  if (circular()) {
    const double r = std::hypot(x, y);
    if (r > 0) {
      consider_angle({x / r, y / r});
    } else {
      const double t = t0 + (t1 - t0) / 2;
      consider(t, point(t));
    }
    return best;
  }
  const Minima m = quadrant_minima(a, b, std::abs(x), std::abs(y));
  for (int i = 0; i < m.count; ++i) {
    const Vec at = m.at[static_cast<std::size_t>(i)];
    consider_angle({std::copysign(at.x, x), y < 0 ? -at.y : at.y});
  }
  return best;
}

}  // namespace cauchy::detail
