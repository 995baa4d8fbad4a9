#include "solvers/fvm/triangles.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy::detail {
namespace {

using Vertex = std::array<double, 2>;
using Corner3 = std::array<std::size_t, 3>;
constexpr std::size_t nothing = static_cast<std::size_t>(-1);

/// Twice the area of a, b, c; positive counter-clockwise.
long double turn(const Vertex& a, const Vertex& b, const Vertex& c) {
  const long double ax = a[0], ay = a[1];
  return (b[0] - ax) * (c[1] - ay) - (b[1] - ay) * (c[0] - ax);
}

bool in_circle(const Vertex& a, const Vertex& b, const Vertex& c, const Vertex& p) {
  long double m[3][3];
  const Vertex* at[3] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i) {
    m[i][0] = static_cast<long double>((*at[i])[0]) - p[0];
    m[i][1] = static_cast<long double>((*at[i])[1]) - p[1];
    m[i][2] = m[i][0] * m[i][0] + m[i][1] * m[i][1];
  }
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) >
         0;
}

/// Triangles that grow point by point; edge k joins the vertices k and k + 1.
class Bowyer {
 public:
  Bowyer(std::vector<Vertex> points, const Vertex& middle, double size)
      : points_(std::move(points)), n_(points_.size()) {
    const double far = 1e4 * size;
    points_.push_back({middle[0] - 2 * far, middle[1] - far});
    points_.push_back({middle[0] + 2 * far, middle[1] - far});
    points_.push_back({middle[0], middle[1] + 2 * far});
    cells_.push_back({{n_, n_ + 1, n_ + 2}, {nothing, nothing, nothing}, true});
    for (std::size_t i = 0; i < n_; ++i) insert(i, 1e-9 * size);
  }

  [[nodiscard]] std::vector<Corner3> triangles() const {
    std::vector<Corner3> all;
    for (const Cell& c : cells_) {
      if (c.alive && c.v[0] < n_ && c.v[1] < n_ && c.v[2] < n_) all.push_back(c.v);
    }
    return all;
  }

 private:
  struct Cell {
    Corner3 v, next;
    bool alive;
  };

  [[nodiscard]] std::size_t find(const Vertex& p) const {
    std::size_t at = last_;
    for (std::size_t steps = 0; steps < cells_.size(); ++steps) {
      std::size_t to = at;
      for (std::size_t k = 0; k < 3 && to == at; ++k) {
        const Cell& c = cells_[at];
        if (c.next[k] != nothing && turn(points_[c.v[k]], points_[c.v[(k + 1) % 3]], p) < 0) {
          to = c.next[k];
        }
      }
      if (to == at) break;
      at = to;
    }
    return at;
  }

  void insert(std::size_t i, double closest) {
    const Vertex& p = points_[i];
    const std::size_t home = find(p);
    for (const std::size_t v : cells_[home].v) {
      if (std::hypot(points_[v][0] - p[0], points_[v][1] - p[1]) < closest) return;
    }
    // Cells whose circle holds the point; also those that it would make flat.
    std::vector<std::size_t> hole = {home};
    std::set<std::size_t> inside = {home};
    for (std::size_t k = 0; k < hole.size(); ++k) {
      const Cell c = cells_[hole[k]];
      for (std::size_t e = 0; e < 3; ++e) {
        const std::size_t to = c.next[e];
        if (to == nothing || inside.contains(to)) continue;
        const Corner3& v = cells_[to].v;
        if (in_circle(points_[v[0]], points_[v[1]], points_[v[2]], p) ||
            !(turn(points_[c.v[e]], points_[c.v[(e + 1) % 3]], p) > 0)) {
          inside.insert(to);
          hole.push_back(to);
        }
      }
    }
    std::unordered_map<std::size_t, std::size_t> starting;  // vertex to new cell
    const std::size_t first = cells_.size();
    for (const std::size_t h : hole) {
      const Cell c = cells_[h];
      for (std::size_t e = 0; e < 3; ++e) {
        const std::size_t to = c.next[e], a = c.v[e], b = c.v[(e + 1) % 3];
        if (to != nothing && inside.contains(to)) continue;
        starting[a] = cells_.size();
        if (to != nothing) {
          for (std::size_t k = 0; k < 3; ++k) {
            if (cells_[to].v[k] == b && cells_[to].v[(k + 1) % 3] == a) {
              cells_[to].next[k] = cells_.size();
            }
          }
        }
        cells_.push_back({{a, b, i}, {to, nothing, nothing}, true});
      }
    }
    for (std::size_t k = first; k < cells_.size(); ++k) {
      const auto after = starting.find(cells_[k].v[1]);
      if (after == starting.end()) continue;
      cells_[k].next[1] = after->second;
      cells_[after->second].next[2] = k;
    }
    for (const std::size_t h : hole) cells_[h].alive = false;
    last_ = first;
  }

