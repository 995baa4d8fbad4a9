// What PlaneMesher hands out: nodes, doubled along slits, cells with their parts, facets.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "geometry/meshes/mesh_level.hpp"
#include "geometry/meshes/plane_mesher.hpp"

namespace cauchy::detail {
namespace {

class CurveSurface final : public MeshSurface {
 public:
  explicit CurveSurface(const Curve& curve) : curve_(curve) {}
  void project(const double* x, double* foot, double* normal) const override {
    const Curve::Foot f = curve_.nearest({x[0], x[1]});
    const Vec n = curve_.normal(f.t);
    foot[0] = f.point.x;
    foot[1] = f.point.y;
    normal[0] = n.x;
    normal[1] = n.y;
  }

 private:
  Curve curve_;
};

/// Surfaces of the walls; those of one level are one.
std::vector<int> wall_surfaces(const PlaneWalls& walls, Mesh& mesh) {
  std::vector<int> surface;
  std::map<const MeshSurface*, int> known;
  for (const PlaneWall& w : walls.walls) {
    const int next = static_cast<int>(mesh.surfaces.size());
    if (w.surface) {
      const auto [entry, is_new] = known.try_emplace(w.surface.get(), next);
      if (is_new) mesh.surfaces.push_back(w.surface);
      surface.push_back(entry->second);
    } else if (w.curve.arc) {
      mesh.surfaces.push_back(std::make_shared<CurveSurface>(w.curve));
      surface.push_back(next);
    } else {
      surface.push_back(-1);
    }
  }
  return surface;
}

}  // namespace

std::vector<std::array<int, 3>> PlaneMesher::number_nodes(Mesh& mesh) const {
  const auto& cells = tri_.cells();
  // Nodes of the corners of cells: a vertex has one node per group of its cells that hang together
  // across edges that are neither slits nor the boundary.
  std::vector<std::array<int, 3>> nodes(cells.size(), {-1, -1, -1});
  struct Place {
    std::uint64_t code;
    int vertex, copy;
  };
  std::vector<Place> places;
  const PlaneBox box = walls_.box();
  const double unit = 65535 / std::max(box.upper.x - box.lower.x, box.upper.y - box.lower.y);
  const auto spread = [](std::uint64_t x) {
    x &= 0xffff;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
  };
  const auto splits = [&](int c, std::size_t k) {
    const int wall = cells[at(c)].wall[k];
    return wall != PlaneTriangulation::none && wall_of(wall).is_slit();
  };
  for (int v = 3; v < static_cast<int>(tri_.points().size()); ++v) {
    std::vector<std::pair<int, std::size_t>> around;  // cell and place of v in it
    std::vector<bool> breaks;                         // before each of them
    const int first = tri_.cell_of(v);
    int c = first;
    do {
      const auto& cell = cells[at(c)];
      const std::size_t i = cell.v[0] == v ? 0 : cell.v[1] == v ? 1 : 2;
      around.emplace_back(c, i);
      breaks.push_back(splits(c, (i + 2) % 3));
      c = cell.next[(i + 1) % 3];
    } while (c != first && c != PlaneTriangulation::none);
    std::size_t start = 0;
    for (std::size_t k = 0; k < around.size(); ++k) {
      if (breaks[k] || cells[at(around[k].first)].label < 0) start = k;
    }
    int copy = -1;
    bool open = false;
    for (std::size_t n = 0; n < around.size(); ++n) {
      const std::size_t k = (start + n) % around.size();
      const auto& [cell, i] = around[k];
      if (cells[at(cell)].label < 0) {
        open = false;
        continue;
      }
      if (!open || breaks[k]) {
        ++copy;
        const Vec p = tri_.point(v);
        places.push_back({spread(static_cast<std::uint64_t>((p.x - box.lower.x) * unit)) |
                              spread(static_cast<std::uint64_t>((p.y - box.lower.y) * unit)) << 1,
                          v, copy});
      }
      open = true;
      nodes[at(cell)][i] = static_cast<int>(places.size()) - 1;
    }
  }
  // Near nodes get near numbers.
  std::vector<int> order(places.size()), number(places.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::ranges::sort(order, [&](int a, int b) {
    const Place &x = places[at(a)], &y = places[at(b)];
    return std::tie(x.code, x.vertex, x.copy) < std::tie(y.code, y.vertex, y.copy);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    number[at(order[i])] = static_cast<int>(i);
    const Vec p = tri_.point(places[at(order[i])].vertex);
    mesh.nodes.insert(mesh.nodes.end(), {p.x, p.y});
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (!cells[c].alive || cells[c].label < 0) continue;
    for (int& k : nodes[c]) k = number[at(k)];
  }
  return nodes;
}

std::vector<int> PlaneMesher::cell_parts(Mesh& mesh) const {
  const auto& cells = tri_.cells();
  const auto is_inside = [&](std::size_t c) { return cells[c].alive && cells[c].label >= 0; };
  PartTable table(options_);
  std::vector<int> part(cells.size(), -1);
  const std::size_t n_levels = options_.interfaces.size();
  std::vector<int> group;
  for (std::size_t first = 0; first < cells.size(); ++first) {
    if (!is_inside(first) || part[first] >= 0) continue;
    // Cells that hang together without a wall between them lie on one side of every level.
    group.assign(1, static_cast<int>(first));
    part[first] = 0;
    for (std::size_t n = 0; n < group.size(); ++n) {
      const auto& cell = cells[at(group[n])];
      for (std::size_t k = 0; k < 3; ++k) {
        const int to = cell.next[k];
        if (to == PlaneTriangulation::none || cell.wall[k] != PlaneTriangulation::none) continue;
        if (!is_inside(at(to)) || part[at(to)] >= 0) continue;
        part[at(to)] = 0;
        group.push_back(to);
      }
    }
    // The sign is taken where it is clearest.
    std::vector<char> positive(n_levels, 0);
    for (std::size_t l = 0; l < n_levels; ++l) {
      double clearest = 0;
      for (const int c : group) {
        const auto& v = cells[at(c)].v;
        const Vec p = (1.0 / 3) * (tri_.point(v[0]) + tri_.point(v[1]) + tri_.point(v[2]));
        const double value = options_.interfaces[l].level(&p.x);
        if (std::abs(value) > std::abs(clearest)) clearest = value;
      }
      positive[l] = clearest > 0 ? 1 : 0;
    }
    const int number = table.number(cells[first].label, positive);
    for (const int c : group) part[at(c)] = number;
  }
  mesh.parts = table.names();
  return part;
}

Mesh PlaneMesher::mesh() const {
  Mesh mesh;
  mesh.dimension = 2;
  for (const Piece& p : shape_.pieces()) mesh.pieces.push_back(p.name);
  const auto& cells = tri_.cells();
  const std::vector<std::array<int, 3>> nodes = number_nodes(mesh);
  const std::vector<int> part = cell_parts(mesh);
  const std::vector<int> surface = wall_surfaces(walls_, mesh);
  std::vector<int> kept;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (part[c] >= 0) kept.push_back(static_cast<int>(c));
  }
  std::ranges::sort(kept, [&](int a, int b) {
    auto x = nodes[at(a)], y = nodes[at(b)];
    std::ranges::sort(x);
    std::ranges::sort(y);
    return x < y;
  });
  for (const int c : kept) {
    const auto& cell = cells[at(c)];
    for (const int k : nodes[at(c)]) mesh.cells.push_back(static_cast<Mesh::Index>(k));
    mesh.cell_part.push_back(part[at(c)]);
    for (std::size_t k = 0; k < 3; ++k) {
      if (cell.wall[k] == PlaneTriangulation::none) continue;
      const Segment& s = segments_[at(cell.wall[k])];
      const PlaneWall& wall = wall_of(cell.wall[k]);
      const bool on_left = s.a == cell.v[(k + 1) % 3];
      const int piece = on_left ? wall.left_piece : wall.right_piece;
      const auto a = static_cast<Mesh::Index>(nodes[at(c)][(k + 1) % 3]);
      const auto b = static_cast<Mesh::Index>(nodes[at(c)][(k + 2) % 3]);
      if (piece >= 0) {
        mesh.facets.insert(mesh.facets.end(), {a, b});
        mesh.facet_piece.push_back(piece);
        mesh.facet_surface.push_back(surface[at(s.wall)]);
      } else if (part[at(c)] < part[at(cell.next[k])]) {
        mesh.interfaces.insert(mesh.interfaces.end(), {a, b});
        mesh.interface_surface.push_back(surface[at(s.wall)]);
      }
    }
  }
  return mesh;
}

}  // namespace cauchy::detail
