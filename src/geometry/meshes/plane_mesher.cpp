#include "geometry/meshes/plane_mesher.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/base/run_limit.hpp>

#include "geometry/meshes/mesh_sides.hpp"

namespace cauchy::detail {
namespace {

constexpr double regular_radius = 0.5773502691896258;  // circumradius of a regular triangle by side

/// Whether p lies in the circle that has a, b as a diameter.
bool in_diametral(Vec a, Vec b, Vec p) { return dot(a - p, b - p) < 0; }

}  // namespace

PlaneMesher::PlaneMesher(const Shape& shape, const PlaneWalls& walls, const MeshOptions& options)
    : shape_(shape), walls_(walls), options_(options), tri_(walls.box()) {
  // Without a lattice all triangles come from halving, which makes them smaller by itself.
  coarse_ = options.size_field ? 1.35 : 1.5;
  sine_ = std::sin(options.smallest_angle * std::numbers::pi / 180);
  vertex_wall_.assign(3, -1);
  corner_of_.assign(3, -1);
}

double PlaneMesher::size_at(Vec p) const {
  if (!options_.size_field) return options_.size;
  const double h = options_.size_field(&p.x);
  if (!(h > 0)) {
    throw Error(fmt::format("the size field is {} at {}", h, place_text(2, &p.x)),
                "[geometry.mesh]", "sizes must be positive");
  }
  return std::min(options_.size, h);
}

int PlaneMesher::new_vertex(Vec p, const std::vector<int>& cavity, int wall) {
  for (const int v : tri_.cell(cavity[0]).v) {
    if (norm(tri_.point(v) - p) < 1e-11 * walls_.scale) {
      throw Error(fmt::format("curves of the boundary are too near to each other at {}",
                              place_text(2, &p.x)),
                  "[geometry.mesh]", "move them apart, or let them coincide");
    }
  }
  const int v = tri_.insert(p, cavity);
  vertex_wall_.push_back(wall);
  corner_of_.push_back(-1);
  return v;
}

void PlaneMesher::check_count() const {
  if (tri_.points().size() > options_.max_cells / 2 + 1000) {
    const Vec last = tri_.points().back();
    throw Error(fmt::format("the mesh grows beyond {} triangles, last at {}", options_.max_cells,
                            place_text(2, &last.x)),
                "[geometry.mesh]", "make gaps and small parts there larger, or leave them out");
  }
}

bool PlaneMesher::split(int segment) {
  const Segment s = segments_[at(segment)];
  const PlaneWall& wall = wall_of(segment);
  const Vec a = tri_.point(s.a), b = tri_.point(s.b);
  const double chord = norm(b - a);
  if (chord < 1e-8 * walls_.scale) return false;
  const auto sharp = [&](int v) {
    return corner_of_[at(v)] >= 0 && is_sharp_[at(corner_of_[at(v)])] != 0;
  };
  double t = 0.5 * (s.ta + s.tb);
  if (sharp(s.a) != sharp(s.b)) {
    // On circles around the corner whose radii are powers of two: the curves that meet there are
    // cut at equal distances and do not hunt each other.
    const double r = std::exp2(std::round(std::log2(chord / 2)));
    t = at_distance(wall, s.ta, s.tb, sharp(s.a) ? a : b, r);
  }
  const Vec m = wall.point(t);
  const PlaneTriangulation::Edge edge = tri_.find_edge(s.a, s.b);
  int from = tri_.cell_of(s.a);
  if (edge.cell != PlaneTriangulation::none) {
    tri_.set_wall(edge, PlaneTriangulation::none);
    from = edge.cell;
  }
  const int home = tri_.find(m, from, false).cell;
  tri_.cavity(m, home, cavity_);
  const int v = new_vertex(m, std::vector<int>(cavity_), s.wall);
  segments_[at(segment)].alive = false;
  const int first = static_cast<int>(segments_.size());
  segments_.push_back({s.wall, s.a, v, s.ta, t, true});
  segments_.push_back({s.wall, v, s.b, t, s.tb, true});
  bool both = true;
  for (const int k : {first, first + 1}) {
    const auto e = tri_.find_edge(segments_[at(k)].a, segments_[at(k)].b);
    if (e.cell == PlaneTriangulation::none) {
      both = false;
    } else {
      tri_.set_wall(e, k);
    }
    to_check_.push_back(k);
  }
  if (labelled_ && both) {
    // Around the new vertex both sides of the wall have their labels.
    for (const int c : tri_.star()) tri_.cell(c).label = -3;
    std::vector<int> stack;
    for (const int k : {first, first + 1}) {
      const auto e = tri_.find_edge(segments_[at(k)].a, segments_[at(k)].b);
      tri_.cell(e.cell).label = wall.left;
      tri_.cell(tri_.other_side(e).cell).label = wall.right;
    }
    for (const int c : tri_.star()) {
      if (tri_.cell(c).label != -3) stack.push_back(c);
    }
    while (!stack.empty()) {
      const int c = stack.back();
      stack.pop_back();
      for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
        const int to = tri_.cell(c).next[k];
        if (tri_.cell(c).wall[k] != PlaneTriangulation::none || tri_.cell(to).label != -3) continue;
        tri_.cell(to).label = tri_.cell(c).label;
        stack.push_back(to);
      }
    }
  } else if (labelled_) {
    relabel_ = true;
  }
  push_star();
  check_count();
  return true;
}