  std::vector<Vertex> points_;
  std::size_t n_, last_ = 0;
  std::vector<Cell> cells_;
};

/// Points of the boundary at distances of about h, ends of pieces first.
std::vector<Vertex> boundary_vertices(const Shape& shape, double h) {
  std::vector<Vertex> corners, others;
  double normal[2];
  for (std::size_t piece = 0; piece < shape.pieces().size(); ++piece) {
    const double length = shape.pieces()[piece].carrier_measure;
    const auto n = static_cast<std::size_t>(std::clamp(std::ceil(length / h), 3.0, 1e5));
    const auto at = [&](double u, Vertex& x) {
      return shape.boundary_point(piece, &u, x.data(), normal);
    };
    bool before = false;
    for (std::size_t i = 0; i <= n; ++i) {
      const double u = static_cast<double>(i) / static_cast<double>(n);
      Vertex x;
      const bool now = at(u, x);
      if (now) (i == 0 || i == n ? corners : others).push_back(x);
      if (i > 0 && now != before) {  // the piece is cut off in between
        double low = u - 1 / static_cast<double>(n), high = u;
        for (int k = 0; k < 50; ++k) {
          const double mid = 0.5 * (low + high);
          (at(mid, x) == before ? low : high) = mid;
        }
        (void)at(before ? low : high, x);
        corners.push_back(x);
      }
      before = now;
    }
  }
  std::vector<Vertex> kept;
  const auto add = [&](const std::vector<Vertex>& from, double room) {
    for (const Vertex& x : from) {
      if (std::all_of(kept.begin(), kept.end(), [&](const Vertex& k) {
            return std::hypot(k[0] - x[0], k[1] - x[1]) > room;
          })) {
        kept.push_back(x);
      }
    }
  };
  add(corners, 1e-6 * h);
  add(others, 0.5 * h);
  return kept;
}

/// Without triangles outside and flat ones at the boundary.
void keep_inside(Triangulation& t, const Shape& shape, std::size_t n_boundary, double h) {
  std::erase_if(t.triangles, [&](const Corner3& v) {
    const Vertex &a = t.vertices[v[0]], &b = t.vertices[v[1]], &c = t.vertices[v[2]];
    const double middle[2] = {(a[0] + b[0] + c[0]) / 3, (a[1] + b[1] + c[1]) / 3};
    const bool flat =
        v[0] < n_boundary && v[1] < n_boundary && v[2] < n_boundary && turn(a, b, c) < 0.02 * h * h;
    return flat || !shape.contains(middle);
  });
}

}  // namespace

