// Hat functions of a mesh as test functions.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

#include "solvers/variational/test_space.hpp"

namespace cauchy::detail {
namespace {

/// Nodes of quadrature in space: those of cells first, those of sides as they are asked for.
struct SpaceRule {
  std::size_t first = 0;  ///< number of its first point
  std::vector<double> points, weights;
};

/// Barycentric coordinates of a cell as functions of x: l_k = values[k] + slopes[k] . x.
struct CellFrame {
  std::array<double, 4> values{};
  std::array<std::array<double, 3>, 4> slopes{};

  [[nodiscard]] double at(std::size_t k, const double* x, std::size_t d) const {
    double l = values[k];
    for (std::size_t i = 0; i < d; ++i) l += slopes[k][i] * x[i];
    return l;
  }
};

CellFrame frame_of(const Mesh& mesh, std::size_t cell) {
  const auto d = static_cast<std::size_t>(mesh.dimension);
  const auto nodes = mesh.cell(cell);
  const double* origin = mesh.node(nodes[0]);
  // Rows of e are the edges from the first node; the columns of its inverse are the slopes.
  std::array<std::array<double, 3>, 3> e{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t i = 0; i < d; ++i) e[k][i] = mesh.node(nodes[k + 1])[i] - origin[i];
  }
  const auto minor = [&](std::size_t r, std::size_t c) {  // cyclic: with its sign
    const std::size_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    return e[r1][c1] * e[r2][c2] - e[r1][c2] * e[r2][c1];
  };
  double det = 0;
  for (std::size_t i = 0; i < 3; ++i) det += e[0][i] * minor(0, i);
  CellFrame frame;
  frame.values[0] = 1;
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t i = 0; i < d; ++i) {
      const double slope = minor(k, i) / det;
      frame.slopes[k + 1][i] = slope;
      frame.slopes[0][i] -= slope;
      frame.values[k + 1] -= slope * origin[i];
      frame.values[0] += slope * origin[i];
    }
  }
  return frame;
}

