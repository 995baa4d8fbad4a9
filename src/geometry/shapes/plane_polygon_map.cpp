#include <algorithm>
#include <array>
#include <limits>

#include "plane_polygon.hpp"

namespace cauchy::detail {
namespace {

using Triangle = std::array<Vec, 3>;

/// Links each hole to the loop by a pair of equal edges from its rightmost vertex, so that one loop
/// is left. Holes further right go first: their links cannot run into others.
bool link_holes(std::vector<Vec>& loop, std::vector<std::vector<Vec>> holes) {
  const auto rightmost = [](const std::vector<Vec>& h) {
    return std::ranges::max_element(
        h, [](Vec a, Vec b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  };
  std::ranges::sort(
      holes, [&](const auto& g, const auto& h) { return rightmost(g)->x > rightmost(h)->x; });
  for (std::vector<Vec>& hole : holes) {
    std::rotate(hole.begin(), hole.begin() + (rightmost(hole) - hole.cbegin()), hole.end());
    const Vec m = hole[0];
    // The side that the ray to the right from m meets first.
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t visible = loop.size();
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec a = loop[i], b = loop[(i + 1) % loop.size()];
      // Only sides that go up have the inside, and m, on their left.
      if (!(a.y <= m.y && m.y < b.y)) continue;
      const double x = a.x + (m.y - a.y) / (b.y - a.y) * (b.x - a.x);
      if (x < m.x || x >= nearest) continue;
      nearest = x;
      visible = a.y == m.y ? i : a.x > b.x ? i : (i + 1) % loop.size();
    }
    if (visible == loop.size()) return false;
    // Reflex vertices inside the triangle (m, hit, vertex) hide the vertex; the one seen under the
    // least angle is visible.
    const Vec hit{nearest, m.y}, target = loop[visible];
    if (target != hit) {
      double least = std::numeric_limits<double>::infinity(), reach = least;
      const bool above = target.y > m.y;
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec q = loop[i], prev = loop[(i + loop.size() - 1) % loop.size()],
                  next = loop[(i + 1) % loop.size()];
        if (i != visible && orientation(prev, q, next) >= 0 && q != target) continue;
        const Vec a = m, b = above ? hit : target, c = above ? target : hit;
        if (i != visible &&
            (orientation(a, b, q) < 0 || orientation(b, c, q) < 0 || orientation(c, a, q) < 0)) {
          continue;
        }
        const double angle = std::abs(std::atan2(q.y - m.y, q.x - m.x));
        const double distance = norm(q - m);
        if (angle < least || (angle == least && distance < reach)) {
          // Of the copies of a vertex made by earlier links, the one that sees m between its sides.
          const bool sees = orientation(prev, q, next) > 0
                                ? orientation(q, next, m) >= 0 && orientation(prev, q, m) >= 0
                                : orientation(q, next, m) >= 0 || orientation(prev, q, m) >= 0;
          if (!sees) continue;
          least = angle;
          reach = distance;
          visible = i;
        }
      }
    }
    std::vector<Vec> link(hole.begin(), hole.end());
    link.push_back(hole[0]);
    link.push_back(loop[visible]);
    loop.insert(loop.begin() + static_cast<std::ptrdiff_t>(visible) + 1, link.begin(), link.end());
  }
  return true;
}

/// Cuts off convex corners that contain no other vertex until a triangle is left.
bool clip_ears(std::vector<Vec> loop, std::vector<Triangle>& out) {
  std::size_t i = 0, misses = 0;
  while (loop.size() > 3) {
    const std::size_t n = loop.size();
    const Vec a = loop[(i + n - 1) % n], b = loop[i % n], c = loop[(i + 1) % n];
    bool ear = orientation(a, b, c) > 0;
    for (std::size_t k = 0; ear && k < n; ++k) {
      const Vec p = loop[k];
      if (p == a || p == b || p == c) continue;
      ear = orientation(a, b, p) < 0 || orientation(b, c, p) < 0 || orientation(c, a, p) < 0;
    }
    const bool flat = orientation(a, b, c) == 0;
    if (ear || flat) {
      if (ear) out.push_back({a, b, c});
      loop.erase(loop.begin() + static_cast<std::ptrdiff_t>(i % n));
      misses = 0;
      // Skipping one spreads the cuts: fewer thin triangles.
      i = (i + 1) % loop.size();
    } else {
      if (++misses > n) return false;
      i = (i + 1) % n;
    }
  }
  if (orientation(loop[0], loop[1], loop[2]) > 0) out.push_back({loop[0], loop[1], loop[2]});
  return true;
}

struct Triangles {
  std::vector<Triangle> list;
  std::vector<double> share;  // cumulative areas, 1 at the end
};

}  // namespace

EqualAreaMap polygon_map(const std::vector<std::vector<Vec>>& loops) {
  constexpr std::size_t limit = 1000;
  std::size_t n = 0;
  double area = 0;
  for (const auto& loop : loops) {
    n += loop.size();
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      area += 0.5 * cross(loop[i] - loop[0], loop[i + 1] - loop[0]);
    }
  }
  if (n > limit) return {};
  std::vector<Vec> loop = loops[0];
  auto pieces = std::make_shared<Triangles>();
  if (!link_holes(loop, {loops.begin() + 1, loops.end()})) return {};
  if (!clip_ears(std::move(loop), pieces->list)) return {};
  double sum = 0;
  for (const Triangle& t : pieces->list) {
    sum += 0.5 * cross(t[1] - t[0], t[2] - t[0]);
    pieces->share.push_back(sum);
  }
  if (!(std::abs(sum - area) <= 1e-9 * area)) return {};
  for (double& s : pieces->share) s /= sum;
  pieces->share.back() = 1;
  return [pieces](double s, double t) {
    const auto& share = pieces->share;
    const auto found = std::upper_bound(share.begin(), share.end(), s);
    const std::size_t k =
        std::min(static_cast<std::size_t>(found - share.begin()), share.size() - 1);
    const double before = k > 0 ? share[k - 1] : 0;
    // Strips of equal area parallel to the side opposite to the first corner.
    const double r = std::sqrt(std::clamp((s - before) / (share[k] - before), 0.0, 1.0));
    const Triangle& p = pieces->list[k];
    return p[0] + r * (p[1] - p[0]) + (r * t) * (p[2] - p[1]);
  };
}

}  // namespace cauchy::detail
