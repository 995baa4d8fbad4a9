#include <cauchy/geometry/isosurface.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/shapes/triangle_closest.hpp"

namespace cauchy {
namespace {

constexpr const char* isosurface_place = "[geometry.isosurface]";
constexpr double node_distance = 1e-3;  // of a crossing, as a share of its edge

// Corner c of a cell lies at the bits of c: 4 x + 2 y + z. An edge is 4 axis + k, k counting the
// places in the two other axes; a face lists its corners counter-clockwise seen from outside.
constexpr std::array<std::array<int, 4>, 6> cell_faces = {
    {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}}};

/// The edge between two corners that differ in one bit.
constexpr int edge_between(int a, int b) {
  const int bit = a ^ b, low = a & b;
  if (bit == 4) return low & 3;
  if (bit == 2) return 4 + ((low & 4) >> 1) + (low & 1);
  return 8 + (low >> 1);
}

/// Whether two edges of a cell are sides of one face.
bool share_face(int e, int f) {
  return std::ranges::any_of(cell_faces, [&](const auto& face) {
    int found = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int side = edge_between(face[i], face[(i + 1) % 4]);
      found += (side == e ? 1 : 0) + (side == f ? 1 : 0);
    }
    return found == 2;
  });
}

class Marcher final {
 public:
  Marcher(std::span<const double> values, const NodeGrid& grid, double level)
      : values_(values), grid_(grid), level_(level) {}

  TriangleMesh march() {
    mesh_.groups = {"surface"};
    // Cells reach one node beyond the grid, where all is outside.
    const auto n = grid_.n;
    for (at_[0] = 0; at_[0] <= n[0]; ++at_[0]) {
      for (at_[1] = 0; at_[1] <= n[1]; ++at_[1]) {
        for (at_[2] = 0; at_[2] <= n[2]; ++at_[2]) cell();
      }
      std::swap(behind_, ahead_);
      ahead_.clear();
    }
    mesh_.group.assign(mesh_.triangles.size(), 0);
    return std::move(mesh_);
  }

 private:
  /// Value minus level at a corner of the cell; beyond the grid the mirror image of its last node,
  /// so that the surface lies half a cell outside.
  [[nodiscard]] double corner(int c) const {
    std::size_t index = 0;
    bool beyond = false;
    for (std::size_t a = 0; a < 3; ++a) {
      // Nodes are counted from 1; 0 and n + 1 are beyond.
      std::size_t i = at_[a] + static_cast<std::size_t>((c >> (2 - a)) & 1);
      beyond = beyond || i == 0 || i > grid_.n[a];
      i = std::clamp<std::size_t>(i, 1, grid_.n[a]) - 1;
      index = index * grid_.n[a] + i;
    }
    const double v = values_[index] - level_;
    return beyond ? -std::abs(v) : v;
  }

  void cell() {
    int inside = 0;
    for (int c = 0; c < 8; ++c) {
      value_[static_cast<std::size_t>(c)] = corner(c);
      inside += value_[static_cast<std::size_t>(c)] > 0 ? 1 : 0;
    }
    if (inside == 0 || inside == 8) return;
    next_.fill(-1);
    for (const auto& face : cell_faces) join(face);
    for (int e = 0; e < 12; ++e) {
      ring_.clear();
      for (int f = e; next_[static_cast<std::size_t>(f)] >= 0;) {
        ring_.push_back(f);
        const int g = next_[static_cast<std::size_t>(f)];
        next_[static_cast<std::size_t>(f)] = -1;
        f = g;
      }
      if (!ring_.empty()) fill_ring();
    }
  }

  [[nodiscard]] double value(int c) const { return value_[static_cast<std::size_t>(c)]; }

