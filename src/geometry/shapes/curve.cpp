#include "curve.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace cauchy::detail {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Vec apply(const Affine& m, Vec p) {
  double q[2];
  const double x[2] = {p.x, p.y};
  m.apply(x, q);
  return {q[0], q[1]};
}

Vec apply_linear(const Affine& m, Vec p) {
  double q[2];
  const double x[2] = {p.x, p.y};
  m.apply_linear(x, q);
  return {q[0], q[1]};
}

}  // namespace

double orientation(Vec a, Vec b, Vec p) {
  const double left = (b.x - a.x) * (p.y - a.y), right = (b.y - a.y) * (p.x - a.x);
  const double det = left - right;
  // Three roundings in each product and one in the difference: 4 eps of the sum, doubled.
  constexpr double bound = 8 * std::numeric_limits<double>::epsilon();
  if (std::abs(det) > bound * (std::abs(left) + std::abs(right))) return det;
  using Wide = long double;
  return static_cast<double>((Wide{b.x} - a.x) * (Wide{p.y} - a.y) -
                             (Wide{b.y} - a.y) * (Wide{p.x} - a.x));
}

PlaneBox PlaneBox::empty() { return {{inf, inf}, {-inf, -inf}}; }

void PlaneBox::add(Vec p) {
  lower = {std::min(lower.x, p.x), std::min(lower.y, p.y)};
  upper = {std::max(upper.x, p.x), std::max(upper.y, p.y)};
}

void PlaneBox::add(const PlaneBox& box) {
  lower = {std::min(lower.x, box.lower.x), std::min(lower.y, box.lower.y)};
  upper = {std::max(upper.x, box.upper.x), std::max(upper.y, box.upper.y)};
}

void PlaneBox::grow(double by) {
  lower = lower - Vec{by, by};
  upper = upper + Vec{by, by};
}

bool PlaneBox::meets(const PlaneBox& box) const {
  return lower.x <= box.upper.x && box.lower.x <= upper.x && lower.y <= box.upper.y &&
         box.lower.y <= upper.y;
}

double PlaneBox::distance(Vec p) const {
  const double dx = std::max({lower.x - p.x, p.x - upper.x, 0.0});
  const double dy = std::max({lower.y - p.y, p.y - upper.y, 0.0});
  return std::sqrt(dx * dx + dy * dy);
}

Curve Curve::segment(Vec start, Vec end, std::size_t piece) {
  Curve c;
  c.origin = start;
  c.u = end - start;
  c.start = start;
  c.end = end;
  c.piece = piece;
  return c;
}

Curve Curve::line(Vec origin, Vec direction, std::size_t piece) {
  Curve c;
  c.origin = origin;
  c.u = (1 / norm(direction)) * direction;
  c.t0 = -inf;
  c.t1 = inf;
  c.piece = piece;
  return c;
}

Curve Curve::ellipse_arc(Vec center, Vec u, Vec v, double t0, double t1, std::size_t piece) {
  Curve c;
  c.arc = true;
  c.origin = center;
  c.piece = piece;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), area = cross(u, v);
  const double tiny = 8 * std::numeric_limits<double>::epsilon() * (uu + vv);
  double shift = 0;
  if (std::abs(uv) <= tiny && std::abs(uu - vv) <= tiny) {
    // A circle: keep the directions, make the radii one number.
    c.u = u;
    c.a = c.b = std::sqrt(std::abs(area));
    c.u = (c.a / norm(u)) * u;
    c.v = (area > 0 ? 1 : -1) * turned(c.u);
  } else {
    // p(s + shift) = cos s (cos shift u + sin shift v) + sin s (...), orthogonal at half the angle.
    if (std::abs(uv) > tiny || uu < vv) shift = 0.5 * std::atan2(2 * uv, uu - vv);
    const double cs = std::cos(shift), sn = std::sin(shift);
    c.u = shift == 0 ? u : cs * u + sn * v;
    c.a = norm(c.u);
    // The short axis from the area: no cancellation when the ellipse is flat.
    c.b = std::min(std::abs(area) / c.a, c.a);
    c.v = (area / (c.a * c.a)) * turned(c.u);
  }
  c.t0 = t0 - shift;
  c.t1 = t1 - shift;
  const bool closed = std::abs(t1 - t0 - 2 * std::numbers::pi) < 1e-15 * 2 * std::numbers::pi;
  c.start = c.origin + std::cos(c.t0) * c.u + std::sin(c.t0) * c.v;
  c.end = closed ? c.start : c.origin + std::cos(c.t1) * c.u + std::sin(c.t1) * c.v;
  return c;
}

