#include "geometry/meshes/plane_triangulation.hpp"

#include "geometry/meshes/predicates.hpp"

namespace cauchy::detail {
namespace {

double turn_of(Vec a, Vec b, Vec c) { return exact_turn(&a.x, &b.x, &c.x); }

}  // namespace

PlaneTriangulation::PlaneTriangulation(const PlaneBox& box) {
  const Vec middle = 0.5 * (box.lower + box.upper);
  const double far = 10 * norm(box.upper - box.lower);
  points_ = {{middle.x - 2 * far, middle.y - far},
             {middle.x + 2 * far, middle.y - far},
             {middle.x, middle.y + 2 * far}};
  Cell all;
  all.v = {0, 1, 2};
  cells_.push_back(all);
  stamp_.push_back(0);
  cell_of_ = {0, 0, 0};
  link_ = {none, none, none};
}

PlaneTriangulation::Found PlaneTriangulation::find(Vec p, int from, bool stop_at_walls) {
  int at = from, before = none;
  for (;;) {
    const Cell& c = cell(at);
    // The edges in an order that changes: a walk among walls could go in circles otherwise.
    random_ = random_ * 1664525u + 1013904223u;
    const int first = static_cast<int>((random_ >> 16) % 3);
    int to = none;
    for (int i = 0; i < 3 && to == none; ++i) {
      const auto k = static_cast<std::size_t>((first + i) % 3);
      if (c.next[k] == none || c.next[k] == before) continue;
      if (!(turn_of(point(c.v[(k + 1) % 3]), point(c.v[(k + 2) % 3]), p) < 0)) continue;
      if (stop_at_walls && c.wall[k] != none) return {none, at, static_cast<int>(k)};
      to = c.next[k];
    }
    if (to == none) return {at, none, none};
    before = at;
    at = to;
  }
}

bool PlaneTriangulation::holds(int c, Vec p) const {
  const auto& v = cell(c).v;
  const Vec a = point(v[0]), b = point(v[1]), d = point(v[2]);
  return exact_in_circle(&a.x, &b.x, &d.x, &p.x) > 0;
}

void PlaneTriangulation::cavity(Vec p, int home, std::vector<int>& cells) {
  cells.assign(1, home);
  ++round_;
  stamp_[static_cast<std::size_t>(home)] = round_;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell c = cell(cells[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      const int to = c.next[k];
      if (to == none || c.wall[k] != none || stamp_[static_cast<std::size_t>(to)] == round_) {
        continue;
      }
      if (holds(to, p)) {
        stamp_[static_cast<std::size_t>(to)] = round_;
        cells.push_back(to);
      }
    }
  }
}

int PlaneTriangulation::insert(Vec p, const std::vector<int>& cavity) {
  const int v = static_cast<int>(points_.size());
  points_.push_back(p);
  cell_of_.push_back(none);
  link_.push_back(none);
  ++round_;
  for (const int c : cavity) stamp_[static_cast<std::size_t>(c)] = round_;
  const int label = cell(cavity[0]).label;
  star_.clear();
  for (const int h : cavity) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Cell old = cell(h);
      const int to = old.next[k];
      if (to != none && stamp_[static_cast<std::size_t>(to)] == round_) continue;
      const int a = old.v[(k + 1) % 3], b = old.v[(k + 2) % 3];
      int fresh = static_cast<int>(cells_.size());
      if (!free_.empty()) {
        fresh = free_.back();
        free_.pop_back();
      } else {
        cells_.emplace_back();
        stamp_.push_back(0);
      }
      Cell& c = cell(fresh);
      c = Cell{};
      c.v = {v, a, b};
      c.next = {to, none, none};
      c.wall = {old.wall[k], none, none};
      c.label = label;
      if (to != none) {
        for (std::size_t j = 0; j < 3; ++j) {
          if (cell(to).next[j] == h && cell(to).v[(j + 1) % 3] == b) cell(to).next[j] = fresh;
        }
      }
      link_[static_cast<std::size_t>(a)] = fresh;
      star_.push_back(fresh);
    }
  }
  for (const int s : star_) {
    // Edge 1 goes from vertex 2 (b) to v: there begins the triangle whose first outer vertex is b.
    const int after = link_[static_cast<std::size_t>(cell(s).v[2])];
    cell(s).next[1] = after;
    cell(after).next[2] = s;
    for (const int u : cell(s).v) cell_of_[static_cast<std::size_t>(u)] = s;
  }
  for (const int c : cavity) {
    cell(c).alive = false;
    free_.push_back(c);
  }
  last_ = star_.front();
  return v;
}

