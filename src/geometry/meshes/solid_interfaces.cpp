#include "geometry/meshes/solid_interfaces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/meshes/mesh_level.hpp"
#include "geometry/meshes/mesh_sides.hpp"

namespace cauchy::detail {
namespace {

using Place3 = std::array<double, 3>;
using Cell4 = std::array<Mesh::Index, 4>;

class SolidCutter {
 public:
  SolidCutter(const Shape& shape, const MeshOptions& options, Mesh& mesh)
      : shape_(shape), options_(options), mesh_(mesh) {
    for (std::size_t k = 0; k < 3; ++k) {
      scale_ = std::max(scale_, shape.bounds().upper[k] - shape.bounds().lower[k]);
    }
    // A part ends where its distance is 0.
    for (const MeshPart& p : options.parts) {
      const ShapePtr part = p.shape;
      add_level({p.name, [part](const double* x) { return part->distance(x); }});
    }
    for (const MeshInterface& i : options.interfaces) add_level(i);
    points_.resize(mesh.n_nodes());
    for (std::size_t v = 0; v < points_.size(); ++v)
      std::copy_n(mesh.node(v), 3, points_[v].begin());
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      const auto v = mesh.cell(c);
      cells_.push_back({v[0], v[1], v[2], v[3]});
    }
    sides_.resize(cells_.size());
    pieces_.resize(points_.size());
    on_.resize(points_.size());
    for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
      const auto v = mesh.facet(f);
      facets_.push_back({{v[0], v[1], v[2]}, f});
      for (const Mesh::Index i : v) add_once(pieces_[i], mesh.facet_piece[f]);
    }
  }

  void run() {
    for (std::size_t l = 0; l < surfaces_.size(); ++l) {
      find_values(l);
      move_nodes(l);
      cut(l);
    }
    finish();
  }

 private:
  struct Facet {
    std::array<Mesh::Index, 3> nodes;
    std::size_t old;
  };
  static void add_once(std::vector<int>& list, int value) {
    if (std::ranges::find(list, value) == list.end()) list.push_back(value);
  }
  static std::uint64_t key(Mesh::Index a, Mesh::Index b) {
    const auto [low, high] = std::minmax(a, b);
    return static_cast<std::uint64_t>(low) << 32 | high;
  }
  void add_level(const MeshInterface& i) {
    surfaces_.push_back(std::make_shared<LevelSurface>(i, 3, scale_));
    names_.push_back(i.name);
  }

