#include "solvers/fdm/fdm_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

constexpr const char* grid_place = "[solvers.fdm]";
/// Normals on one side of a wall make less than this angle's cosine with each other.
constexpr double same_side = -0.5;

double grid_dot(const GridPoint& a, const GridPoint& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

GridPoint grid_between(const GridPoint& a, const GridPoint& b, double share) {
  GridPoint x{};
  for (std::size_t k = 0; k < 3; ++k) x[k] = a[k] + share * (b[k] - a[k]);
  return x;
}

double grid_distance_of(const GridPoint& a, const GridPoint& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

FdmGrid::FdmGrid(ShapePtr shape, const std::vector<std::string>& names, int n,
                 const std::vector<std::string>& periodic)
    : shape_(std::move(shape)) {
  const Bounds& box = shape_->bounds();
  double longest = 0, volume = 1;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double side = box.upper[k] - box.lower[k];
    if (!std::isfinite(side)) {
      throw Error(ErrorKind::unsupported, "a grid needs a bounded region", grid_place);
    }
    longest = std::max(longest, side);
    volume *= side;
  }
  spacing_ = longest;
  // Twice the cells along one side are twice the cells along all of them.
  int base = n, factor = 1;
  while (base % 2 == 0 && base >= 16) {
    base /= 2;
    factor *= 2;
  }
  constexpr int least = 4;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double side = box.upper[k] - box.lower[k];
    const int cells =
        factor * std::max(least, static_cast<int>(std::lround(base * side / longest)));
    const bool around = std::find(periodic.begin(), periodic.end(), names[k]) != periodic.end();
    axes_.push_back({names[k], box.lower[k], side / cells, cells, around});
    spacing_ = std::min(spacing_, side / cells);
  }
  box_ = std::abs(shape_->measure() - volume) <= 1e-12 * volume &&
         shape_->pieces().size() == 2 * names.size();
  if (!box_ && !periodic.empty()) {
    throw Error(ErrorKind::unsupported, "periodic conditions need a box", grid_place);
  }
  std::size_t size = 1;
  for (const FdmAxis& a : axes_) size *= static_cast<std::size_t>(a.cells + 1 + 2 * margin);
  primary_.assign(size, -1);
  box_ ? make_box() : make_masked();
}

GridPoint FdmGrid::point(const GridPlace& at) const {
  GridPoint x{};
  for (std::size_t k = 0; k < axes_.size(); ++k) x[k] = axes_[k].at(at[k]);
  return x;
}

GridPlace FdmGrid::nearest_place(const GridPoint& x) const {
  GridPlace at{};
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    at[k] = static_cast<int>(std::lround((x[k] - axes_[k].lower) / axes_[k].h));
  }
  return at;
}

GridPlace FdmGrid::wrapped(GridPlace at) const {
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (axes_[k].periodic) at[k] = ((at[k] % axes_[k].cells) + axes_[k].cells) % axes_[k].cells;
  }
  return at;
}

bool FdmGrid::inside(const GridPlace& at) const {
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (at[k] < -margin || at[k] > axes_[k].cells + margin) return false;
  }
  return true;
}

std::size_t FdmGrid::key(const GridPlace& at) const {
  std::size_t index = 0;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    index = index * static_cast<std::size_t>(axes_[k].cells + 1 + 2 * margin) +
            static_cast<std::size_t>(at[k] + margin);
  }
  return index;
}

/// Calls f(place) for all places of the lattice from `low` to cells + `high`, the last axis
/// fastest.
template <class F>
static void for_places(const std::vector<FdmAxis>& axes, int low, int high, const F& f) {
  std::array<int, 3> last{};
  GridPlace at{};
  for (std::size_t k = 0; k < axes.size(); ++k) {
    at[k] = axes[k].periodic ? 0 : low;
    last[k] = axes[k].periodic ? axes[k].cells - 1 : axes[k].cells + high;
  }
  const GridPlace first = at;
  for (at[0] = first[0]; at[0] <= last[0]; ++at[0]) {
    for (at[1] = first[1]; at[1] <= last[1]; ++at[1]) {
      for (at[2] = first[2]; at[2] <= last[2]; ++at[2]) f(at);
    }
  }
}

void FdmGrid::make_box() {
  const std::size_t d = axes_.size();
  for_places(axes_, 0, 0, [&](const GridPlace& at) {
    FdmNode node{at};
    FdmFoot foot{point(at), {}};
    for (std::size_t k = 0; k < d; ++k) {
      if (axes_[k].periodic || (at[k] != 0 && at[k] != axes_[k].cells)) continue;
      // Slightly inside of this side, and more so of the others that meet here.
      GridPoint probe = foot.point;
      for (std::size_t j = 0; j < d; ++j) {
        const double in = (j == k ? 1e-6 : 1e-2) * axes_[j].h;
        if (!axes_[j].periodic && at[j] == 0) probe[j] += in;
        if (!axes_[j].periodic && at[j] == axes_[j].cells) probe[j] -= in;
      }
      GridPoint on{};
      FdmFoot::Side side;
      side.piece = shape_->nearest(probe.data(), on.data(), side.normal.data()).piece;
      foot.sides.push_back(side);
    }
    if (!foot.sides.empty()) {
      node.role = FdmNode::Role::boundary;
      node.foot = feet_.size();
      feet_.push_back(std::move(foot));
    }
    primary_[key(at)] = static_cast<int>(nodes_.size());
    nodes_.push_back(node);
  });
}

