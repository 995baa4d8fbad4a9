#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/quadrature.hpp>
#include "sampling/cell_rules.hpp"

namespace cauchy {
namespace {

constexpr const char* simplex_rule_place = "[sampling.simplex]";

/// m! times the volume: the square root of the Gram determinant of the edges (m x d).
double parallelotope(std::vector<double> edges, std::size_t m, std::size_t d) {
  double volume = 1;
  for (std::size_t i = 0; i < m; ++i) {
    double* e = &edges[i * d];
    const auto dot = [&](const double* a, const double* b) {
      double sum = 0;
      for (std::size_t k = 0; k < d; ++k) sum += a[k] * b[k];
      return sum;
    };
    for (int twice = 0; twice < 2; ++twice) {  // Gram-Schmidt, repeated against cancellation
      for (std::size_t j = 0; j < i; ++j) {
        const double* q = &edges[j * d];
        const double factor = dot(e, q);
        for (std::size_t k = 0; k < d; ++k) e[k] -= factor * q[k];
      }
    }
    const double length = std::sqrt(dot(e, e));
    volume *= length;
    if (!(length > 0)) return length;
    for (std::size_t k = 0; k < d; ++k) e[k] /= length;
  }
  return volume;
}

}  // namespace

CellRule simplex_rule(std::span<const double> vertices, std::size_t d, std::size_t order) {
  detail::check_order(order);
  if (d == 0 || vertices.size() % d != 0 || vertices.size() < 2 * d ||
      vertices.size() > (d + 1) * d) {
    throw Error(
        fmt::format("{} numbers are no vertices of a simplex in {} dimensions", vertices.size(), d),
        simplex_rule_place, "give m + 1 vertices of d numbers, 1 <= m <= d");
  }
  const std::size_t m = vertices.size() / d - 1;
  std::vector<double> edges(m * d);
  double size = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < d; ++k) {
      edges[i * d + k] = vertices[(i + 1) * d + k] - vertices[k];
      size = std::max(size, std::abs(edges[i * d + k]));
    }
  }
  const double volume = parallelotope(edges, m, d);
  if (!std::isfinite(volume) || !(volume > 1e-14 * std::pow(size, static_cast<double>(m)))) {
    throw Error(ErrorKind::unsupported,
                "the vertices of a simplex must be finite and not lie in a plane",
                simplex_rule_place);
  }

  // x = v0 + sum_i l_i edge_i with l_i = t_i (1 - t_1) ... (1 - t_(i-1)), t in the unit cube;
  // the Jacobian is volume times the product of (1 - t_i)^(m - i), i = 1 .. m.
  std::vector<Rule> rules;
  for (std::size_t i = 1; i <= m; ++i) {
    const auto alpha = static_cast<double>(m - i);
    Rule rule = gauss_jacobi(order, alpha, 0);
    for (std::size_t k = 0; k < order; ++k) {
      rule.nodes[k] = (1 + rule.nodes[k]) / 2;
      rule.weights[k] = std::ldexp(rule.weights[k], -static_cast<int>(m - i + 1));
    }
    rules.push_back(std::move(rule));
  }
  CellRule cell{d, {}, {}};
  std::size_t total = 1;
  for (std::size_t i = 0; i < m; ++i) total *= order;
  for (std::size_t p = 0; p < total; ++p) {
    double weight = volume, left = 1;
    std::vector<double> x(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(d));
    std::size_t rest = p;
    for (std::size_t i = 0; i < m; ++i, rest /= order) {
      const std::size_t k = rest % order;
      const double l = left * rules[i].nodes[k];
      weight *= rules[i].weights[k];
      left *= 1 - rules[i].nodes[k];
      for (std::size_t j = 0; j < d; ++j) x[j] += l * edges[i * d + j];
    }
    cell.points.insert(cell.points.end(), x.begin(), x.end());
    cell.weights.push_back(weight);
  }
  return cell;
}

CellRule triangle_rule(const std::array<std::array<double, 2>, 3>& vertices, std::size_t order) {
  return simplex_rule({vertices[0].data(), 6}, 2, order);
}

CellRule tetrahedron_rule(const std::array<std::array<double, 3>, 4>& vertices, std::size_t order) {
  return simplex_rule({vertices[0].data(), 12}, 3, order);
}

Points simplex_points(const std::vector<std::string>& columns, std::span<const double> vertices,
                      std::size_t order) {
  CellRule rule = simplex_rule(vertices, columns.size(), order);
  Points points;
  points.columns = columns;
  points.values = std::move(rule.points);
  points.weights = std::move(rule.weights);
  return points;
}

}  // namespace cauchy
