#include "solvers/fdm/fdm_stencil.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/math/difference.hpp>
#include <cauchy/math/lapack.hpp>

namespace cauchy::detail {
namespace {

/// Exponents of all monomials of d variables up to a total degree.
std::vector<std::array<int, 3>> monomials(std::size_t d, int degree) {
  std::vector<std::array<int, 3>> all;
  for (int i = 0; i <= degree; ++i) {
    for (int j = 0; j <= (d > 1 ? degree - i : 0); ++j) {
      for (int k = 0; k <= (d > 2 ? degree - i - j : 0); ++k) all.push_back({i, j, k});
    }
  }
  return all;
}

double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

}  // namespace

void StencilSet::add(const Stencil& stencil) {
  for (const auto& [n, w] : stencil) {
    node.push_back(n);
    weight.push_back(w);
  }
  begin.push_back(node.size());
}

Matrix scattered_weights(std::size_t d, std::span<const double> points,
                         const std::vector<std::vector<int>>& orders, int degree) {
  const std::vector<std::array<int, 3>> basis = monomials(d, degree);
  const std::size_t n = points.size() / d, J = basis.size();
  if (n < J) return {};
  std::vector<double> size(n);
  Matrix a(J, n), b(J, orders.size());
  for (std::size_t i = 0; i < n; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < d; ++k) square += points[i * d + k] * points[i * d + k];
    size[i] = 1 / (0.25 + square);
    for (std::size_t j = 0; j < J; ++j) {
      double value = size[i];
      for (std::size_t k = 0; k < d; ++k) value *= std::pow(points[i * d + k], basis[j][k]);
      a(j, i) = value;
    }
  }
  for (std::size_t r = 0; r < orders.size(); ++r) {
    for (std::size_t j = 0; j < J; ++j) {
      double value = 1;
      for (std::size_t k = 0; k < d; ++k) {
        value = basis[j][k] == orders[r][k] ? value * factorial(orders[r][k]) : 0;
      }
      b(j, r) = value;
    }
  }
  const LeastSquaresSolution<double> found = least_squares(a, b, 1e-9);
  if (found.status != Factorization::ok || found.rank < J) return {};
  Matrix w(orders.size(), n);
  for (std::size_t r = 0; r < orders.size(); ++r) {
    for (std::size_t i = 0; i < n; ++i) w(r, i) = size[i] * found.x(i, r);
  }
  return w;
}

FdmStencils::FdmStencils(const FdmGrid& grid, int accuracy, HasValue has_value)
    : grid_(grid), accuracy_(accuracy), has_value_(std::move(has_value)) {}

std::vector<GridPlace> FdmStencils::offsets(const std::vector<std::vector<int>>& derivatives) {
  std::vector<GridPlace> found;
  for (const std::vector<int>& orders : derivatives) {
    std::array<int, 3> reach{};
    for (std::size_t k = 0; k < orders.size(); ++k) reach[k] = (orders[k] + 1) / 2;
    for (int i = -reach[0]; i <= reach[0]; ++i) {
      for (int j = -reach[1]; j <= reach[1]; ++j) {
        for (int k = -reach[2]; k <= reach[2]; ++k) found.push_back({i, j, k});
      }
    }
  }
  // Near ones first: they say to which layer a ghost belongs.
  const auto steps = [](const GridPlace& o) {
    return std::make_pair(std::abs(o[0]) + std::abs(o[1]) + std::abs(o[2]), o);
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return steps(a) < steps(b); });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

FdmStencils::Line FdmStencils::line(int node, std::size_t axis, int order, std::size_t field,
                                    bool mixed, int lean) const {
  if (order == 0) return {0, {1}};
  const FdmAxis& a = grid_.axes()[axis];
  const GridPlace at = grid_.nodes()[static_cast<std::size_t>(node)].at;
  const auto there = [&](int offset) {
    GridPlace q = at;
    q[axis] += offset;
    const int found = grid_.seen(node, q);
    if (found < 0) return false;
    if (!grid_.is_box() ||
        grid_.nodes()[static_cast<std::size_t>(found)].role != FdmNode::Role::ghost) {
      return true;
    }
    return !mixed && has_value_(found, field);
  };
  const auto weights = [&](int first, int count) {
    std::vector<double> nodes(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) nodes[static_cast<std::size_t>(i)] = (first + i) * a.h;
    const Matrix w = difference_weights(0, nodes, order);
    const double* row = w.data() + static_cast<std::size_t>(order) * w.cols();
    return Line{first, std::vector<double>(row, row + count)};
  };
  if (lean != 0) {
    for (int count = 3; count >= 2; --count) {
      bool all = true;
      for (int i = 1; i < count; ++i) {
        GridPlace q = at;
        q[axis] += lean * i;
        if (grid_.is_box()) {
          all = all && there(lean * i);
          continue;
        }
        // The second node is not among the offsets that ghosts were made for.
        const GridPoint x = grid_.point(at);
        const int found = grid_.seen(x, GridPoint{}, grid_.shape().distance(x.data()), q);
        all = all && found >= 0 && (i == 1 || grid_.seen(node, q) == found);
      }
      if (all) return weights(lean > 0 ? 0 : 1 - count, count);
    }
  }
  const int accuracy = grid_.is_box() ? accuracy_ : 2;
  const int reach = (order + 1) / 2 - 1 + accuracy / 2;
  if (!grid_.is_box() || a.periodic) return weights(-reach, 2 * reach + 1);
  const int width = order + accuracy;
  int low = 0, high = 0;
  while (low > -width && there(low - 1)) --low;
  while (high < width && there(high + 1)) ++high;
  if (-low >= reach && high >= reach) return weights(-reach, 2 * reach + 1);
  const int count = std::min(width, high - low + 1);
  const int first = std::clamp(-(count / 2), low, high - count + 1);
  return weights(first, count);
}

