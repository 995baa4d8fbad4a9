// The surface that SolidMesher made, and the corners and edges that it puts in.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "geometry/meshes/solid_mesher.hpp"

namespace cauchy::detail {

void SolidMesher::find_surface() {
  rebuild_facets();
  pieces_.assign(points_.size(), {});
  for (const auto& f : facets_) {
    for (const int v : f) {
      if (!pieces_[at(v)].empty()) continue;
      double foot[3], normal[3];
      pieces_[at(v)] = {
          static_cast<int>(shape_->nearest(points_[at(v)].data(), foot, normal).piece)};
    }
  }
}

bool SolidMesher::meeting(std::span<const int> from, Point& x, std::vector<int>& found) const {
  const Point start = x;
  double reach = 0.7, room = 0;
  for (const int v : from) room = std::max(room, gap_between(start, points_[at(v)]));
  found.resize(from.size());
  for (int round = 0; round < 16; ++round, reach *= 0.35) {
    double n[3][3], r[3] = {};
    for (std::size_t i = 0; i < from.size(); ++i) {
      double foot[3];
      const Point probe = along(x, points_[at(from[i])], reach);
      found[i] = static_cast<int>(shape_->nearest(probe.data(), foot, n[i]).piece);
      for (std::size_t k = 0; k < 3; ++k) r[i] += n[i][k] * (foot[k] - x[k]);
    }
    // The smallest step with n_i . step = r_i: step = sum c_i n_i.
    const std::size_t m = from.size();
    double g[3][4] = {};
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t k = 0; k < 3; ++k) g[i][j] += n[i][k] * n[j][k];
      }
      g[i][3] = r[i];
    }
    for (std::size_t i = 0; i < m; ++i) {  // positive definite: no pivoting
      if (!(g[i][i] > 0.02)) return false;
      for (std::size_t j = 0; j < m; ++j) {
        if (j == i) continue;
        const double c = g[j][i] / g[i][i];
        for (std::size_t k = i; k < 4; ++k) g[j][k] -= c * g[i][k];
      }
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < 3; ++k) x[k] += g[i][3] / g[i][i] * n[i][k];
    }
    if (!(gap_between(x, start) < 4 * room)) return false;
  }
  std::ranges::sort(found);
  return std::ranges::adjacent_find(found) == found.end() &&
         std::abs(shape_->distance(x.data())) < 1e-8 * scale_;
}

bool SolidMesher::snap(int v, const Point& to, double least) {
  const Point old = points_[at(v)];
  points_[at(v)] = to;
  if (star_quality(v) > least) return true;
  points_[at(v)] = old;
  return false;
}

void SolidMesher::put_corners() {
  for (const auto& f : facets_) {
    const int a = pieces_[at(f[0])][0], b = pieces_[at(f[1])][0], c = pieces_[at(f[2])][0];
    if (a == b || b == c || a == c) continue;
    if (pieces_[at(f[0])].size() + pieces_[at(f[1])].size() + pieces_[at(f[2])].size() > 3) {
      continue;
    }
    Point x = along(along(points_[at(f[0])], points_[at(f[1])], 0.5), points_[at(f[2])], 1.0 / 3);
    std::vector<int> found;
    if (!meeting(f, x, found)) continue;
    std::array<int, 3> order = f;
    std::ranges::sort(order, {}, [&](int v) { return gap_between(points_[at(v)], x); });
    for (const int v : order) {
      if (!snap(v, x, 0.05)) continue;
      pieces_[at(v)] = found;
      break;
    }
  }
}

bool SolidMesher::share_piece(int u, int v) const {
  for (const int p : pieces_[at(u)]) {
    if (std::ranges::find(pieces_[at(v)], p) != pieces_[at(v)].end()) return true;
  }
  return false;
}

