#include "plane_polygon.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace detail {
namespace {

bool between(Vec a, Vec b, Vec p) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y &&
         p.y <= std::max(a.y, b.y);
}

/// Whether two closed segments have a point in common.
bool touch(const PolygonSide& s, const PolygonSide& t) {
  const double a = orientation(s.from, s.to, t.from), b = orientation(s.from, s.to, t.to);
  const double c = orientation(t.from, t.to, s.from), d = orientation(t.from, t.to, s.to);
  if (((a > 0 && b < 0) || (a < 0 && b > 0)) && ((c > 0 && d < 0) || (c < 0 && d > 0))) return true;
  return (a == 0 && between(s.from, s.to, t.from)) || (b == 0 && between(s.from, s.to, t.to)) ||
         (c == 0 && between(t.from, t.to, s.from)) || (d == 0 && between(t.from, t.to, s.to));
}

/// t follows s: they meet at their vertex and must not fold back on each other.
bool folds(const PolygonSide& s, const PolygonSide& t) {
  return orientation(s.from, s.to, t.to) == 0 && dot(s.to - s.from, t.to - t.from) < 0;
}

bool follows(const PolygonSide& s, const PolygonSide& t) {
  return s.loop == t.loop &&
         (t.index == s.index + 1 || (s.closed && t.index == 0 && s.index + 1 == s.loop_size));
}

}  // namespace

SidePair meeting_sides(const std::vector<PolygonSide>& sides) {
  std::vector<PlaneBox> boxes;
  for (const PolygonSide& s : sides) {
    PlaneBox box = PlaneBox::empty();
    box.add(s.from);
    box.add(s.to);
    boxes.push_back(box);
  }
  const BoxTree tree(boxes);
  SidePair pair;
  for (std::size_t i = 0; i < sides.size() && !pair.found; ++i) {
    tree.each([&](const PlaneBox& box) { return box.meets(boxes[i]); },
              [&](std::uint32_t j) {
                if (j <= i || !boxes[j].meets(boxes[i]) || (pair.found && pair.second < j)) return;
                const PolygonSide &s = sides[i], &t = sides[j];
                const bool st = follows(s, t), ts = follows(t, s);
                const bool bad =
                    st || ts ? (st && folds(s, t)) || (ts && folds(t, s)) : touch(s, t);
                if (bad) pair = {i, j, true};
              });
  }
  return pair;
}

}  // namespace detail

namespace {

using detail::cross;
using detail::Curve;
using detail::named_piece;
using detail::PlaneShape;
using detail::PolygonSide;
using detail::Vec;

constexpr const char* plane_polygon_place = "[geometry.polygon]";

std::string loop_name(std::size_t loop) {
  return loop == 0 ? "the polygon" : fmt::format("hole {}", loop);
}

std::string side_name(const PolygonSide& s) {
  return s.loop == 0 ? fmt::format("side {}", s.index + 1)
                     : fmt::format("side {} of hole {}", s.index + 1, s.loop);
}

/// Throws when points are not finite or equal points exist; `what` names the list.
void check_points(std::span<const Vec> points, const std::string& what, const char* where) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::isfinite(points[i].x) && std::isfinite(points[i].y)) continue;
    throw Error(fmt::format("vertex {} of {} is not finite: ({}, {})", i + 1, what, points[i].x,
                            points[i].y),
                where);
  }
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) {
    return points[i].x != points[j].x   ? points[i].x < points[j].x
           : points[i].y != points[j].y ? points[i].y < points[j].y
                                        : i < j;
  });
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::size_t i = order[k - 1], j = order[k];
    if (points[i] != points[j]) continue;
    throw Error(fmt::format("vertices {} and {} of {} are both ({}, {})", i + 1, j + 1, what,
                            points[i].x, points[i].y),
                where,
                i == 0 && j + 1 == points.size() ? "leave out the repeated first vertex"
                                                 : "leave one of them out");
  }
}

double signed_area(const std::vector<Vec>& loop) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
    sum += cross(loop[i] - loop[0], loop[i + 1] - loop[0]);
  }
  return sum / 2;
}

void check_area(const std::vector<Vec>& loop, const std::string& what) {
  const bool flat = std::ranges::all_of(
      loop, [&](Vec p) { return detail::orientation(loop[0], loop[1], p) == 0; });
  if (flat)
    throw Error(fmt::format("{} has no area: its vertices lie on a line", what),
                plane_polygon_place);
}