Stencil FdmStencils::at_node(int node, const std::vector<int>& orders, std::size_t field,
                             std::size_t axis, int lean) const {
  const std::size_t d = grid_.dimension();
  const bool mixed = std::count_if(orders.begin(), orders.end(), [](int k) { return k > 0; }) > 1;
  std::array<Line, 3> lines;
  for (std::size_t k = 0; k < 3; ++k) {
    lines[k] = k < d ? line(node, k, orders[k], field, mixed, k == axis ? lean : 0) : Line{0, {1}};
  }
  Stencil out;
  const GridPlace at = grid_.nodes()[static_cast<std::size_t>(node)].at;
  for (std::size_t i = 0; i < lines[0].w.size(); ++i) {
    for (std::size_t j = 0; j < lines[1].w.size(); ++j) {
      for (std::size_t k = 0; k < lines[2].w.size(); ++k) {
        const double w = lines[0].w[i] * lines[1].w[j] * lines[2].w[k];
        if (w == 0) continue;
        const GridPlace q = {at[0] + lines[0].first + static_cast<int>(i),
                             at[1] + lines[1].first + static_cast<int>(j),
                             at[2] + lines[2].first + static_cast<int>(k)};
        out.emplace_back(q == at ? node : grid_.seen(node, q), w);
      }
    }
  }
  return out;
}

Stencil FdmStencils::at_face(int node, std::size_t axis, int side,
                             const std::vector<int>& orders) const {
  const GridPlace at = grid_.nodes()[static_cast<std::size_t>(node)].at;
  std::array<std::vector<std::pair<int, double>>, 3> lines;
  for (std::size_t k = 0; k < 3; ++k) {
    const double h = k < grid_.dimension() ? grid_.axes()[k].h : 1;
    const int order = k < grid_.dimension() ? orders[k] : 0;
    if (k == axis) {
      lines[k] =
          order == 0 ? Stencil{{0, 0.5}, {side, 0.5}} : Stencil{{0, -side / h}, {side, side / h}};
    } else {
      lines[k] = order == 0 ? Stencil{{0, 1}} : Stencil{{-1, -0.5 / h}, {1, 0.5 / h}};
    }
  }
  Stencil out;
  for (const auto& [i, wi] : lines[0]) {
    for (const auto& [j, wj] : lines[1]) {
      for (const auto& [k, wk] : lines[2]) {
        const GridPlace q = {at[0] + i, at[1] + j, at[2] + k};
        out.emplace_back(q == at ? node : grid_.seen(node, q), wi * wj * wk);
      }
    }
  }
  return out;
}

std::vector<Stencil> FdmStencils::block(const GridPoint& from, const GridPoint& x,
                                        const GridPoint& normal, double clear,
                                        const std::vector<std::vector<int>>& orders,
                                        const GridPlace& first, int width) const {
  const std::size_t d = grid_.dimension();
  std::array<int, 3> count = {1, 1, 1};
  for (std::size_t k = 0; k < d; ++k) count[k] = width;
  std::vector<int> nodes;
  for (int i = 0; i < count[0]; ++i) {
    for (int j = 0; j < count[1]; ++j) {
      for (int k = 0; k < count[2]; ++k) {
        const GridPlace at = {first[0] + i, first[1] + j, first[2] + k};
        const int found = grid_.seen(from, normal, clear, at);
        if (found < 0) return {};
        nodes.push_back(found);
      }
    }
  }
  std::array<Matrix, 3> w;
  for (std::size_t k = 0; k < 3; ++k) {
    if (k >= d) {
      w[k] = Matrix(1, 1, 1);
      continue;
    }
    std::vector<double> line;
    for (int i = 0; i < width; ++i) line.push_back(grid_.axes()[k].at(first[k] + i));
    int highest = 0;
    for (const auto& o : orders) highest = std::max(highest, o[k]);
    w[k] = difference_weights(x[k], line, highest);
  }
  std::vector<Stencil> out(orders.size());
  for (std::size_t r = 0; r < orders.size(); ++r) {
    std::size_t at = 0;
    const auto order = [&](std::size_t k) {
      return k < d ? static_cast<std::size_t>(orders[r][k]) : 0;
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(count[0]); ++i) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(count[1]); ++j) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(count[2]); ++k, ++at) {
          const double weight = w[0](order(0), i) * w[1](order(1), j) * w[2](order(2), k);
          if (weight != 0) out[r].emplace_back(nodes[at], weight);
        }
      }
    }
  }
  return out;
}