int FdmGrid::box_ghost(int boundary_node, std::size_t axis, int side, int layer) {
  FdmNode node = nodes_[static_cast<std::size_t>(boundary_node)];
  node.at[axis] += side * layer;
  int& at = primary_[key(node.at)];
  if (at < 0) {
    node.role = FdmNode::Role::ghost;
    node.layer = layer;
    at = static_cast<int>(nodes_.size());
    nodes_.push_back(node);
  }
  return at;
}

void FdmGrid::make_masked() {
  kind_.assign(primary_.size(), -1);
  const double slack = 1e-9 * spacing_ * static_cast<double>(axes_[0].cells);
  for_places(axes_, -margin, margin, [&](const GridPlace& at) {
    const double distance = shape_->distance(point(at).data());
    if (distance < -slack) return;
    kind_[key(at)] = distance > slack ? 1 : 0;
    if (distance <= slack) return;
    primary_[key(at)] = static_cast<int>(nodes_.size());
    nodes_.push_back({at});
  });
  if (nodes_.empty()) {
    throw Error(ErrorKind::unsupported, "no node of the grid lies inside the region", grid_place,
                "use a finer grid");
  }
}

bool FdmGrid::crosses(const GridPoint& p, const GridPoint& q, GridPoint& meeting) const {
  const double length = grid_distance_of(p, q), near = 1e-2 * spacing_;
  for (double s = 0; s < length;) {
    const GridPoint x = grid_between(p, q, s / length);
    const double distance = shape_->distance(x.data());
    if (distance <= 0) {
      meeting = x;
      return true;
    }
    // Steps end before the boundary, on this side of it.
    double step = distance - near / 2;
    if (distance < near) {
      // Close to the boundary steps would become tiny: look where the tangent plane is met.
      GridPoint foot{}, normal{};
      shape_->nearest(x.data(), foot.data(), normal.data());
      double towards = 0;
      for (std::size_t k = 0; k < 3; ++k) towards += normal[k] * (q[k] - p[k]) / length;
      if (towards > 1e-12 && s + distance / towards <= length) {
        meeting = grid_between(p, q, (s + distance / towards) / length);
        return true;
      }
      step = near;
    }
    s += step;
  }
  return false;
}

GridPoint FdmGrid::beside(const GridPoint& boundary, const GridPoint& normal) const {
  GridPoint x{};
  for (const double share : {0.25, 1e-3}) {
    for (std::size_t k = 0; k < 3; ++k) x[k] = boundary[k] - share * spacing_ * normal[k];
    if (shape_->distance(x.data()) > 0.8 * share * spacing_) break;
  }
  return x;
}

GridPoint FdmGrid::nearest_inside(const GridPoint& x) const {
  const GridPlace middle = nearest_place(x);
  const std::array<int, 3> r = {2, axes_.size() > 1 ? 2 : 0, axes_.size() > 2 ? 2 : 0};
  GridPoint best = x;
  double closest = std::numeric_limits<double>::infinity();
  for (int i = -r[0]; i <= r[0]; ++i) {
    for (int j = -r[1]; j <= r[1]; ++j) {
      for (int k = -r[2]; k <= r[2]; ++k) {
        const GridPlace at = {middle[0] + i, middle[1] + j, middle[2] + k};
        if (!inside(at) || primary_[key(at)] < 0) continue;
        const GridPoint q = point(at);
        if (grid_distance_of(q, x) >= closest) continue;
        closest = grid_distance_of(q, x);
        best = q;
      }
    }
  }
  return best;
}

FdmFoot::Side FdmGrid::side_at(const GridPoint& meeting, const GridPoint& from) const {
  const double length = grid_distance_of(meeting, from);
  const GridPoint x =
      grid_between(meeting, from, std::min(1.0, 1e-6 * spacing_ / std::max(length, 1e-300)));
  FdmFoot::Side side;
  GridPoint on{};
  side.piece = shape_->nearest(x.data(), on.data(), side.normal.data()).piece;
  return side;
}