void SolidMesher::put_edges() {
  struct Crossing {
    double part;
    int near, far;
    Point x;
    std::vector<int> pieces;
  };
  // Moves come before cuts, and what leaves good cells before the rest.
  struct Round {
    double snap, split;
  };
  for (const Round& round : {Round{0.25, 1}, Round{0.15, 0.2}, Round{0.1, 0.1}, Round{0.05, 0.05},
                             Round{0.03, 0.03}, Round{0.02, 0.02}, Round{0.01, 0.01},
                             Round{0.002, 0.002}, Round{0.002, 0.002}, Round{0.002, 0.002}}) {
    std::vector<Crossing> all;
    std::unordered_map<std::uint64_t, char> seen;
    for (const auto& f : facets_) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [u, v] = std::minmax(f[k], f[(k + 1) % 3]);
        if (share_piece(u, v) || !seen.try_emplace(key(u, v), 1).second) continue;
        Point x = along(points_[at(u)], points_[at(v)], 0.5);
        const int ends[2] = {u, v};
        std::vector<int> found;
        if (!meeting(ends, x, found)) continue;
        const double du = gap_between(x, points_[at(u)]), dv = gap_between(x, points_[at(v)]);
        const double part = std::min(du, dv) / gap_between(points_[at(u)], points_[at(v)]);
        all.push_back({part, du <= dv ? u : v, du <= dv ? v : u, x, found});
      }
    }
    if (all.empty()) return;
    std::ranges::sort(all, [](const Crossing& a, const Crossing& b) {
      return std::tie(a.part, a.near, a.far) < std::tie(b.part, b.near, b.far);
    });
    std::vector<Crossing> left;
    // Two vertices on one place of an edge would close the surface on itself.
    const auto is_taken = [&](int v, const Point& x) {
      for (const int f : vertex_facets_[at(v)]) {
        for (const int u : facets_[at(f)]) {
          for (const int g : vertex_facets_[at(u)]) {
            for (const int w : facets_[at(g)]) {
              if (w != v && pieces_[at(w)].size() > 1 &&
                  gap_between(points_[at(w)], x) < 0.2 * options_.size) {
                return true;
              }
            }
          }
        }
      }
      return false;
    };
    const auto try_snap = [&](int v, const Crossing& c) {
      // A vertex that stands on an edge already does not leave it.
      const bool stays = gap_between(points_[at(v)], c.x) < 1e-6 * step_[0];
      if (pieces_[at(v)].size() > 1 && !stays) return false;
      const Point old = points_[at(v)];
      if (!stays && is_taken(v, c.x)) return false;
      if (!snap(v, c.x, stays ? 0 : round.snap)) return false;
      auto& p = pieces_[at(v)];
      const std::vector<int> before = p;
      p.insert(p.end(), c.pieces.begin(), c.pieces.end());
      std::ranges::sort(p);
      p.erase(std::unique(p.begin(), p.end()), p.end());
      if (stays || fits(v)) return true;
      p = before;
      points_[at(v)] = old;
      return false;
    };
    for (const Crossing& c : all) {
      if (share_piece(c.near, c.far)) continue;  // an earlier one has settled it
      if (!try_snap(c.near, c) && !try_snap(c.far, c)) left.push_back(c);
    }
    bool any = false;
    for (const Crossing& c : left) {
      if (share_piece(c.near, c.far)) continue;
      any = split_edge(c.near, c.far, c.x, c.pieces, round.split) || any;
    }
    if (any) rebuild_facets();
    smooth(2);
  }
}

bool SolidMesher::split_edge(int a, int b, const Point& x, const std::vector<int>& pieces,
                             double least) {
  std::vector<int> ring;
  for (const int t : around_[at(a)]) {
    if (std::ranges::find(tets_[at(t)], b) != tets_[at(t)].end()) ring.push_back(t);
  }
  if (ring.empty()) return false;
  const int v = static_cast<int>(points_.size());
  points_.push_back(x);
  // The cells must stay the right way round; else the surface stays as it is there.
  for (const int t : ring) {
    for (const int gone : {a, b}) {
      Tet half = tets_[at(t)];
      *std::ranges::find(half, gone) = v;
      if (quality(half) > least) continue;
      points_.pop_back();
      return false;
    }
  }
  around_.emplace_back();
  pieces_.push_back(pieces);
  for (const int t : ring) {
    Tet half = tets_[at(t)];
    *std::ranges::find(half, a) = v;
    *std::ranges::find(tets_[at(t)], b) = v;
    const int fresh = static_cast<int>(tets_.size());
    tets_.push_back(half);
    std::erase(around_[at(b)], t);
    for (const int u : half) {
      if (u != v) around_[at(u)].push_back(fresh);
    }
    around_[at(v)].push_back(t);
    around_[at(v)].push_back(fresh);
  }
  return true;
}

void SolidMesher::rebuild_facets() {
  Mesh mesh = bare();
  find_facets(mesh);
  facets_.clear();
  facet_normal_.clear();
  vertex_facets_.assign(points_.size(), {});
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const auto v = mesh.facet(f);
    facets_.push_back({static_cast<int>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2])});
    Point middle{}, normal{};
    for (const Mesh::Index i : v) {
      vertex_facets_[i].push_back(static_cast<int>(f));
      for (std::size_t k = 0; k < 3; ++k) middle[k] += points_[i][k] / 3;
    }
    double foot[3];
    const Nearest near = shape_->nearest(middle.data(), foot, normal.data());
    facet_normal_.emplace_back(normal, static_cast<int>(near.piece));
  }
}

std::vector<int> SolidMesher::common_pieces(const std::array<int, 3>& f) const {
  std::vector<int> common = pieces_[at(f[0])];
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    std::erase_if(common, [&](int p) {
      return std::ranges::find(pieces_[at(f[k])], p) == pieces_[at(f[k])].end();
    });
  }
  return common;
}

bool SolidMesher::fits(int v) const {
  for (const int f : vertex_facets_[at(v)]) {
    const auto& facet = facets_[at(f)];
    const std::vector<int> common = common_pieces(facet);
    if (common.empty()) continue;
    if (common.size() > 1) return false;
    const auto& [normal, piece] = facet_normal_[at(f)];
    if (piece != common[0]) continue;
    const Point &a = points_[at(facet[0])], &b = points_[at(facet[1])], &c = points_[at(facet[2])];
    Point n{};
    double along_normal = 0, length = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      n[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
      along_normal += n[k] * normal[k];
      length += n[k] * n[k];
    }
    if (!(along_normal > 0.5 * std::sqrt(length))) return false;
  }
  return true;
}

}  // namespace cauchy::detail