std::vector<Stencil> FdmStencils::at_point(const GridPoint& x, const GridPoint& normal,
                                           const std::vector<std::vector<int>>& orders, int degree,
                                           int anchor, int without) const {
  const std::size_t d = grid_.dimension();
  const int width = degree + 1;
  // From slightly inside, where it is seen what lies on this side of the boundary.
  GridPoint from = x;
  double clear = 0;
  if (!grid_.is_box()) {
    const double off = 1e-3 * grid_.spacing();
    GridPoint on = x, outward = normal;
    if (normal == GridPoint{}) {
      clear = grid_.shape().distance(x.data());
      if (clear < off) grid_.shape().nearest(x.data(), on.data(), outward.data());
    }
    if (clear < off) {
      from = grid_.beside(on, outward);
      clear = grid_.shape().distance(from.data());
    }
    if (clear < 0.5 * off) {  // where walls meet: from the nearest node inside
      from = grid_.nearest_inside(x);
      clear = grid_.shape().distance(from.data());
    }
  }
  if (without < 0) {
    GridPlace first{};
    for (std::size_t k = 0; k < d; ++k) {
      const FdmAxis& a = grid_.axes()[k];
      const double s = (x[k] - a.lower) / a.h;
      const double middle = s - (width - 1) / 2.0;
      first[k] = static_cast<int>(std::lround(std::ceil(middle - 0.5)));
      if (anchor >= 0) {
        const int at = grid_.nodes()[static_cast<std::size_t>(anchor)].at[k];
        // From the ghost inwards along directions that the boundary faces.
        if (std::abs(normal[k]) > 0.3) first[k] = normal[k] > 0 ? at - degree : at;
        first[k] = std::clamp(first[k], at - degree, at);
      }
      if (grid_.is_box() && !a.periodic) first[k] = std::clamp(first[k], 0, a.cells + 1 - width);
    }
    std::vector<Stencil> found = block(from, x, normal, clear, orders, first, width);
    if (!found.empty()) return found;
  }
  // Some of them are missing: take what there is around.
  const GridPlace middle = grid_.nearest_place(x);
  const int most = anchor < 0 ? degree : degree - 1;
  for (int lower = 0; lower <= most; ++lower) {
    const int reach = degree - lower + (d < 3 ? 1 : 0);
    const double radius = (reach + 0.5) * (reach + 0.5);
    std::vector<double> points;
    std::vector<int> nodes;
    GridPlace o{};
    const std::array<int, 3> r = {reach, d > 1 ? reach : 0, d > 2 ? reach : 0};
    for (o[0] = -r[0]; o[0] <= r[0]; ++o[0]) {
      for (o[1] = -r[1]; o[1] <= r[1]; ++o[1]) {
        for (o[2] = -r[2]; o[2] <= r[2]; ++o[2]) {
          if (o[0] * o[0] + o[1] * o[1] + o[2] * o[2] > radius) continue;
          const GridPlace at = {middle[0] + o[0], middle[1] + o[1], middle[2] + o[2]};
          const int found = grid_.seen(from, normal, clear, at);
          if (found < 0 || found == without) continue;
          nodes.push_back(found);
          for (std::size_t k = 0; k < d; ++k) {
            points.push_back((grid_.axes()[k].at(at[k]) - x[k]) / grid_.spacing());
          }
        }
      }
    }
    const Matrix w = scattered_weights(d, points, orders, degree - lower);
    if (w.empty()) continue;
    std::vector<Stencil> out(orders.size());
    for (std::size_t q = 0; q < orders.size(); ++q) {
      int total = 0;
      for (const int k : orders[q]) total += k;
      const double unit = std::pow(grid_.spacing(), -total);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (w(q, i) != 0) out[q].emplace_back(nodes[i], w(q, i) * unit);
      }
    }
    return out;
  }
  throw Error(ErrorKind::unsupported, "the grid is too coarse for this region", "[solvers.fdm]",
              "use more cells");
}

}  // namespace cauchy::detail