void PlaneMesher::push_star() {
  if (!labelled_) return;
  for (const int c : tri_.star()) {
    const auto& cell = tri_.cell(c);
    bad_.push_back({c, cell.v});
    if (cell.wall[0] == PlaneTriangulation::none) continue;
    if (cell.label < 0) continue;
    const Segment& s = segments_[at(cell.wall[0])];
    if (in_diametral(tri_.point(s.a), tri_.point(s.b), tri_.point(cell.v[0]))) {
      to_check_.push_back(cell.wall[0]);
    }
  }
}

bool PlaneMesher::is_encroached(int segment) const {
  const Segment& s = segments_[at(segment)];
  const auto edge = tri_.find_edge(s.a, s.b);
  if (edge.cell == PlaneTriangulation::none) return true;
  for (const auto& side : {edge, tri_.other_side(edge)}) {
    const auto& cell = tri_.cell(side.cell);
    const int apex = cell.v[at(side.k)];
    if (apex < 3 || cell.label < 0) continue;
    if (in_diametral(tri_.point(s.a), tri_.point(s.b), tri_.point(apex))) return true;
  }
  return false;
}

void PlaneMesher::drain_segments() {
  while (!to_check_.empty()) {
    const int k = to_check_.back();
    to_check_.pop_back();
    const Segment s = segments_[at(k)];
    if (!s.alive) continue;
    const auto edge = tri_.find_edge(s.a, s.b);
    const bool missing = edge.cell == PlaneTriangulation::none;
    if (!missing) tri_.set_wall(edge, k);
    if (!missing && (!labelled_ || !is_encroached(k))) continue;
    if (!split(k) && missing) {
      const Vec m = 0.5 * (tri_.point(s.a) + tri_.point(s.b));
      throw Error(fmt::format("the boundary cannot be kept at {}: curves cross or nearly touch",
                              place_text(2, &m.x)),
                  "[geometry.mesh]", "look at the region there");
    }
  }
}

void PlaneMesher::label_all() {
  const auto& cells = tri_.cells();
  for (std::size_t c = 0; c < cells.size(); ++c) tri_.cell(static_cast<int>(c)).label = -3;
  std::vector<int> stack;
  const auto set = [&](int c, int label, Vec where) {
    auto& cell = tri_.cell(c);
    if (cell.label == -3) {
      cell.label = label;
      stack.push_back(c);
    } else if (cell.label != label) {
      throw Error(
          fmt::format("inside and outside cannot be told apart at {}", place_text(2, &where.x)),
          "[geometry.mesh]", "look at the region there");
    }
  };
  for (std::size_t k = 0; k < segments_.size(); ++k) {
    const Segment& s = segments_[k];
    if (!s.alive) continue;
    const auto edge = tri_.find_edge(s.a, s.b);
    const PlaneWall& wall = walls_.walls[at(s.wall)];
    set(edge.cell, wall.left, tri_.point(s.a));
    set(tri_.other_side(edge).cell, wall.right, tri_.point(s.a));
  }
  while (!stack.empty()) {
    const int c = stack.back();
    stack.pop_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const int to = tri_.cell(c).next[k];
      if (to == PlaneTriangulation::none || tri_.cell(c).wall[k] != PlaneTriangulation::none)
        continue;
      set(to, tri_.cell(c).label, tri_.point(tri_.cell(c).v[0]));
    }
  }
  labelled_ = true;
  relabel_ = false;
}

