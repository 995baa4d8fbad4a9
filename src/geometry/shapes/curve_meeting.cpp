#include <algorithm>
#include <limits>
#include <numbers>

#include "curve.hpp"

namespace cauchy::detail {
namespace {

/// Moves an angle by full turns into the range of an arc; NaN when it is not there.
double in_range(const Curve& c, double t) {
  if (!c.arc) return t >= c.t0 && t <= c.t1 ? t : std::numeric_limits<double>::quiet_NaN();
  t += 2 * std::numbers::pi * std::ceil((c.t0 - t) / (2 * std::numbers::pi));
  return t <= c.t1 ? t : std::numeric_limits<double>::quiet_NaN();
}

/// Coordinates in which an arc lies on the unit circle.
Vec to_circle(const Curve& c, Vec d) {
  return {dot(d, c.u) / (c.a * c.a), dot(d, c.v) / (c.b * c.b)};
}

void lines(const Curve& a, const Curve& b, double tolerance, std::vector<Meeting>& out) {
  const double det = cross(a.u, b.u), sine = std::abs(det) / (norm(a.u) * norm(b.u));
  // Where the shorter one leaves the other by no more than the tolerance they are parallel and meet
  // only at ends, which are looked at separately; the crossing would be lost in rounding.
  const double shorter = std::min(a.length(), b.length());
  if (sine <= 1e-14 || sine * shorter <= tolerance) return;
  const Vec d = b.origin - a.origin;
  const double ta = in_range(a, cross(d, b.u) / det), tb = in_range(b, cross(d, a.u) / det);
  if (!std::isnan(ta) && !std::isnan(tb)) out.push_back({ta, tb, a.point(ta)});
}

// Curves that touch cross twice, or never, by the whim of rounding. A pair of crossings between
// which one curve is deeper than `depth` in the other is real; a shallower pair is left out.

void line_arc(const Curve& line, const Curve& arc, bool swapped, double depth,
              std::vector<Meeting>& out) {
  const Vec q = to_circle(arc, line.origin - arc.origin), d = to_circle(arc, line.u);
  const double dd = dot(d, d), middle = -dot(q, d) / dd;
  const double height = cross(q, d) / std::sqrt(dd);
  if (!((1 - std::abs(height)) * arc.b > depth)) return;
  const double half = std::sqrt((1 - height) * (1 + height) / dd);
  for (const double root : {middle - half, middle + half}) {
    const double tl = in_range(line, root);
    if (std::isnan(tl)) continue;
    const Vec w = q + root * d;
    const double ta = in_range(arc, std::atan2(w.y, w.x));
    if (std::isnan(ta)) continue;
    out.push_back({swapped ? ta : tl, swapped ? tl : ta, line.point(tl)});
  }
}

void circles(const Curve& a, const Curve& b, double depth, std::vector<Meeting>& out) {
  const Vec d = b.origin - a.origin;
  const double dd = dot(d, d), distance = std::sqrt(dd);
  if (!(distance > 0)) return;
  if (!(a.a + b.a - distance > depth && distance - std::abs(a.a - b.a) > depth)) return;
  // Distance of the chord from the centre of a, along d.
  const double along = (dd + (a.a - b.a) * (a.a + b.a)) / (2 * distance);
  if (!(std::abs(along) < a.a)) return;
  const double half = std::sqrt((a.a - along) * (a.a + along));
  const Vec e = (1 / distance) * d;
  for (const double side : {half, -half}) {
    const Vec p = a.origin + along * e + side * turned(e);
    const Vec wa = to_circle(a, p - a.origin), wb = to_circle(b, p - b.origin);
    const double ta = in_range(a, std::atan2(wa.y, wa.x)), tb = in_range(b, std::atan2(wb.y, wb.x));
    if (!std::isnan(ta) && !std::isnan(tb)) out.push_back({ta, tb, p});
  }
}

/// f(t) = c0 + c1 cos t + s1 sin t + c2 cos 2t + s2 sin 2t.
struct Wave {
  double c0, c1, s1, c2, s2;

  [[nodiscard]] double value(double t) const {
    return c0 + c1 * std::cos(t) + s1 * std::sin(t) + c2 * std::cos(2 * t) + s2 * std::sin(2 * t);
  }
  [[nodiscard]] double slope(double t) const {
    return s1 * std::cos(t) - c1 * std::sin(t) + 2 * (s2 * std::cos(2 * t) - c2 * std::sin(2 * t));
  }
  [[nodiscard]] double curvature() const { return std::hypot(c1, s1) + 4 * std::hypot(c2, s2); }

