// Rounder triangles for PlaneMesher.
#include <algorithm>
#include <cmath>

#include <cauchy/base/run_limit.hpp>

#include "geometry/meshes/plane_mesher.hpp"

namespace cauchy::detail {

Vec PlaneMesher::circle_centre(Vec a, Vec b, Vec c) {
  const Vec u = b - a, v = c - a;
  const double d = 2 * cross(u, v), uu = dot(u, u), vv = dot(v, v);
  return a + Vec{(v.y * uu - u.y * vv) / d, (u.x * vv - v.x * uu) / d};
}

void PlaneMesher::smooth(int rounds) {
  const int n = static_cast<int>(tri_.points().size());
  std::vector<Vec> ring;
  const auto worst = [&](Vec p) {
    // Smallest of 4 sqrt(3) area / (sum of squares of sides), 1 for a regular triangle.
    double q = INFINITY;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Vec a = ring[i], b = ring[(i + 1) % ring.size()];
      const double area2 = cross(a - p, b - p);
      q = std::min(q, 3.4641016151377544 * area2 /
                          (dot(a - p, a - p) + dot(b - p, b - p) + dot(b - a, b - a)));
    }
    return q;
  };
  LoopLimit limit("the mesh");
  for (int round = 0; round < rounds; ++round) {
    for (int v = 3; v < n; ++v) {
      limit.next(20);
      if (vertex_wall_[at(v)] != -1) continue;
      ring.clear();
      const int first = tri_.cell_of(v);
      if (tri_.cell(first).label < 0) continue;
      int c = first;
      do {
        const auto& cell = tri_.cell(c);
        const std::size_t i = cell.v[0] == v ? 0 : cell.v[1] == v ? 1 : 2;
        ring.push_back(tri_.point(cell.v[(i + 1) % 3]));
        c = cell.next[(i + 1) % 3];
      } while (c != first);
      const Vec p = tri_.point(v);
      const double now = worst(p);
      if (now > 0.96) continue;
      Vec mean{0, 0};
      double weight = 0;
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const Vec a = ring[i], b = ring[(i + 1) % ring.size()];
        // Centres of circles weighted by area keep sizes that change from place to place.
        const double area = cross(a - p, b - p);
        mean = mean + area * circle_centre(p, a, b);
        weight += area;
      }
      mean = (1 / weight) * mean;
      Vec plain{0, 0};
      for (const Vec& r : ring) plain = plain + (1.0 / static_cast<double>(ring.size())) * r;
      double best = now * (1 + 1e-9);
      Vec to = p;
      for (const Vec goal : {mean, plain, 0.5 * (p + mean), 0.5 * (p + plain)}) {
        const double q = worst(goal);
        if (q > best) {
          best = q;
          to = goal;
        }
      }
      tri_.move(v, to);
    }
    tri_.flip_all();
  }
}

}  // namespace cauchy::detail