void PlaneMesher::add_lattice() {
  const double h = options_.size, rise = h * std::sqrt(0.75);
  const PlaneBox box = walls_.box();
  Rng rng(1);
  bool odd = false;
  const auto rows = static_cast<long>(std::ceil((box.upper.y - box.lower.y) / rise));
  const auto columns = static_cast<long>(std::ceil((box.upper.x - box.lower.x) / h)) + 1;
  LoopLimit limit("the mesh");
  for (long j = 0; j < rows; ++j, odd = !odd) {
    limit.next(100 * static_cast<double>(columns));
    for (long i = 0; i < columns; ++i) {
      const long column = odd ? columns - 1 - i : i;  // the next point is always near
      // A little disorder: no four points on one circle.
      const Vec p{
          box.lower.x + h * (static_cast<double>(column) + (odd ? 0.5 : 0)) +
              1e-4 * h * rng.uniform(-1, 1),
          box.lower.y + rise * (static_cast<double>(j) + 0.5) + 1e-4 * h * rng.uniform(-1, 1)};
      if (!(shape_.distance(&p.x) > 0.65 * h)) continue;
      const int home = tri_.find(p, tri_.star().front(), false).cell;
      // Walls of parts and boundaries that were cut finer than h.
      tri_.cavity(p, home, cavity_);
      bool near = false;
      for (const int c : cavity_) {
        const auto& cell = tri_.cell(c);
        near = near || cell.label < 0;
        for (std::size_t k = 0; k < 3 && !near; ++k) {
          if (norm(tri_.point(cell.v[k]) - p) < 0.6 * h) near = true;
          if (cell.wall[k] == PlaneTriangulation::none) continue;
          const Vec a = tri_.point(cell.v[(k + 1) % 3]), b = tri_.point(cell.v[(k + 2) % 3]);
          if (std::abs(cross(b - a, p - a)) < 0.6 * h * norm(b - a)) near = true;
        }
      }
      if (near) continue;
      (void)new_vertex(p, std::vector<int>(cavity_), -1);
    }
    check_count();
  }
}

bool PlaneMesher::is_exempt(const std::array<int, 3>& v, int shortest) const {
  // The angle opposite the shortest side is the smallest one. It belongs to the region when the
  // sides that make it are walls, or when the side joins points that stand equally far from a
  // sharp corner on two walls of it.
  const int apex = v[at(shortest)], p = v[at((shortest + 1) % 3)], q = v[at((shortest + 2) % 3)];
  if (corner_of_[at(apex)] >= 0 && is_sharp_[at(corner_of_[at(apex)])] != 0) {
    const auto is_wall = [&](int a, int b) {
      const auto e = tri_.find_edge(a, b);
      return e.cell != PlaneTriangulation::none &&
             tri_.cell(e.cell).wall[at(e.k)] != PlaneTriangulation::none;
    };
    if (is_wall(apex, p) && is_wall(apex, q)) return true;
  }
  const int wp = vertex_wall_[at(p)], wq = vertex_wall_[at(q)];
  if (wp < 0 || wq < 0 || wp == wq) return false;
  const PlaneWall &a = walls_.walls[at(wp)], &b = walls_.walls[at(wq)];
  for (const int k : {a.from, a.to}) {
    if (k != b.from && k != b.to) continue;
    if (is_sharp_[at(k)] == 0) continue;
    const double da = norm(tri_.point(p) - walls_.corners[at(k)]);
    const double db = norm(tri_.point(q) - walls_.corners[at(k)]);
    if (std::abs(da - db) < 1e-3 * da) return true;
  }
  return false;
}