void FdmGrid::link(int from, const GridPlace& at, int reach) {
  const GridPoint p = point(nodes_[static_cast<std::size_t>(from)].at), q = point(at);
  const int kind = kind_[key(at)];
  GridPoint meeting = q;
  if (kind > 0) {
    if (shape_->distance(p.data()) + shape_->distance(q.data()) > grid_distance_of(p, q)) return;
    if (!crosses(p, q, meeting)) return;
  } else if (!crosses(p, q, meeting)) {
    meeting = q;
  }
  const FdmFoot::Side side = side_at(meeting, p);
  const auto [first, last] = copies_.equal_range(key(at));
  int found = -1;
  for (auto c = first; c != last && found < 0; ++c) {
    FdmNode& node = nodes_[static_cast<std::size_t>(c->second)];
    FdmFoot& foot = feet_[node.foot];
    if (grid_dot(foot.sides[0].normal, side.normal) <= same_side) continue;
    found = c->second;
    // Pieces that meet at a boundary node.
    if (kind == 0 && std::none_of(foot.sides.begin(), foot.sides.end(),
                                  [&](const auto& s) { return s.piece == side.piece; })) {
      foot.sides.push_back(side);
    }
  }
  if (found < 0) {
    FdmNode node{at, kind == 0 ? FdmNode::Role::boundary : FdmNode::Role::ghost, 0, feet_.size()};
    FdmFoot foot{meeting, {side}};
    if (kind < 0) {
      GridPoint on{}, normal{};
      const Nearest nearest = shape_->nearest(q.data(), on.data(), normal.data());
      const bool real = shape_->is_exact() || std::abs(shape_->distance(on.data())) < 1e-9;
      if (real && grid_dot(normal, side.normal) > same_side) {
        foot = {on, {{nearest.piece, normal}}};
      }
    }
    // One layer per spacing that it lies outside, as far as stencils reach.
    const double depth = grid_distance_of(foot.point, q) / spacing_;
    node.layer = std::min(static_cast<int>(depth + 1e-6), reach - 1);
    feet_.push_back(foot);
    found = static_cast<int>(nodes_.size());
    copies_.emplace(key(at), found);
    nodes_.push_back(node);
  }
  links_[(static_cast<std::uint64_t>(from) << 32) ^ key(at)] = found;
}

void FdmGrid::add_ghosts(std::span<const GridPlace> offsets) {
  if (box_) return;
  const std::size_t n = nodes_.size();
  double reach = 0;
  for (const GridPlace& o : offsets) {
    double length = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      length = std::hypot(length, o[k] * axes_[k].h);
    }
    reach = std::max(reach, length);
  }
  reach *= 1 + 1e-6;
  int widest = 1;
  for (const GridPlace& o : offsets) {
    for (const int k : o) widest = std::max(widest, std::abs(k));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (nodes_[i].role != FdmNode::Role::interior) continue;
    if (shape_->distance(point(nodes_[i].at).data()) > reach) continue;
    for (const GridPlace& o : offsets) {
      if (o == GridPlace{}) continue;
      GridPlace at = nodes_[i].at;
      for (std::size_t k = 0; k < 3; ++k) at[k] += o[k];
      link(static_cast<int>(i), at, widest);
    }
  }
}

std::vector<int> FdmGrid::nodes_at(const GridPlace& place) const {
  const GridPlace at = wrapped(place);
  std::vector<int> found;
  if (!inside(at)) return found;
  if (primary_[key(at)] >= 0) found.push_back(primary_[key(at)]);
  const auto [first, last] = copies_.equal_range(key(at));
  for (auto c = first; c != last; ++c) found.push_back(c->second);
  std::sort(found.begin(), found.end());
  return found;
}

int FdmGrid::seen(int from, const GridPlace& place) const {
  const GridPlace at = wrapped(place);
  if (!inside(at)) return -1;
  if (box_) return primary_[key(at)];
  const auto link = links_.find((static_cast<std::uint64_t>(from) << 32) ^ key(at));
  if (link != links_.end()) return link->second;
  return primary_[key(at)];
}

int FdmGrid::seen(const GridPoint& from, const GridPoint& normal, double clear,
                  const GridPlace& place) const {
  const GridPlace at = wrapped(place);
  if (!inside(at)) return -1;
  const int plain = primary_[key(at)];
  if (box_) return plain;
  const GridPoint q = point(at);
  GridPoint meeting = q;
  const double length = grid_distance_of(from, q);
  const bool blocked = clear < length && crosses(from, q, meeting);
  if (plain >= 0 && !blocked) return plain;
  GridPoint side = normal;
  if (grid_dot(normal, normal) == 0) side = side_at(meeting, from).normal;
  int best = -1;
  double closest = same_side;
  const auto [first, last] = copies_.equal_range(key(at));
  for (auto c = first; c != last; ++c) {
    const FdmFoot& foot = feet_[nodes_[static_cast<std::size_t>(c->second)].foot];
    const double cosine = grid_dot(foot.sides[0].normal, side);
    if (cosine < closest || (cosine == closest && best >= 0 && c->second > best)) continue;
    // Another wall may stand between: a slit that ends at this one.
    if (crosses(from, beside(foot.point, foot.sides[0].normal), meeting)) continue;
    closest = cosine;
    best = c->second;
  }
  return best;
}

}  // namespace cauchy::detail
