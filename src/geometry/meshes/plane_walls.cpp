#include "geometry/meshes/plane_walls.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/shapes/plane_shape.hpp"

namespace cauchy::detail {
namespace {

/// The piece of the whole shape that a curve of a part of it belongs to.
int piece_in_whole(const Shape& whole, const std::string& name, Vec middle) {
  int found = -1;
  for (std::size_t i = 0; i < whole.pieces().size(); ++i) {
    if (whole.pieces()[i].name != name) continue;
    if (found >= 0) found = -2;
    if (found == -1) found = static_cast<int>(i);
  }
  if (found >= 0) return found;
  double foot[2], normal[2];
  return static_cast<int>(whole.nearest(&middle.x, foot, normal).piece);
}

}  // namespace

int CornerList::number(Vec p) {
  const auto cell = [&](double x) { return std::floor(x / (2 * tolerance_)); };
  for (double i = -1; i <= 1; ++i) {
    for (double j = -1; j <= 1; ++j) {
      const auto at = grid_.find({cell(p.x) + i, cell(p.y) + j});
      if (at == grid_.end()) continue;
      for (const int k : at->second) {
        if (norm(points[static_cast<std::size_t>(k)] - p) <= tolerance_) return k;
      }
    }
  }
  const int k = static_cast<int>(points.size());
  points.push_back(p);
  grid_[{cell(p.x), cell(p.y)}].push_back(k);
  return k;
}

Vec PlaneWall::point(double t) const {
  const Vec p = curve.point(t);
  if (!surface) return p;
  Vec foot, normal;
  surface->project(&p.x, &foot.x, &normal.x);
  return foot;
}

PlaneBox PlaneWalls::box() const {
  PlaneBox all = PlaneBox::empty();
  for (const PlaneWall& w : walls) all.add(w.curve.box());
  return all;
}

std::vector<PlaneWall> cut_walls(const std::vector<PlaneWall>& walls, const CornerList& corners) {
  const double tolerance = corners.tolerance();
  std::vector<PlaneBox> boxes;
  for (const PlaneWall& w : walls) boxes.push_back(w.curve.box());
  const BoxTree tree(std::move(boxes));
  std::vector<std::vector<std::pair<double, int>>> stops(walls.size());
  for (std::size_t k = 0; k < corners.points.size(); ++k) {
    const Vec p = corners.points[k];
    const int corner = static_cast<int>(k);
    tree.near(p, tolerance, [&](std::uint32_t i) {
      const PlaneWall& w = walls[i];
      if (w.from != corner && w.to != corner) {
        const Curve::Foot foot = w.curve.nearest(p);
        if (foot.distance <= tolerance) stops[i].emplace_back(foot.t, corner);
      }
      return tolerance;
    });
  }
  std::vector<PlaneWall> cut;
  for (std::size_t i = 0; i < walls.size(); ++i) {
    std::ranges::sort(stops[i]);
    stops[i].emplace_back(walls[i].curve.t1, walls[i].to);
    double t = walls[i].curve.t0;
    int from = walls[i].from;
    for (const auto& [end, to] : stops[i]) {
      PlaneWall w = walls[i];
      w.from = from;
      w.to = to;
      w.curve = walls[i].curve.part(t, end, corners.points[static_cast<std::size_t>(from)],
                                    corners.points[static_cast<std::size_t>(to)]);
      cut.push_back(w);
      t = end;
      from = to;
    }
  }
  return cut;
}

PlaneWalls plane_walls(const ShapePtr& shape, std::span<const MeshPart> parts) {
  PlaneWalls result;
  result.scale = as_plane(*shape).scale();
  const double tolerance = 4e-9 * result.scale;
  std::vector<std::pair<ShapePtr, int>> areas;
  ShapePtr rest = shape;
  double left_over = shape->measure();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!rest) {
      throw Error(fmt::format("nothing is left for the part \"{}\"", parts[k].name),
                  "[geometry.mesh]", "leave it out");
    }
    try {
      const ShapePtr area = combine(Boolean::intersect, rest, parts[k].shape);
      areas.emplace_back(area, static_cast<int>(k) + 1);
      left_over -= area->measure();
      rest = left_over > 1e-9 * shape->measure() ? combine(Boolean::subtract, rest, parts[k].shape)
                                                 : nullptr;
    } catch (const Error& e) {
      throw Error(e.kind(), fmt::format("the part \"{}\": {}", parts[k].name, e.message()),
                  "[geometry.mesh]", e.hint());
    }
  }
  if (rest) areas.emplace_back(rest, 0);

  CornerList corners(tolerance);
  std::vector<PlaneWall> raw;
  for (const auto& [area, label] : areas) {
    for (const Curve& c : as_plane(*area).curves()) {
      PlaneWall w;
      w.curve = c;
      w.from = corners.number(c.start);
      w.to = corners.number(c.end);
      w.left = label;
      w.left_piece = static_cast<int>(c.piece);
      if (area != shape) {
        w.left_piece =
            piece_in_whole(*shape, area->pieces()[c.piece].name, c.point(0.5 * (c.t0 + c.t1)));
      }
      raw.push_back(w);
    }
  }
  const std::vector<PlaneWall> cut = cut_walls(raw, corners);
  // A curve and its reverse are one wall with an inside on both sides.
  std::map<std::pair<int, int>, std::vector<std::size_t>> by_ends;
  const auto middle = [](const PlaneWall& w) {
    return w.curve.point(0.5 * (w.curve.t0 + w.curve.t1));
  };
  for (const PlaneWall& w : cut) {
    bool matched = false;
    for (const std::size_t k : by_ends[{w.to, w.from}]) {
      PlaneWall& o = result.walls[k];
      if (o.right >= 0 || norm(middle(o) - middle(w)) > 10 * tolerance) continue;
      o.right = w.left;
      // Between two parts there is no piece of the boundary; within one it is a slit.
      o.right_piece = o.left == w.left ? w.left_piece : -1;
      if (o.left != w.left) o.left_piece = -1;
      matched = true;
      break;
    }
    if (matched) continue;
    by_ends[{w.from, w.to}].push_back(result.walls.size());
    result.walls.push_back(w);
  }
  result.corners = std::move(corners.points);
  return result;
}

}  // namespace cauchy::detail