Vec Curve::point(double t) const {
  if (t == t0) return start;
  if (t == t1) return end;
  if (arc) return origin + std::cos(t) * u + std::sin(t) * v;
  return origin + t * u;
}

Vec Curve::velocity(double t) const { return arc ? std::cos(t) * v - std::sin(t) * u : u; }

Vec Curve::normal(double t) const {
  const Vec d = velocity(t);
  return (-1 / norm(d)) * turned(d);
}

double Curve::parameter(double f, double scale) const {
  if (bounded()) return t0 + f * (t1 - t0);
  if (starts()) return t0 + scale * f / (1 - f);
  if (ends()) return t1 - scale * f / (1 - f);
  return scale * (f - 0.5) / (f * (1 - f));
}

Curve Curve::reversed() const {
  Curve c = *this;
  c.t0 = -t1;
  c.t1 = -t0;
  std::swap(c.start, c.end);
  if (arc) {
    c.v = -v;
  } else if (bounded()) {
    c = segment(end, start, piece);
    c.slit = slit;
  } else {
    c.u = -u;
  }
  return c;
}

Curve Curve::part(double ta, double tb, Vec from, Vec to) const {
  if (!arc && std::isfinite(ta) && std::isfinite(tb)) {
    Curve c = segment(from, to, piece);
    c.slit = slit;
    return c;
  }
  Curve c = *this;
  c.t0 = ta;
  c.t1 = tb;
  c.start = from;
  c.end = to;
  return c;
}

Curve Curve::image(const Affine& m) const {
  Curve c;
  if (arc) {
    c = ellipse_arc(apply(m, origin), apply_linear(m, u), apply_linear(m, v), t0, t1, piece);
    c.start = apply(m, start);
    c.end = apply(m, end);
  } else if (bounded()) {
    c = segment(apply(m, start), apply(m, end), piece);
  } else {
    const Vec d = apply_linear(m, u);
    const double speed = norm(d);
    c = line(apply(m, origin), d, piece);
    c.t0 = t0 * speed;
    c.t1 = t1 * speed;
    if (starts()) c.start = apply(m, start);
    if (ends()) c.end = apply(m, end);
  }
  c.slit = slit;
  return c;
}

PlaneBox Curve::box() const {
  PlaneBox box = PlaneBox::empty();
  if (starts()) box.add(start);
  if (ends()) box.add(end);
  if (arc) {
    // Extremes of x at t = atan2(v.x, u.x) + k pi, of y likewise.
    for (const bool vertical : {false, true}) {
      const double p = vertical ? u.y : u.x, q = vertical ? v.y : v.x;
      const double angle = std::atan2(q, p), reach = std::hypot(p, q);
      const double first = angle + std::numbers::pi * std::ceil((t0 - angle) / std::numbers::pi);
      for (double t = first; t <= t1; t += std::numbers::pi) {
        const bool top = std::cos(t - angle) > 0;
        const double value = (vertical ? origin.y : origin.x) + (top ? reach : -reach);
        double& end_of_box =
            vertical ? (top ? box.upper.y : box.lower.y) : (top ? box.upper.x : box.lower.x);
        end_of_box = top ? std::max(end_of_box, value) : std::min(end_of_box, value);
      }
    }
  } else if (!bounded()) {
    box.add(starts() ? start : ends() ? end : origin);
    const auto extend = [&](Vec d) {
      if (d.x != 0) (d.x > 0 ? box.upper.x : box.lower.x) = d.x > 0 ? inf : -inf;
      if (d.y != 0) (d.y > 0 ? box.upper.y : box.lower.y) = d.y > 0 ? inf : -inf;
    };
    if (!ends()) extend(u);
    if (!starts()) extend(-u);
  }
  return box;
}

double Curve::swept_area(Vec reference) const {
  if (!arc) return 0.5 * cross(start - reference, end - reference);
  return 0.5 * (cross(origin - reference, end - start) + cross(u, v) * (t1 - t0));
}

}  // namespace cauchy::detail