  void find_values(std::size_t l) {
    const LevelSurface& surface = *surfaces_[l];
    phi_.resize(points_.size());
    for (std::size_t v = 0; v < points_.size(); ++v) {
      phi_[v] = surface.value(points_[v].data());
      if (std::isnan(phi_[v])) {
        throw Error(fmt::format("the level of the interface \"{}\" is not a number at {}",
                                names_[l], place_text(3, points_[v].data())),
                    "[geometry.mesh]", "use a function that is known in the whole region");
      }
      if (surface.distance(points_[v].data()) < 1e-9 * scale_) set_on(v, l);
    }
    around_.assign(points_.size(), {});
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      for (const Mesh::Index v : cells_[c]) around_[v].push_back(c);
    }
  }
  void set_on(std::size_t v, std::size_t l) {
    phi_[v] = 0;
    add_once(on_[v], static_cast<int>(l));
  }

  [[nodiscard]] double quality(const Cell4& t) const {
    const double* corners[4];
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) corners[k] = points_[t[k]].data();
    for (const auto& [i, j] : MeshEdges::edge_ends) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double w = corners[i][k] - corners[j][k];
        sum += w * w / 6;
      }
    }
    return 8.48528137423857 * simplex_measure(3, 4, corners) / (sum * std::sqrt(sum));
  }
  [[nodiscard]] double worst_around(std::size_t v) const {
    double q = INFINITY;
    for (const std::size_t c : around_[v]) q = std::min(q, quality(cells_[c]));
    return q;
  }

  /// Onto the level, the boundary if the place belongs to it, and earlier levels: in turn. False
  /// when that does not settle near x.
  bool settle(std::size_t l, const std::vector<int>& pieces, const std::vector<int>& on,
              double room, Place3& x) const {
    const Place3 start = x;
    double foot[3], normal[3];
    for (int round = 0; round < 60; ++round) {
      double gap = 0;
      const auto take = [&] {
        for (std::size_t k = 0; k < 3; ++k) {
          gap = std::max(gap, std::abs(foot[k] - x[k]));
          x[k] = foot[k];
        }
      };
      surfaces_[l]->project(x.data(), foot, normal);
      take();
      for (const int other : on) {
        surfaces_[static_cast<std::size_t>(other)]->project(x.data(), foot, normal);
        take();
      }
      if (!pieces.empty()) {
        (void)shape_.nearest(x.data(), foot, normal);
        take();
      }
      double way = 0;
      for (std::size_t k = 0; k < 3; ++k) way = std::max(way, std::abs(x[k] - start[k]));
      if (!(way < room)) return false;
      if (gap < 1e-13 * scale_) break;
    }
    return surfaces_[l]->distance(x.data()) < 1e-9 * scale_;
  }

  [[nodiscard]] std::vector<int> common(const std::vector<int>& a,
                                        const std::vector<int>& b) const {
    std::vector<int> both;
    for (const int v : a) {
      if (std::ranges::find(b, v) != b.end()) both.push_back(v);
    }
    return both;
  }

  /// Nodes that the surface passes closely by.
  void move_nodes(std::size_t l) {
    struct Move {
      double way;
      std::size_t v;
    };
    std::vector<Move> moves;
    for (std::size_t v = 0; v < points_.size(); ++v) {
      if (phi_[v] == 0 || pieces_[v].size() > 1 || !on_[v].empty()) continue;
      double shortest = INFINITY;
      bool crossed = false;
      for (const std::size_t c : around_[v]) {
        for (const Mesh::Index u : cells_[c]) {
          if (u == v) continue;
          const double length =
              std::hypot(points_[u][0] - points_[v][0], points_[u][1] - points_[v][1],
                         points_[u][2] - points_[v][2]);
          shortest = std::min(shortest, length);
          crossed = crossed || phi_[u] * phi_[v] < 0;
        }
      }
      const double way = surfaces_[l]->distance(points_[v].data());
      if (crossed && way < 0.35 * shortest) moves.push_back({way, v});
    }
    std::ranges::sort(moves, [](const Move& a, const Move& b) {
      return std::tie(a.way, a.v) < std::tie(b.way, b.v);
    });
    for (const Move& m : moves) {
      Place3 x = points_[m.v];
      if (!settle(l, pieces_[m.v], {}, 3 * m.way + 1e-12 * scale_, x)) continue;
      if (!pieces_[m.v].empty()) {
        double foot[3], normal[3];
        const Nearest near = shape_.nearest(x.data(), foot, normal);
        if (static_cast<int>(near.piece) != pieces_[m.v][0]) continue;
      }
      const Place3 old = points_[m.v];
      const double before = worst_around(m.v);
      points_[m.v] = x;
      if (worst_around(m.v) > std::min(0.25, 0.6 * before)) {
        set_on(m.v, l);
      } else {
        points_[m.v] = old;
      }
    }
  }

  /// The node where the edge from a to b meets the surface.
  Mesh::Index cut_node(std::size_t l, Mesh::Index a, Mesh::Index b) {
    const auto [entry, is_new] =
        cut_nodes_.try_emplace(key(a, b), static_cast<Mesh::Index>(points_.size()));
    if (!is_new) return entry->second;
    const auto [low, high] = std::minmax(a, b);
    const Place3 p = points_[low], q = points_[high];
    const double t = surfaces_[l]->crossing(p.data(), q.data());
    Place3 x;
    double length = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = p[k] + t * (q[k] - p[k]);
      length = std::max(length, std::abs(q[k] - p[k]));
    }
    // An edge of the boundary is one of its facets; so is one of an earlier surface.
    std::vector<int> pieces, on = common(on_[a], on_[b]);
    if (boundary_edges_.contains(key(a, b))) pieces = common(pieces_[a], pieces_[b]);
    Place3 exact = x;
    if ((!pieces.empty() || !on.empty()) &&
        settle(l, pieces, on, 0.2 * length * std::min(t, 1 - t), exact)) {
      x = exact;
    }
    points_.push_back(x);
    phi_.push_back(0);
    pieces_.push_back(pieces);
    on.push_back(static_cast<int>(l));
    on_.push_back(on);
    return entry->second;
  }

  void cut(std::size_t l) {
    cut_nodes_.clear();
    boundary_edges_.clear();
    for (const Facet& f : facets_) {
      for (std::size_t k = 0; k < 3; ++k) {
        boundary_edges_[key(f.nodes[k], f.nodes[(k + 1) % 3])] = 1;
      }
    }
    std::vector<Cell4> cells;
    std::vector<std::vector<char>> sides;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const auto add = [&](bool positive, std::array<Mesh::Index, 4> v) {
        const double* corners[4];
        for (std::size_t k = 0; k < 4; ++k) corners[k] = points_[v[k]].data();
        const double volume = simplex_measure(3, 4, corners);
        if (volume < 0) std::swap(v[2], v[3]);
        cells.push_back(v);
        sides.push_back(sides_[c]);
        sides.back().push_back(positive ? 1 : 0);
      };
      std::vector<Mesh::Index> plus, zero, minus;
      for (const Mesh::Index v : cells_[c]) {
        (phi_[v] > 0 ? plus : phi_[v] < 0 ? minus : zero).push_back(v);
      }
      if (plus.empty() || minus.empty()) {
        bool positive = !plus.empty();
        if (plus.empty() && minus.empty()) {
          Place3 middle{};
          for (const Mesh::Index v : cells_[c]) {
            for (std::size_t k = 0; k < 3; ++k) middle[k] += points_[v][k] / 4;
          }
          positive = surfaces_[l]->value(middle.data()) > 0;
        }
        add(positive, cells_[c]);
        continue;
      }
      // Diagonals of cut sides begin at their lower vertex: both cells of a side agree.
      std::ranges::sort(plus);
      std::ranges::sort(minus);
      const bool swap = minus.size() < plus.size();  // the side with fewer vertices is a
      const std::vector<Mesh::Index>&a = swap ? minus : plus, &b = swap ? plus : minus;
      const auto at = [&](std::size_t i, std::size_t j) { return cut_node(l, a[i], b[j]); };
      if (a.size() == 1 && b.size() == 1) {
        const Mesh::Index m = at(0, 0);
        add(!swap, {a[0], m, zero[0], zero[1]});
        add(swap, {b[0], m, zero[0], zero[1]});
      } else if (a.size() == 1 && b.size() == 2) {
        const Mesh::Index c0 = at(0, 0), c1 = at(0, 1), z = zero[0];
        add(!swap, {a[0], c0, c1, z});
        add(swap, {z, b[0], b[1], c1});
        add(swap, {z, b[0], c0, c1});
      } else if (a.size() == 1) {
        const Mesh::Index c0 = at(0, 0), c1 = at(0, 1), c2 = at(0, 2);
        add(!swap, {a[0], c0, c1, c2});
        add(swap, {b[0], b[1], b[2], c2});
        add(swap, {b[0], b[1], c1, c2});
        add(swap, {b[0], c0, c1, c2});
      } else {
        const Mesh::Index c00 = at(0, 0), c01 = at(0, 1), c10 = at(1, 0), c11 = at(1, 1);
        add(!swap, {a[0], a[1], c10, c11});
        add(swap, {b[0], b[1], c01, c11});
        // The side on the surface is cut along its shorter diagonal.
        const auto far = [&](Mesh::Index u, Mesh::Index v) {
          return std::hypot(points_[u][0] - points_[v][0], points_[u][1] - points_[v][1],
                            points_[u][2] - points_[v][2]);
        };
        const bool first = far(c00, c11) < far(c01, c10);
        for (const bool of_a : {true, false}) {
          const Mesh::Index apex = of_a ? a[0] : b[0];
          const bool positive = of_a ? !swap : swap;
          add(positive, {apex, c00, first ? c11 : c10, c01});
          add(positive, {apex, first ? c00 : c01, c10, c11});
        }
      }
    }
    std::vector<Facet> facets;
    for (const Facet& f : facets_) {
      std::vector<Mesh::Index> plus, zero, minus;
      for (const Mesh::Index v : f.nodes) {
        (phi_[v] > 0 ? plus : phi_[v] < 0 ? minus : zero).push_back(v);
      }
      if (plus.empty() || minus.empty()) {
        facets.push_back(f);
        continue;
      }
      std::ranges::sort(plus);
      std::ranges::sort(minus);
      const std::vector<Mesh::Index>&a = plus.size() == 1 ? plus : minus,
            &b = plus.size() == 1 ? minus : plus;
      const Mesh::Index c0 = cut_node(l, a[0], b[0]);
      if (b.size() == 1) {
        facets.push_back({{a[0], c0, zero[0]}, f.old});
        facets.push_back({{b[0], c0, zero[0]}, f.old});
      } else {
        const Mesh::Index c1 = cut_node(l, a[0], b[1]);
        facets.push_back({{a[0], c0, c1}, f.old});
        facets.push_back({{b[0], b[1], c1}, f.old});
        facets.push_back({{b[0], c0, c1}, f.old});
      }
    }
    cells_ = std::move(cells);
    sides_ = std::move(sides);
    facets_ = std::move(facets);
  }

  /// Nodes that are free move to where the worst of their cells is better.
  void smooth(int rounds) {
    around_.assign(points_.size(), {});
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      for (const Mesh::Index v : cells_[c]) around_[v].push_back(c);
    }
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t v = 0; v < points_.size(); ++v) {
        if (!pieces_[v].empty() || !on_[v].empty()) continue;
        double best = worst_around(v);
        if (best > 0.6) continue;
        Place3 mean{};
        for (const std::size_t c : around_[v]) {
          for (const Mesh::Index u : cells_[c]) {
            if (u == v) continue;
            for (std::size_t k = 0; k < 3; ++k) {
              mean[k] += points_[u][k] / (3.0 * static_cast<double>(around_[v].size()));
            }
          }
        }
        const Place3 old = points_[v];
        Place3 to = old;
        for (const double part : {1.0, 0.5, 0.2, -0.2}) {
          for (std::size_t k = 0; k < 3; ++k) points_[v][k] = old[k] + part * (mean[k] - old[k]);
          const double q = worst_around(v);
          if (q > best * (1 + 1e-9)) {
            best = q;
            to = points_[v];
          }
        }
        points_[v] = to;
      }
    }
  }

  void finish() {
    smooth(4);
    const std::vector<int> old_piece = mesh_.facet_piece, old_surface = mesh_.facet_surface;
    mesh_.nodes.clear();
    mesh_.cells.clear();
    mesh_.facets.clear();
    mesh_.facet_piece.clear();
    mesh_.facet_surface.clear();
    mesh_.cell_part.clear();
    for (const Place3& p : points_) mesh_.nodes.insert(mesh_.nodes.end(), p.begin(), p.end());
    PartTable table(options_);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      mesh_.cells.insert(mesh_.cells.end(), cells_[c].begin(), cells_[c].end());
      const auto n = static_cast<std::ptrdiff_t>(options_.parts.size());
      const auto first = std::find(sides_[c].begin(), sides_[c].begin() + n, 1);
      const auto base = first == sides_[c].begin() + n ? 0 : first - sides_[c].begin() + 1;
      mesh_.cell_part.push_back(table.number(
          static_cast<int>(base), std::vector<char>(sides_[c].begin() + n, sides_[c].end())));
    }
    mesh_.parts = table.names();
    for (const Facet& f : facets_) {
      mesh_.facets.insert(mesh_.facets.end(), f.nodes.begin(), f.nodes.end());
      mesh_.facet_piece.push_back(old_piece[f.old]);
      if (!old_surface.empty()) mesh_.facet_surface.push_back(old_surface[f.old]);
    }
    find_facets(mesh_);
    const int first = static_cast<int>(mesh_.surfaces.size());
    for (const auto& s : surfaces_) mesh_.surfaces.push_back(s);
    mesh_.interface_surface.clear();
    for (std::size_t f = 0; f < mesh_.n_interfaces(); ++f) {
      const Mesh::Index* v = &mesh_.interfaces[3 * f];
      const std::vector<int> all = common(common(on_[v[0]], on_[v[1]]), on_[v[2]]);
      mesh_.interface_surface.push_back(all.empty() ? -1 : first + all[0]);
    }
  }

  const Shape& shape_;
  const MeshOptions& options_;
  Mesh& mesh_;
  double scale_ = 0;
  std::vector<std::shared_ptr<const LevelSurface>> surfaces_;
  std::vector<std::string> names_;
  std::vector<Place3> points_;
  std::vector<double> phi_;
  std::vector<Cell4> cells_;
  std::vector<std::vector<char>> sides_;          // per cell: 1 on the positive side of a level
  std::vector<std::vector<int>> pieces_, on_;     // per node: of the boundary, levels
  std::vector<std::vector<std::size_t>> around_;  // cells of a node
  std::vector<Facet> facets_;
  std::unordered_map<std::uint64_t, Mesh::Index> cut_nodes_;
  std::unordered_map<std::uint64_t, char> boundary_edges_;
};

}  // namespace

void cut_solid(const Shape& shape, const MeshOptions& options, Mesh& mesh) {
  SolidCutter(shape, options, mesh).run();
}

}  // namespace cauchy::detail
