// Where the walls of PlaneMesher get their first vertices.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/meshes/mesh_sides.hpp"
#include "geometry/meshes/plane_mesher.hpp"

namespace cauchy::detail {

double PlaneMesher::at_distance(const PlaneWall& wall, double ta, double tb, Vec apex,
                                double r) const {
  // |p(t) - apex| grows away from the apex along a short part.
  const bool forward = norm(wall.point(ta) - apex) < norm(wall.point(tb) - apex);
  double low = forward ? ta : tb, high = forward ? tb : ta;
  for (int k = 0; k < 60; ++k) {
    const double mid = 0.5 * (low + high);
    (norm(wall.point(mid) - apex) < r ? low : high) = mid;
  }
  return 0.5 * (low + high);
}

void PlaneMesher::find_sharp_corners() {
  struct Ray {
    double angle;
    int label;  // counter-clockwise of it
  };
  std::vector<std::vector<Ray>> rays(walls_.corners.size());
  first_step_.assign(walls_.corners.size(), INFINITY);
  for (const PlaneWall& w : walls_.walls) {
    const Vec out = w.curve.velocity(w.curve.t0), in = -w.curve.velocity(w.curve.t1);
    rays[at(w.from)].push_back({std::atan2(out.y, out.x), w.left});
    rays[at(w.to)].push_back({std::atan2(in.y, in.x), w.right});
    const double step = w.curve.length() / 3;
    for (const int k : {w.from, w.to}) first_step_[at(k)] = std::min(first_step_[at(k)], step);
  }
  is_sharp_.assign(walls_.corners.size(), 0);
  for (std::size_t k = 0; k < rays.size(); ++k) {
    std::ranges::sort(rays[k], {}, &Ray::angle);
    for (std::size_t i = 0; i < rays[k].size() && rays[k].size() > 1; ++i) {
      const Ray& a = rays[k][i];
      double gap = rays[k][(i + 1) % rays[k].size()].angle - a.angle;
      if (gap < 0) gap += 2 * std::numbers::pi;
      if (a.label >= 0 && gap < 0.999 * std::numbers::pi / 3) is_sharp_[k] = 1;
    }
    first_step_[k] = std::min(first_step_[k], size_at(walls_.corners[k]));
  }
}

std::vector<double> PlaneMesher::stations(const PlaneWall& wall) const {
  const Curve& c = wall.curve;
  const auto sharp = [&](int k) { return is_sharp_[at(k)] != 0; };
  double ta = c.t0, tb = c.t1;
  std::vector<double> t{c.t0};
  if (sharp(wall.from)) {
    ta = at_distance(wall, c.t0, 0.5 * (c.t0 + c.t1), c.start, first_step_[at(wall.from)]);
  }
  if (sharp(wall.to)) {
    tb = at_distance(wall, c.t1, 0.5 * (c.t0 + c.t1), c.end, first_step_[at(wall.to)]);
  }
  if (ta != c.t0) t.push_back(ta);
  // Number of sides up to each of many points: the integral of ds / h.
  const double turn = options_.turn * std::numbers::pi / 180;
  const int n_fine = c.arc || options_.size_field ? 256 : 1;
  std::vector<double> sum(at(n_fine) + 1, 0);
  double before = 0;
  for (int i = 0; i <= n_fine; ++i) {
    const double s = ta + (tb - ta) * i / n_fine;
    const Vec v = c.velocity(s);
    double rate = norm(v) / size_at(c.point(s));
    if (c.arc) {
      // Turn per parameter of an ellipse: |v x a| / |v|^2, with a = -(p - origin).
      const Vec a = c.origin - c.point(s);
      rate = std::max(rate, std::abs(cross(v, a)) / dot(v, v) / turn);
    }
    if (i > 0) sum[at(i)] = sum[at(i - 1)] + 0.5 * (rate + before) * std::abs(tb - ta) / n_fine;
    before = rate;
  }
  const double total = sum.back();
  if (!(total < 1e8)) {
    throw Error(fmt::format("{:.3g} sides along one curve at {}", total, place_text(2, &c.start.x)),
                "[geometry.mesh]", "use a larger size");
  }
  const int n = std::max(1, static_cast<int>(std::ceil(total - 0.05)));
  int i = 0;
  for (int k = 1; k < n; ++k) {
    const double goal = total * k / n;
    while (sum[at(i + 1)] < goal) ++i;
    const double part = (goal - sum[at(i)]) / (sum[at(i + 1)] - sum[at(i)]);
    t.push_back(ta + (tb - ta) * (i + part) / n_fine);
  }
  if (tb != c.t1) t.push_back(tb);
  t.push_back(c.t1);
  return t;
}

void PlaneMesher::add_walls() {
  const auto put = [&](Vec p, int wall) {
    const int home = tri_.find(p, tri_.star().empty() ? 0 : tri_.star().front(), false).cell;
    tri_.cavity(p, home, cavity_);
    return new_vertex(p, std::vector<int>(cavity_), wall);
  };
  corner_vertex_.assign(walls_.corners.size(), -1);
  for (std::size_t w = 0; w < walls_.walls.size(); ++w) {
    const PlaneWall& wall = walls_.walls[w];
    for (const int k : {wall.from, wall.to}) {
      if (corner_vertex_[at(k)] >= 0) continue;
      corner_vertex_[at(k)] = put(walls_.corners[at(k)], -2);
      corner_of_.back() = k;
    }
    const std::vector<double> t = stations(wall);
    Segment s;
    s.wall = static_cast<int>(w);
    s.a = corner_vertex_[at(wall.from)];
    s.ta = t[0];
    for (std::size_t i = 1; i < t.size(); ++i) {
      s.tb = t[i];
      s.b = i + 1 == t.size() ? corner_vertex_[at(wall.to)]
                              : put(wall.point(t[i]), static_cast<int>(w));
      segments_.push_back(s);
      s.a = s.b;
      s.ta = s.tb;
    }
    check_count();
  }
  for (std::size_t i = segments_.size(); i-- > 0;) to_check_.push_back(static_cast<int>(i));
}

}  // namespace cauchy::detail