/// The part of space of the test functions.
class HatFunctions final {
 public:
  HatFunctions(const Mesh& mesh, bool vanish, std::size_t order)
      : mesh_(mesh), d_(static_cast<std::size_t>(mesh.dimension)), order_(order) {
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      frames_.push_back(frame_of(mesh, c));
      cells_.push_back(add(mesh.cell(c)));
    }
    std::vector<bool> wanted(mesh.n_nodes(), true);
    if (vanish) {
      for (const Mesh::Index i : mesh.facets) wanted[i] = false;
    }
    std::vector<std::size_t> number(mesh.n_nodes(), 0);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i]) continue;
      number[i] = supports_.size();
      supports_.emplace_back();
    }
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      for (std::size_t k = 0; k <= d_; ++k) {
        const Mesh::Index i = mesh.cell(c)[k];
        if (wanted[i]) supports_[number[i]].emplace_back(c, k);
      }
    }
    std::erase_if(supports_, [](const auto& s) { return s.empty(); });
  }

  [[nodiscard]] std::size_t size() const noexcept { return supports_.size(); }
  [[nodiscard]] std::size_t n_points() const noexcept { return points_.size() / d_; }
  [[nodiscard]] const double* point(std::size_t s) const { return &points_[s * d_]; }
  /// Norms of the values and of the slopes.
  [[nodiscard]] std::array<double, 2> norms(std::size_t f) const {
    std::array<double, 2> squares{};
    for (const auto& [cell, k] : supports_[f]) {
      const SpaceRule& rule = cells_[cell];
      for (std::size_t q = 0; q < rule.weights.size(); ++q) {
        const double v = frames_[cell].at(k, &rule.points[q * d_], d_);
        squares[0] += rule.weights[q] * v * v;
        for (std::size_t i = 0; i < d_; ++i) {
          squares[1] += rule.weights[q] * std::pow(frames_[cell].slopes[k][i], 2);
        }
      }
    }
    return {std::sqrt(squares[0]), std::sqrt(squares[1])};
  }

  /// Calls visit(point of space, factor) for int e D v dx without e; second derivatives vanish.
  template <class Visit>
  void inside(std::size_t f, const std::array<int, 2>& by, Visit visit) const {
    if (by[1] >= 0) return;
    for (const auto& [cell, k] : supports_[f]) {
      const SpaceRule& rule = cells_[cell];
      for (std::size_t q = 0; q < rule.weights.size(); ++q) {
        visit(rule.first + q, rule.weights[q] * value(cell, k, by[0], &rule.points[q * d_]));
      }
    }
  }

  /// The same for -int e n_last (D without it) v ds over the sides of cells. A value is continuous
  /// and counts on the boundary alone, a slope jumps.
  template <class Visit>
  void sides(std::size_t f, const std::array<int, 2>& by, Visit visit) {
    const int before = by[1] < 0 ? -1 : by[0];
    const auto last = static_cast<std::size_t>(by[1] < 0 ? by[0] : by[1]);
    if (before < 0) find_boundary();
    for (const auto& [cell, k] : supports_[f]) {
      for (std::size_t opposite = 0; opposite <= d_; ++opposite) {
        if (before < 0 && opposite == k) continue;  // v = 0 there
        std::vector<Mesh::Index> key = side(cell, opposite);
        if (before < 0 && !boundary_.contains(key)) continue;
        const SpaceRule& rule = rule_of(std::move(key));
        const auto& inwards = frames_[cell].slopes[opposite];
        double length = 0;
        for (std::size_t i = 0; i < d_; ++i) length += inwards[i] * inwards[i];
        const double normal = -inwards[last] / std::sqrt(length);
        if (normal == 0) continue;
        for (std::size_t q = 0; q < rule.weights.size(); ++q) {
          const double v = value(cell, k, before, &rule.points[q * d_]);
          if (v != 0) visit(rule.first + q, -rule.weights[q] * normal * v);
        }
      }
    }
  }

 private:
  [[nodiscard]] double value(std::size_t cell, std::size_t k, int by, const double* x) const {
    return by < 0 ? frames_[cell].at(k, x, d_)
                  : frames_[cell].slopes[k][static_cast<std::size_t>(by)];
  }

  /// The rule of a cell or side by its nodes.
  SpaceRule add(std::span<const Mesh::Index> nodes) {
    SpaceRule rule{.first = n_points(), .points = {}, .weights = {}};
    for (const Mesh::Index i : nodes) {
      rule.points.insert(rule.points.end(), mesh_.node(i), mesh_.node(i) + d_);
    }
    if (nodes.size() == 1) {
      rule.weights = {1};
    } else {
      CellRule gauss = simplex_rule(rule.points, d_, order_);
      rule.points = std::move(gauss.points);
      rule.weights = std::move(gauss.weights);
    }
    points_.insert(points_.end(), rule.points.begin(), rule.points.end());
    return rule;
  }

  [[nodiscard]] std::vector<Mesh::Index> side(std::size_t cell, std::size_t opposite) const {
    const auto nodes = mesh_.cell(cell);
    std::vector<Mesh::Index> key;
    for (std::size_t k = 0; k <= d_; ++k) {
      if (k != opposite) key.push_back(nodes[k]);
    }
    std::sort(key.begin(), key.end());
    return key;
  }

  /// Both cells of a side have the same points.
  const SpaceRule& rule_of(std::vector<Mesh::Index> key) {
    const auto found = sides_.find(key);
    if (found != sides_.end()) return found->second;
    SpaceRule rule = add(key);
    return sides_.emplace(std::move(key), std::move(rule)).first->second;
  }

  void find_boundary() {
    if (!boundary_.empty()) return;
    for (std::size_t i = 0; i < mesh_.n_facets(); ++i) {
      std::vector<Mesh::Index> key(mesh_.facet(i).begin(), mesh_.facet(i).end());
      std::sort(key.begin(), key.end());
      boundary_.insert(std::move(key));
    }
  }

  const Mesh& mesh_;
  std::size_t d_, order_;
  std::vector<CellFrame> frames_;
  std::vector<double> points_;
  std::vector<SpaceRule> cells_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> supports_;  // cell, node of it
  std::map<std::vector<Mesh::Index>, SpaceRule> sides_;
  std::set<std::vector<Mesh::Index>> boundary_;
};