  /// Sign changes between low and high: halves until f has no root or is monotone, so that pairs of
  /// near roots are told apart down to a width of 1e-9.
  void roots(double low, double high, std::vector<double>& out) const {
    const double mid = low + (high - low) / 2, half = (high - low) / 2;
    const double f = value(mid), g = std::abs(slope(mid)), m = curvature();
    if (std::abs(f) > (g + 0.5 * m * half) * half) return;
    if (g > m * half || half < 1e-9) {
      double a = low, b = high;
      const double fa = value(a), fb = value(b);
      if ((fa < 0) == (fb < 0)) return;
      double t = mid;
      for (int i = 0; i < 100; ++i) {
        const double ft = value(t);
        if (ft == 0) break;
        ((ft < 0) == (fa < 0) ? a : b) = t;
        double next = t - ft / slope(t);
        if (std::abs(next - t) <= 4e-16 * (std::abs(t) + 1)) break;
        if (!(next > a && next < b)) next = a + (b - a) / 2;
        if (next == a || next == b) break;
        t = next;
      }
      out.push_back(t);
      return;
    }
    roots(low, mid, out);
    roots(mid, high, out);
  }
};

/// Leaves out pairs of neighbouring roots between which |f| does not exceed the limit.
void drop_shallow_pairs(const Wave& f, double limit, std::vector<double>& roots) {
  for (std::size_t i = 0; i + 1 < roots.size();) {
    const double mid = 0.5 * (roots[i] + roots[i + 1]);
    if (roots[i + 1] - roots[i] < 1e-3 && std::abs(f.value(mid)) <= limit) {
      const auto at = roots.begin() + static_cast<std::ptrdiff_t>(i);
      roots.erase(at, at + 2);
      i = i > 0 ? i - 1 : 0;
    } else {
      ++i;
    }
  }
}

void arcs(const Curve& a, const Curve& b, double depth, std::vector<Meeting>& out) {
  // In the coordinates where b is the unit circle, |q + cos t u + sin t v|^2 - 1 along a.
  const Vec q = to_circle(b, a.origin - b.origin), u = to_circle(b, a.u), v = to_circle(b, a.v);
  const double uu = dot(u, u), vv = dot(v, v);
  const Wave f{dot(q, q) + (uu + vv) / 2 - 1, 2 * dot(q, u), 2 * dot(q, v), (uu - vv) / 2,
               dot(u, v)};
  const double size = dot(q, q) + uu + vv + 1;
  // The same ellipse: the ends of the overlap are found as ends of the arcs.
  if (std::abs(f.c0) + f.curvature() <= 1e-13 * size) return;
  std::vector<double> roots;
  // An uneven cut: roots at multiples of pi/2 stay inside.
  const double first = a.t0 - 0.3;
  f.roots(first, first + 2 * std::numbers::pi, roots);
  // f is about twice the depth over the half axis.
  drop_shallow_pairs(f, 2 * depth / b.b, roots);
  for (const double root : roots) {
    const double ta = in_range(a, root);
    if (std::isnan(ta)) continue;
    const Vec w = q + std::cos(ta) * u + std::sin(ta) * v;
    const double tb = in_range(b, std::atan2(w.y, w.x));
    if (!std::isnan(tb)) out.push_back({ta, tb, a.point(ta)});
  }
}

}  // namespace

void append_meetings(const Curve& a, const Curve& b, double tolerance, std::vector<Meeting>& out) {
  const auto end_of_a = [&](double t, Vec p) {
    const Curve::Foot foot = b.nearest(p);
    if (foot.distance <= tolerance) out.push_back({t, foot.t, p});
  };
  const auto end_of_b = [&](double t, Vec p) {
    const Curve::Foot foot = a.nearest(p);
    if (foot.distance <= tolerance) out.push_back({foot.t, t, p});
  };
  if (a.starts()) end_of_a(a.t0, a.start);
  if (a.ends()) end_of_a(a.t1, a.end);
  if (b.starts()) end_of_b(b.t0, b.start);
  if (b.ends()) end_of_b(b.t1, b.end);
  const double depth = 1e-4 * tolerance;
  if (!a.arc && !b.arc) {
    lines(a, b, tolerance, out);
  } else if (!a.arc) {
    line_arc(a, b, false, depth, out);
  } else if (!b.arc) {
    line_arc(b, a, true, depth, out);
  } else if (a.circular() && b.circular()) {
    circles(a, b, depth, out);
  } else {
    arcs(a, b, depth, out);
  }
}

}  // namespace cauchy::detail