bool contains(const std::vector<Vec>& loop, Vec p) {
  bool inside = false;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    Vec a = loop[i], b = loop[(i + 1) % loop.size()];
    if ((a.y <= p.y) == (b.y <= p.y)) continue;
    if (a.y > b.y) std::swap(a, b);
    if (detail::orientation(a, b, p) > 0) inside = !inside;
  }
  return inside;
}

void check_nesting(const std::vector<std::vector<Vec>>& loops) {
  for (std::size_t h = 1; h < loops.size(); ++h) {
    if (!contains(loops[0], loops[h][0])) {
      throw Error(fmt::format("hole {} lies outside the polygon", h), plane_polygon_place);
    }
    for (std::size_t k = 1; k < loops.size(); ++k) {
      if (k == h || !contains(loops[k], loops[h][0])) continue;
      throw Error(fmt::format("hole {} lies inside hole {}", h, k), plane_polygon_place,
                  "leave it out");
    }
  }
}

}  // namespace

ShapePtr polygon_shape(std::span<const Point2> outer, std::span<const std::vector<Point2>> holes) {
  std::vector<std::vector<Vec>> loops(1 + holes.size());
  std::vector<PolygonSide> sides;
  for (std::size_t k = 0; k < loops.size(); ++k) {
    const std::span<const Point2> points = k == 0 ? outer : std::span<const Point2>(holes[k - 1]);
    if (points.size() < 3) {
      throw Error(fmt::format("{} needs at least 3 vertices, got {}", loop_name(k), points.size()),
                  plane_polygon_place);
    }
    for (const Point2 p : points) loops[k].push_back({p[0], p[1]});
    check_points(loops[k], loop_name(k), plane_polygon_place);
    check_area(loops[k], loop_name(k));
    const std::size_t n = points.size();
    for (std::size_t i = 0; i < n; ++i) {
      sides.push_back({loops[k][i], loops[k][(i + 1) % n], k, i, n, true});
    }
  }
  if (const auto pair = detail::meeting_sides(sides); pair.found) {
    throw Error(fmt::format("{} and {} cross or touch", side_name(sides[pair.first]),
                            side_name(sides[pair.second])),
                plane_polygon_place, "order the vertices along the boundary and keep holes apart");
  }
  check_nesting(loops);
  std::vector<Curve> curves;
  std::vector<Piece> pieces;
  std::vector<char> flipped(loops.size());
  for (std::size_t k = 0; k < loops.size(); ++k) {
    flipped[k] = (signed_area(loops[k]) > 0) != (k == 0);
    if (flipped[k]) std::ranges::reverse(loops[k]);
  }
  for (const PolygonSide& s : sides) {
    curves.push_back(flipped[s.loop] ? Curve::segment(s.to, s.from, pieces.size())
                                     : Curve::segment(s.from, s.to, pieces.size()));
    pieces.push_back(s.loop == 0 ? named_piece(fmt::format("side{}", s.index + 1))
                                 : named_piece(fmt::format("hole{}_side{}", s.loop, s.index + 1),
                                               fmt::format("hole{}", s.loop)));
  }
  return std::make_shared<PlaneShape>(std::move(curves), std::move(pieces),
                                      detail::polygon_map(loops));
}

ShapePtr slit_shape(std::span<const Point2> line) {
  constexpr const char* where = "[geometry.slit]";
  if (line.size() < 2) {
    throw Error(fmt::format("a slit needs at least 2 points, got {}", line.size()), where);
  }
  std::vector<Vec> points;
  for (const Point2 p : line) points.push_back({p[0], p[1]});
  check_points(points, "the slit", where);
  std::vector<PolygonSide> sides;
  const std::size_t n = points.size() - 1;
  for (std::size_t i = 0; i < n; ++i) sides.push_back({points[i], points[i + 1], 0, i, n, false});
  if (const auto pair = detail::meeting_sides(sides); pair.found) {
    throw Error(
        fmt::format("parts {} and {} of the slit cross or touch", pair.first + 1, pair.second + 1),
        where, "a slit is an open line that does not meet itself");
  }
  std::vector<Curve> curves;
  for (const PolygonSide& s : sides) curves.push_back(Curve::segment(s.from, s.to, 0));
  for (std::size_t i = n; i-- > 0;) {
    curves.push_back(Curve::segment(sides[i].to, sides[i].from, 1));
  }
  for (Curve& c : curves) c.slit = true;
  return std::make_shared<PlaneShape>(
      std::move(curves),
      std::vector<Piece>{named_piece("slit_left", "slit"), named_piece("slit_right", "slit")});
}

}  // namespace cauchy
