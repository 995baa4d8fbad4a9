#include "plane_winding.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace cauchy::detail {
namespace {

constexpr double winding_inf = std::numeric_limits<double>::infinity();

}  // namespace

Winding::Winding(const std::vector<Curve>& curves, double scale) {
  choose_ray(curves);
  std::vector<PlaneBox> boxes;
  for (const Curve& c : curves) add_parts(c, boxes);
  tree_ = BoxTree(std::move(boxes));
  far_ = far_count(curves, scale);
}

void Winding::choose_ray(const std::vector<Curve>& curves) {
  const auto clearance = [&](Vec d) {
    double least = 1;
    for (const Curve& c : curves) {
      if (!c.bounded()) least = std::min(least, std::abs(cross(d, c.u)));
    }
    return least;
  };
  ray_ = {1, 0};
  double best = clearance(ray_);
  // The axes need no arithmetic for the frame and go first when they are good enough.
  for (int k = 0; k < 64 && best < 0.5; ++k) {
    const double angle = std::numbers::pi * k / 64;
    const Vec d = k == 0 ? Vec{0, 1} : Vec{std::cos(angle), std::sin(angle)};
    const double c = clearance(d);
    if (c > best) {
      best = c;
      ray_ = d;
    }
  }
}

void Winding::add_parts(const Curve& c, std::vector<PlaneBox>& boxes) {
  Vec start = framed(c.start), end = framed(c.end);
  const Vec u = framed(c.u);
  if (!c.arc) {
    Part part;
    const Vec origin = framed(c.origin);
    if (!c.starts()) start = (c.ends() ? end : origin) - u;
    if (!c.ends()) end = (c.starts() ? start : origin) + u;
    const bool up = start.y < end.y || (start.y == end.y && start.x < end.x);
    part.low = up ? start : end;
    part.high = up ? end : start;
    part.y0 = c.starts() ? start.y : (up ? -winding_inf : winding_inf);
    part.y1 = c.ends() ? end.y : (up ? winding_inf : -winding_inf);
    PlaneBox box = PlaneBox::empty();
    box.add(start);
    box.add(end);
    box.add(Vec{start.x, part.y0});
    box.add(Vec{end.x, part.y1});
    if (!c.bounded()) {
      box.lower.x = -winding_inf;
      box.upper.x = winding_inf;
    }
    parts_.push_back(part);
    boxes.push_back(box);
    return;
  }
  // y = cy + u.y cos t + v.y sin t = cy + reach cos(t - angle): turning points at angle + k pi.
  const Vec v = framed(c.v), center = framed(c.origin);
  const double angle = std::atan2(v.y, u.y), reach = std::hypot(u.y, v.y);
  double t = c.t0, y = start.y;
  bool last = false;
  for (double k = std::floor((t - angle) / std::numbers::pi); !last; ++k) {
    const double turn = angle + k * std::numbers::pi;
    if (turn <= t) continue;
    last = !(turn < c.t1);
    const double next = last ? c.t1 : turn;
    const bool top = std::fmod(std::abs(k), 2) == 0;
    const double y_next = last ? end.y : center.y + (top ? reach : -reach);
    Part part;
    part.arc = true;
    part.y0 = y;
    part.y1 = y_next;
    part.low = center;
    part.reach = reach;
    part.slant = (u.x * u.y + v.x * v.y) / (reach * reach);
    // With s = t - angle: x = cx + dy slant + sin s (v.x u.y - u.x v.y) / reach.
    const double side = std::sin(0.5 * (t + next) - angle);
    part.width = (side > 0 ? 1 : -1) * (v.x * u.y - u.x * v.y) / reach;
    const double wide = std::hypot(u.x, v.x);
    PlaneBox box = PlaneBox::empty();
    box.add(Vec{center.x - wide, y});
    box.add(Vec{center.x + wide, y_next});
    // Ends may lie off the ellipse by the resolution of a combination.
    box.add(Vec{start.x, y});
    box.add(Vec{end.x, y_next});
    parts_.push_back(part);
    boxes.push_back(box);
    t = next;
    y = y_next;
  }
}

int Winding::crossings(Vec p, bool& on) const {
  int count = 0;
  tree_.each(
      [&](const PlaneBox& box) {
        return box.lower.y <= p.y && p.y <= box.upper.y && p.x <= box.upper.x;
      },
      [&](std::uint32_t index) {
        const Part& part = parts_[index];
        const double bottom = std::min(part.y0, part.y1), top = std::max(part.y0, part.y1);
        if (!(bottom <= p.y && p.y <= top)) return;
        double left = 0;  // positive when p lies left of the part
        if (part.arc) {
          const double dy = p.y - part.low.y, q = dy / part.reach;
          const double w = std::sqrt(std::max(0.0, (1 - q) * (1 + q)));
          left = part.low.x + dy * part.slant + part.width * w - p.x;
          if (left == 0) on = true;
        } else {
          left = orientation(part.low, part.high, p);
          const bool level = part.low.y == part.high.y;
          if (left == 0 && (!level || (part.low.x <= p.x && p.x <= part.high.x))) on = true;
        }
        if (left > 0 && (part.y0 <= p.y) != (part.y1 <= p.y)) count += part.y0 < part.y1 ? 1 : -1;
      });
  return count;
}

int Winding::far_count(const std::vector<Curve>& curves, double scale) const {
  // Left of a curve is inside: there far + crossings = 1, and 0 to the right of it. Corners and
  // neighbours may spoil a probe, so that the first curve with both numbers right decides.
  for (const double offset : {1e-6, 1e-8, 1e-4, 1e-2}) {
    for (const Curve& c : curves) {
      if (c.slit) continue;
      const double t = c.parameter(0.4375, scale);
      const Vec p = c.point(t), n = (offset * scale) * c.normal(t);
      bool on = false;
      const int inside = crossings(framed(p - n), on), outside = crossings(framed(p + n), on);
      if (!on && inside - outside == 1) return 1 - inside;
    }
  }
  return 0;
}

Winding::Place Winding::locate(Vec p) const {
  Place place;
  const int count = far_ + crossings(framed(p), place.on_boundary);
  place.inside = count > 0;
  return place;
}

}  // namespace cauchy::detail