Triangulation triangulate_box(std::span<const double> lower, std::span<const double> upper,
                              std::size_t nx, std::size_t ny) {
  Triangulation t;
  for (std::size_t i = 0; i <= nx; ++i) {
    for (std::size_t j = 0; j <= ny; ++j) {
      const double u = static_cast<double>(i) / static_cast<double>(nx);
      const double v = static_cast<double>(j) / static_cast<double>(ny);
      t.vertices.push_back(
          {lower[0] + u * (upper[0] - lower[0]), lower[1] + v * (upper[1] - lower[1])});
    }
  }
  for (std::size_t i = 0; i < nx; ++i) {
    for (std::size_t j = 0; j < ny; ++j) {
      const std::size_t a = i * (ny + 1) + j, b = a + ny + 1, c = b + 1, d = a + 1;
      if ((i + j) % 2 == 0) {
        t.triangles.push_back({a, b, c});
        t.triangles.push_back({a, c, d});
      } else {
        t.triangles.push_back({a, b, d});
        t.triangles.push_back({b, c, d});
      }
    }
  }
  return t;
}

Triangulation delaunay(std::vector<Vertex> points) {
  Vertex low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
  for (const Vertex& p : points) {
    for (std::size_t d = 0; d < 2; ++d) {
      low[d] = std::min(low[d], p[d]);
      high[d] = std::max(high[d], p[d]);
    }
  }
  const double size = std::max(high[0] - low[0], high[1] - low[1]);
  Triangulation t;
  t.triangles = Bowyer(points, {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2}, size).triangles();
  t.vertices = std::move(points);
  return t;
}

Triangulation triangulate(const Shape& shape, double h) {
  const Bounds& box = shape.bounds();
  if (!std::isfinite(box.lower[0] + box.upper[0] + box.lower[1] + box.upper[1])) {
    throw Error(ErrorKind::unsupported, "triangles need a bounded region", "[solvers.fvm]");
  }
  std::vector<Vertex> points = boundary_vertices(shape, h);
  const std::size_t n_boundary = points.size();
  const double rise = h * std::sqrt(0.75);
  Rng rng(1);
  bool odd = false;
  for (double y = box.lower[1] + rise / 2; y < box.upper[1]; y += rise, odd = !odd) {
    std::vector<Vertex> row;
    for (double x = box.lower[0] + (odd ? h / 2 : 0); x < box.upper[0]; x += h) {
      // A little disorder: no four points on one circle.
      const Vertex p = {x + 1e-3 * h * rng.uniform(-1, 1), y + 1e-3 * h * rng.uniform(-1, 1)};
      if (shape.distance(p.data()) > 0.6 * h) row.push_back(p);
    }
    if (odd) std::reverse(row.begin(), row.end());  // the next point is always near
    points.insert(points.end(), row.begin(), row.end());
  }
  Triangulation t = delaunay(points);
  keep_inside(t, shape, n_boundary, h);
  // Points inside move to the middle of their neighbours, which rounds the triangles.
  for (int round = 0; round < 4; ++round) {
    std::vector<Vertex> sum(points.size(), {0, 0});
    std::vector<double> count(points.size(), 0);
    for (const Corner3& v : t.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t d = 0; d < 2; ++d) {
          sum[v[k]][d] += t.vertices[v[(k + 1) % 3]][d] + t.vertices[v[(k + 2) % 3]][d];
        }
        count[v[k]] += 2;
      }
    }
    for (std::size_t i = n_boundary; i < points.size(); ++i) {
      if (count[i] > 0) t.vertices[i] = {sum[i][0] / count[i], sum[i][1] / count[i]};
    }
  }
  t = delaunay(std::move(t.vertices));
  keep_inside(t, shape, n_boundary, h);
  double area = 0;
  for (const Corner3& v : t.triangles) {
    area += 0.5 * static_cast<double>(turn(t.vertices[v[0]], t.vertices[v[1]], t.vertices[v[2]]));
  }
  if (t.triangles.size() < 4 || std::abs(area - shape.measure()) > 0.2 * shape.measure()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("triangles of sides {:.3g} are too large for this region", h),
                "[solvers.fvm]", "use more cells");
  }
  return t;
}

}  // namespace cauchy::detail