void PlaneMesher::treat(const Bad& bad) {
  const auto& cell = tri_.cell(bad.cell);
  if (!cell.alive || cell.label < 0 || cell.v != bad.v) return;
  const Vec p[3] = {tri_.point(bad.v[0]), tri_.point(bad.v[1]), tri_.point(bad.v[2])};
  double side[3];
  int shortest = 0;
  for (int k = 0; k < 3; ++k) {
    side[k] = norm(p[(k + 2) % 3] - p[(k + 1) % 3]);
    if (side[k] < side[shortest]) shortest = k;
  }
  const double area2 = cross(p[1] - p[0], p[2] - p[0]);
  const double radius = side[0] * side[1] * side[2] / (2 * area2);
  const Vec mid = (1.0 / 3) * (p[0] + p[1] + p[2]);
  const bool large = radius > regular_radius * coarse_ * size_at(mid);
  const bool skinny = side[shortest] < 2 * radius * sine_;
  if (!large && (!skinny || is_exempt(bad.v, shortest))) return;
  if (side[shortest] < 1e-9 * walls_.scale) return;
  const Vec centre = circle_centre(p[0], p[1], p[2]);
  const auto found = tri_.find(centre, bad.cell, true);
  const auto may_split = [&](int segment) {
    // Near sharp corners walls are not cut shorter than the triangle that asks for it.
    const Segment& s = segments_[at(segment)];
    for (const int v : {s.a, s.b}) {
      if (corner_of_[at(v)] < 0 || is_sharp_[at(corner_of_[at(v)])] == 0) continue;
      if (0.5 * norm(tri_.point(s.b) - tri_.point(s.a)) < side[shortest] && !large) return false;
    }
    return true;
  };
  if (found.cell == PlaneTriangulation::none) {
    const int segment = tri_.cell(found.wall_cell).wall[at(found.wall_edge)];
    if (may_split(segment) && split(segment)) bad_.push_back(bad);
    return;
  }
  tri_.cavity(centre, found.cell, cavity_);
  std::vector<int> near;
  for (const int c : cavity_) {
    const auto& each = tri_.cell(c);
    for (std::size_t k = 0; k < 3; ++k) {
      if (each.wall[k] == PlaneTriangulation::none) continue;
      if (in_diametral(tri_.point(each.v[(k + 1) % 3]), tri_.point(each.v[(k + 2) % 3]), centre)) {
        near.push_back(each.wall[k]);
      }
    }
  }
  if (near.empty()) {
    (void)new_vertex(centre, std::vector<int>(cavity_), -1);
    push_star();
    check_count();
    return;
  }
  bool any = false;
  for (const int segment : near) {
    if (segments_[at(segment)].alive && may_split(segment)) any = split(segment) || any;
  }
  if (any) bad_.push_back(bad);
}

void PlaneMesher::refine() {
  LoopLimit limit("the mesh");
  do {
    drain_segments();
    if (relabel_) label_all();
    while (!bad_.empty()) {
      const Bad next = bad_.back();
      bad_.pop_back();
      limit.next(100);
      treat(next);
      if (!to_check_.empty()) drain_segments();
      if (relabel_) {
        drain_segments();
        label_all();
      }
    }
  } while (!to_check_.empty());
}

void PlaneMesher::run() {
  find_sharp_corners();
  add_walls();
  drain_segments();
  label_all();
  for (std::size_t k = 0; k < segments_.size(); ++k) to_check_.push_back(static_cast<int>(k));
  const auto all_bad = [&] {
    bad_.clear();
    for (std::size_t c = tri_.cells().size(); c-- > 0;) {
      const auto& cell = tri_.cells()[c];
      if (cell.alive && cell.label >= 0) bad_.push_back({static_cast<int>(c), cell.v});
    }
  };
  drain_segments();
  if (relabel_) label_all();
  if (!options_.size_field) add_lattice();
  all_bad();
  refine();
  smooth(4);
  all_bad();
  refine();
  smooth(4);
}

}  // namespace cauchy::detail
