// The lattice of SolidMesher and the part of it that lies inside.
#include <algorithm>
#include <cmath>

#include <cauchy/base/run_limit.hpp>

#include "geometry/meshes/solid_mesher.hpp"

namespace cauchy::detail {

void SolidMesher::make_lattice() {
  const Bounds& box = shape_->bounds();
  const double s = 1.1 * options_.size;
  for (std::size_t k = 0; k < 3; ++k) {
    const double width = box.upper[k] - box.lower[k];
    n_[k] = static_cast<int>(std::max(1.0, std::round(width / s)));
    step_[k] = width / n_[k];
    scale_ = std::max(scale_, width);
  }
  // Corners of boxes, then their centres with one more layer on either side.
  corner_count_ = (n_[0] + 1) * (n_[1] + 1) * (n_[2] + 1);
  LoopLimit limit("the mesh");
  for (int i = 0; i <= n_[0]; ++i) {
    for (int j = 0; j <= n_[1]; ++j) {
      limit.next(60.0 * n_[2]);
      for (int k = 0; k <= n_[2]; ++k) add_lattice_point(i, j, k, 0);
    }
  }
  for (int i = -1; i <= n_[0]; ++i) {
    for (int j = -1; j <= n_[1]; ++j) {
      limit.next(60.0 * n_[2]);
      for (int k = -1; k <= n_[2]; ++k) add_lattice_point(i, j, k, 0.5);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, w = (axis + 2) % 3;
    std::array<int, 3> p{};
    for (p[0] = 0; p[0] <= n_[0]; ++p[0]) {
      for (p[1] = 0; p[1] <= n_[1]; ++p[1]) {
        for (p[2] = 0; p[2] <= n_[2]; ++p[2]) {
          if (p[at(axis)] == n_[at(axis)]) continue;
          auto q = p;
          ++q[at(axis)];
          const int a = corner(p), b = corner(q);
          // The four centres around the edge, counter-clockwise seen from b.
          int ring[4];
          static constexpr int du[4] = {0, -1, -1, 0}, dw[4] = {0, 0, -1, -1};
          for (int r = 0; r < 4; ++r) {
            auto c = p;
            c[at(u)] += du[r];
            c[at(w)] += dw[r];
            ring[r] = centre(c);
          }
          for (int r = 0; r < 4; ++r) lattice_.push_back({a, b, ring[r], ring[(r + 1) % 4]});
        }
      }
    }
  }
}

void SolidMesher::add_lattice_point(int i, int j, int k, double shift) {
  const Bounds& box = shape_->bounds();
  const int index[3] = {i, j, k};
  Point x;
  for (std::size_t d = 0; d < 3; ++d) {
    x[d] = shift == 0 && index[d] == n_[d] ? box.upper[d]
                                           : box.lower[d] + (index[d] + shift) * step_[d];
  }
  points_.push_back(x);
  const double phi = shape_->distance(x.data());
  phi_.push_back(std::abs(phi) < 1e-12 * scale_ ? 0 : phi);
}

int SolidMesher::corner(const std::array<int, 3>& p) const {
  return (p[0] * (n_[1] + 1) + p[1]) * (n_[2] + 1) + p[2];
}

int SolidMesher::centre(const std::array<int, 3>& p) const {
  return corner_count_ + ((p[0] + 1) * (n_[1] + 2) + p[1] + 1) * (n_[2] + 2) + p[2] + 1;
}

double SolidMesher::crossing(int a, int b) const {
  const Point &p = points_[at(a)], &q = points_[at(b)];
  double low = 0, high = 1, fl = phi_[at(a)], fh = phi_[at(b)];
  for (int k = 0; k < 80; ++k) {
    // Illinois in turn with halving: fast on smooth surfaces, safe on others.
    double t = k % 3 == 2 ? 0.5 * (low + high) : (low * fh - high * fl) / (fh - fl);
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    const double f = shape_->distance(along(p, q, t).data());
    if (f == 0 || high - low < 1e-13) return t;
    if ((f > 0) == (fl > 0)) {
      low = t;
      fl = f;
      fh *= k % 3 == 0 ? 0.5 : 1;
    } else {
      high = t;
      fh = f;
      fl *= k % 3 == 0 ? 0.5 : 1;
    }
  }
  return 0.5 * (low + high);
}

void SolidMesher::warp() {
  struct Cut {
    int to;
    double part;  // of the edge, from the vertex
  };
  std::vector<std::vector<Cut>> cuts(points_.size());
  std::unordered_map<std::uint64_t, double> known;
  for (const Tet& t : lattice_) {
    for (const auto& [i, j] : MeshEdges::edge_ends) {
      const auto [a, b] = std::minmax(t[at(i)], t[at(j)]);
      if (!(phi_[at(a)] * phi_[at(b)] < 0)) continue;
      const auto [entry, is_new] = known.try_emplace(key(a, b), 0);
      if (!is_new) continue;
      entry->second = crossing(a, b);
      cuts[at(a)].push_back({b, entry->second});
      cuts[at(b)].push_back({a, 1 - entry->second});
    }
  }
  const std::vector<Point> before = points_;
  LoopLimit limit("the mesh");
  for (std::size_t v = 0; v < points_.size(); ++v) {
    limit.next(40);
    double nearest = INFINITY;
    const Cut* best = nullptr;
    for (const Cut& c : cuts[v]) {
      if (phi_[at(c.to)] == 0) continue;  // has been moved itself
      const bool is_long = (static_cast<int>(v) < corner_count_) == (c.to < corner_count_);
      if (c.part > (is_long ? 0.25 : 0.41)) continue;
      const double way = c.part * gap_between(before[v], before[at(c.to)]);
      if (way < nearest) {
        nearest = way;
        best = &c;
      }
    }
    if (!best) continue;
    points_[v] = along(before[v], before[at(best->to)], best->part);
    phi_[v] = 0;
  }
  crossing_ = std::move(known);
}

int SolidMesher::cut_point(int a, int b) {
  const auto [low, high] = std::minmax(a, b);
  const auto [entry, is_new] = cut_points_.try_emplace(key(a, b), static_cast<int>(points_.size()));
  if (is_new) {
    const double t = crossing_.at(key(a, b));
    points_.push_back(along(points_[at(low)], points_[at(high)], t));
    phi_.push_back(0);
  }
  return entry->second;
}

void SolidMesher::add_tet(int a, int b, int c, int d) {
  Tet t{a, b, c, d};
  const double v = volume(t);
  if (v < 0) std::swap(t[2], t[3]);
  if (v != 0) tets_.push_back(t);
}

bool SolidMesher::is_filled(const Tet& t) const {
  Point middle{};
  for (const int v : t) {
    for (std::size_t k = 0; k < 3; ++k) middle[k] += points_[at(v)][k] / 4;
  }
  const double depth = shape_->distance(middle.data());
  if (depth > 0.05 * options_.size && std::abs(quality(t)) > 0.1) return true;
  if (!(depth > 1e-3 * options_.size)) return false;
  // Flat cells count only where the surface turns sharply: without them it would be dented.
  Point normal[4];
  for (std::size_t i = 0; i < 4; ++i) {
    double foot[3];
    (void)shape_->nearest(points_[at(t[i])].data(), foot, normal[i].data());
    for (std::size_t j = 0; j < i; ++j) {
      if (gap_between(normal[i], normal[j]) > 0.7) return std::abs(quality(t)) > 0.03;
    }
  }
  return false;
}

void SolidMesher::stuff() {
  LoopLimit limit("the mesh");
  for (const Tet& t : lattice_) {
    limit.next(20);
    std::vector<int> plus, zero, minus;
    for (const int v : t) {
      (phi_[at(v)] > 0 ? plus : phi_[at(v)] < 0 ? minus : zero).push_back(v);
    }
    if (plus.empty()) {
      // All four on the surface: inside an edge of it the cell belongs to the region.
      if (minus.empty() && is_filled(t)) add_tet(t[0], t[1], t[2], t[3]);
      continue;
    }
    // The diagonal of a cut side begins at its lower vertex: both cells of the side agree.
    std::ranges::sort(plus);
    if (minus.empty()) {
      add_tet(t[0], t[1], t[2], t[3]);
    } else if (plus.size() == 1) {
      int v[3];
      int n = 0;
      for (const int m : minus) v[n++] = cut_point(plus[0], m);
      for (const int z : zero) v[n++] = z;
      add_tet(plus[0], v[0], v[1], v[2]);
    } else if (plus.size() == 2 && minus.size() == 1) {
      const int c0 = cut_point(plus[0], minus[0]), c1 = cut_point(plus[1], minus[0]);
      add_tet(plus[0], plus[1], c1, zero[0]);
      add_tet(plus[0], c0, c1, zero[0]);
    } else if (plus.size() == 2) {
      const int p = plus[0], q = plus[1];
      const int p0 = cut_point(p, minus[0]), p1 = cut_point(p, minus[1]);
      const int q0 = cut_point(q, minus[0]), q1 = cut_point(q, minus[1]);
      add_tet(p, q, q0, q1);
      // The side on the surface is cut along its shorter diagonal.
      if (gap_between(points_[at(p0)], points_[at(q1)]) <
          gap_between(points_[at(p1)], points_[at(q0)])) {
        add_tet(p, p0, p1, q1);
        add_tet(p, p0, q0, q1);
      } else {
        add_tet(p, p0, p1, q0);
        add_tet(p, p1, q0, q1);
      }
    } else {
      const int a = plus[0], b = plus[1], c = plus[2], m = minus[0];
      const int ca = cut_point(a, m), cb = cut_point(b, m), cc = cut_point(c, m);
      // Diagonals a-cb, a-cc, b-cc.
      add_tet(a, b, c, cc);
      add_tet(a, b, cb, cc);
      add_tet(a, ca, cb, cc);
    }
  }
}

}  // namespace cauchy::detail