/// Products of functions of the axes that are not of space.
class OtherAxes final {
 public:
  OtherAxes(const std::vector<TabulatedTests>& axes, const std::vector<std::size_t>& space) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (std::find(space.begin(), space.end(), a) != space.end()) continue;
      columns_.push_back(a);
      axes_.push_back(&axes[a]);
      n_functions_ *= axes[a].functions.size();
      n_nodes_ *= axes[a].nodes.size();
    }
  }

  [[nodiscard]] std::size_t n_functions() const noexcept { return n_functions_; }
  [[nodiscard]] std::size_t n_nodes() const noexcept { return n_nodes_; }
  /// The values of a node, at their columns of a row.
  void put(std::size_t node, double* row) const {
    for (std::size_t a = axes_.size(); a-- > 0; node /= axes_[a]->nodes.size()) {
      row[columns_[a]] = axes_[a]->nodes[node % axes_[a]->nodes.size()];
    }
  }
  /// Values of a function times weights at all nodes; and its norm.
  [[nodiscard]] std::vector<double> values(std::size_t f, double& norm) const {
    std::vector<double> all = {1};
    norm = 1;
    std::size_t below = n_functions_;
    for (const TabulatedTests* axis : axes_) {
      below /= axis->functions.size();
      const TabulatedTests::Function& g = axis->functions[f / below % axis->functions.size()];
      norm *= g.norm[0];
      std::vector<double> of_axis(axis->nodes.size(), 0.0), product;
      for (std::size_t i = 0; i < g.at[0].size(); ++i) {
        of_axis[g.first + i] = g.at[0][i] * axis->weights[g.first + i];
      }
      for (const double a : all) {
        for (const double b : of_axis) product.push_back(a * b);
      }
      all = std::move(product);
    }
    return all;
  }

 private:
  std::vector<std::size_t> columns_;
  std::vector<const TabulatedTests*> axes_;
  std::size_t n_functions_ = 1, n_nodes_ = 1;
};

}  // namespace

TestSpace mesh_space(const std::vector<std::string>& names, const Mesh& mesh,
                     const std::vector<TabulatedTests>& axes, const std::vector<std::size_t>& space,
                     const std::vector<std::vector<WeakColumn>>& rows, int norm, bool vanish,
                     std::size_t order) {
  HatFunctions hats(mesh, vanish, order);
  const OtherAxes others(axes, space);
  if (hats.size() == 0) {
    throw Error("every node of the mesh lies on the boundary: there is no test function",
                "[solvers.vpinn]", "use more tests");
  }
  TestSpace out;
  for (const auto& row : rows) out.n_columns += row.size();
  out.n_functions = hats.size() * others.n_functions();
  out.sums.offsets = {0};
  std::size_t first_column = 0;
  for (const std::vector<WeakColumn>& row : rows) {
    for (std::size_t h = 0; h < hats.size(); ++h) {
      const auto [values, slopes] = hats.norms(h);
      for (std::size_t g = 0; g < others.n_functions(); ++g) {
        double other = 1;
        const std::vector<double> factors = others.values(g, other);
        const double size = test_size(norm, values * other, slopes * other);
        for (std::size_t c = 0; c < row.size(); ++c) {
          const auto add = [&](std::size_t s, double factor) {
            for (std::size_t o = 0; o < factors.size(); ++o) {
              if (factors[o] == 0) continue;
              const std::size_t p = s * factors.size() + o;
              out.sums.points.push_back(p * out.n_columns + first_column + c);
              out.sums.weights.push_back(factor * factors[o] / size);
            }
          };
          if (row[c].inside) hats.inside(h, row[c].by, add);
          if (row[c].faces && row[c].by[0] >= 0) hats.sides(h, row[c].by, add);
        }
        out.sums.offsets.push_back(out.sums.points.size());
      }
    }
    first_column += row.size();
  }
  const std::size_t D = names.size(), n = others.n_nodes();
  out.points.columns = names;
  out.points.values.resize(hats.n_points() * n * D);
  for (std::size_t p = 0; p < hats.n_points() * n; ++p) {
    double* at = &out.points.values[p * D];
    for (std::size_t i = 0; i < space.size(); ++i) at[space[i]] = hats.point(p / n)[i];
    others.put(p % n, at);
  }
  return out;
}

}  // namespace cauchy::detail