int PlaneTriangulation::insert(Vec p) {
  const int home = find(p, last_, false).cell;
  cavity(p, home, stack_);
  return insert(p, std::vector<int>(stack_));
}

PlaneTriangulation::Edge PlaneTriangulation::find_edge(int a, int b) const {
  const int first = cell_of(a);
  int at = first;
  do {
    const Cell& c = cell(at);
    const std::size_t i = c.v[0] == a ? 0 : c.v[1] == a ? 1 : 2;
    if (c.v[(i + 1) % 3] == b) return {at, static_cast<int>((i + 2) % 3)};
    at = c.next[(i + 1) % 3];  // counter-clockwise: across the edge from a to its last vertex
  } while (at != first && at != none);
  return {};
}

PlaneTriangulation::Edge PlaneTriangulation::other_side(Edge edge) const {
  const Cell& c = cell(edge.cell);
  const auto k = static_cast<std::size_t>(edge.k);
  const int to = c.next[k], b = c.v[(k + 2) % 3];
  if (to == none) return {};
  for (int j = 0; j < 3; ++j) {
    const auto jj = static_cast<std::size_t>(j);
    if (cell(to).next[jj] == edge.cell && cell(to).v[(jj + 1) % 3] == b) return {to, j};
  }
  return {};
}

void PlaneTriangulation::set_wall(Edge edge, int wall) {
  cell(edge.cell).wall[static_cast<std::size_t>(edge.k)] = wall;
  const Edge other = other_side(edge);
  if (other.cell != none) cell(other.cell).wall[static_cast<std::size_t>(other.k)] = wall;
}

void PlaneTriangulation::flip(int c, int k) {
  const Edge other = other_side({c, k});
  Cell &t = cell(c), &o = cell(other.cell);
  const auto i = static_cast<std::size_t>(k), j = static_cast<std::size_t>(other.k);
  // t = (p, a, b), o = (q, b, a): become (p, a, q) and (q, b, p).
  const int p = t.v[i], a = t.v[(i + 1) % 3], b = t.v[(i + 2) % 3], q = o.v[j];
  const Cell told = t, oold = o;
  const auto relink = [&](int to, int from, int now) {
    if (to == none) return;
    for (int& n : cell(to).next) {
      if (n == from) n = now;
    }
  };
  t.v = {p, a, q};
  t.next = {oold.next[(j + 1) % 3], other.cell, told.next[(i + 2) % 3]};
  t.wall = {oold.wall[(j + 1) % 3], none, told.wall[(i + 2) % 3]};
  o.v = {q, b, p};
  o.next = {told.next[(i + 1) % 3], c, oold.next[(j + 2) % 3]};
  o.wall = {told.wall[(i + 1) % 3], none, oold.wall[(j + 2) % 3]};
  relink(t.next[0], other.cell, c);
  relink(o.next[0], c, other.cell);
  for (const int v : {p, a, q}) cell_of_[static_cast<std::size_t>(v)] = c;
  cell_of_[static_cast<std::size_t>(b)] = other.cell;
}

void PlaneTriangulation::flip_all() {
  stack_.clear();
  for (std::size_t c = cells_.size(); c-- > 0;) {
    if (cells_[c].alive) stack_.push_back(static_cast<int>(c));
  }
  while (!stack_.empty()) {
    const int c = stack_.back();
    stack_.pop_back();
    for (int k = 0; k < 3; ++k) {
      const auto kk = static_cast<std::size_t>(k);
      if (cell(c).wall[kk] != none || cell(c).next[kk] == none) continue;
      const Edge other = other_side({c, k});
      const Vec q = point(cell(other.cell).v[static_cast<std::size_t>(other.k)]);
      if (!holds(c, q)) continue;
      // Only within a convex quadrilateral, which a valid triangulation gives by itself.
      flip(c, k);
      stack_.push_back(c);
      stack_.push_back(other.cell);
      break;
    }
  }
}

}  // namespace cauchy::detail