  /// Lines on a face, from the side where the inside is entered to the one where it is left when
  /// the face is walked around counter-clockwise: seen from outside the cell it is on their right.
  void join(const std::array<int, 4>& face) {
    std::array<int, 2> left{}, entered{};  // sides i to i + 1
    std::size_t n = 0, m = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const bool here = value(face[i]) > 0, there = value(face[(i + 1) % 4]) > 0;
      if (here && !there) left[n++] = static_cast<int>(i);
      if (!here && there) entered[m++] = static_cast<int>(i);
    }
    const auto side = [&](int i) {
      const auto k = static_cast<std::size_t>(i);
      return edge_between(face[k], face[(k + 1) % 4]);
    };
    const auto line = [&](int from, int to) {
      next_[static_cast<std::size_t>(side(from))] = side(to);
    };
    if (n == 1) return line(entered[0], left[0]);
    if (n != 2) return;
    // Corners with value v, w inside and a, b outside: the saddle is inside when v w > a b.
    const std::size_t first = value(face[0]) > 0 ? 0 : 1;
    const bool joined = value(face[first]) * value(face[first + 2]) >
                        value(face[1 - first]) * value(face[3 - first]);
    // Corners inside that are apart are cut off each by its own two sides; joined ones leave the
    // corners outside to be cut off.
    for (const int from : entered) line(from, joined ? (from + 3) % 4 : (from + 1) % 4);
  }

  /// The number of the vertex on an edge of the cell.
  std::uint32_t vertex(int e) {
    const std::size_t axis = static_cast<std::size_t>(e) / 4;
    const int place = e % 4;  // its places in the two other axes
    const int low = axis == 0 ? place : axis == 1 ? ((place & 2) << 1) | (place & 1) : place << 1;
    const int high = low | (4 >> axis);
    std::array<std::size_t, 3> i{};
    for (std::size_t a = 0; a < 3; ++a) {
      i[a] = at_[a] + static_cast<std::size_t>((low >> (2 - a)) & 1);
    }
    // Edges in the layer of nodes ahead are met again by the next layer of cells.
    const bool is_ahead = axis != 0 && i[0] != at_[0];
    auto& known = is_ahead ? ahead_ : behind_;
    const std::size_t key = (i[1] * (grid_.n[2] + 2) + i[2]) * 3 + axis;
    const auto [it, is_new] = known.try_emplace(key, std::uint32_t{0});
    if (!is_new) return it->second;
    it->second = static_cast<std::uint32_t>(mesh_.vertices.size());
    const double a = value(low), b = value(high);
    const double t = std::clamp(a / (a - b), node_distance, 1 - node_distance);
    Point3 x{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double steps = static_cast<double>(i[k]) - 1 + (k == axis ? t : 0);
      x[k] = grid_.lower[k] + grid_.spacing[k] * steps;
    }
    mesh_.vertices.push_back(x);
    return it->second;
  }

  void fill_ring() {
    const std::size_t n = ring_.size();
    std::array<std::uint32_t, 12> v{};
    for (std::size_t i = 0; i < n; ++i) v[i] = vertex(ring_[i]);
    if (n == 3) {
      mesh_.triangles.push_back({v[0], v[1], v[2]});
      return;
    }
    // A diagonal within a face could be one of the neighbour's too.
    for (std::size_t i = 0; n == 4 && i < 2; ++i) {
      if (share_face(ring_[i], ring_[i + 2])) continue;
      mesh_.triangles.push_back({v[i], v[i + 1], v[i + 2]});
      mesh_.triangles.push_back({v[i + 2], v[(i + 3) % 4], v[i]});
      return;
    }
    Point3 middle{};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        middle[k] += mesh_.vertices[v[i]][k] / static_cast<double>(n);
      }
    }
    const auto centre = static_cast<std::uint32_t>(mesh_.vertices.size());
    mesh_.vertices.push_back(middle);
    for (std::size_t i = 0; i < n; ++i) {
      mesh_.triangles.push_back({centre, v[i], v[(i + 1) % n]});
    }
  }

  std::span<const double> values_;
  NodeGrid grid_;
  double level_;
  TriangleMesh mesh_;
  std::array<std::size_t, 3> at_{};  // the lowest node of the cell, counted from 1
  std::array<double, 8> value_{};
  std::array<int, 12> next_{};  // edge behind an edge on its ring
  std::vector<int> ring_;
  // Vertices on edges that begin in this layer of nodes, and on those within the next one.
  std::unordered_map<std::size_t, std::uint32_t> behind_, ahead_;
};

}  // namespace

TriangleMesh isosurface(std::span<const double> values, const NodeGrid& grid, double level) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.n[a] < 2 || !(grid.spacing[a] > 0)) {
      throw Error("a grid has two nodes along each axis and positive distances", isosurface_place);
    }
  }
  if (values.size() != grid.size()) {
    throw Error(fmt::format("{} values for {} x {} x {} nodes", values.size(), grid.n[0], grid.n[1],
                            grid.n[2]),
                isosurface_place);
  }
  const auto bad = std::ranges::find_if(values, [](double v) { return !std::isfinite(v); });
  if (bad != values.end()) {
    throw Error(fmt::format("the value {} at node {} is not finite", *bad, bad - values.begin()),
                isosurface_place);
  }
  return Marcher(values, grid, level).march();
}

double surface_area(const TriangleMesh& mesh) {
  using namespace detail::triangles;
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3& o = mesh.vertices[a];
    sum += norm(cross(mesh.vertices[b] - o, mesh.vertices[c] - o)) / 2;
  }
  return sum;
}

double enclosed_volume(const TriangleMesh& mesh) {
  using namespace detail::triangles;
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3& o = mesh.vertices[0];  // near the surface: less is lost to rounding
    sum += dot(mesh.vertices[a] - o, cross(mesh.vertices[b] - o, mesh.vertices[c] - o)) / 6;
  }
  return sum;
}

}  // namespace cauchy
