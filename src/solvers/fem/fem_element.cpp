#include "solvers/fem/fem_element.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/geometry/mesh.hpp>
#include <cauchy/math/quadrature.hpp>

namespace cauchy::detail {
namespace {

/// Adds all distinct permutations of barycentric coordinates with one weight.
void add_orbit(SimplexRule& rule, std::vector<double> lambda, double weight) {
  std::sort(lambda.begin(), lambda.end());
  do {
    rule.lambda.insert(rule.lambda.end(), lambda.begin(), lambda.end());
    rule.weights.push_back(weight);
  } while (std::next_permutation(lambda.begin(), lambda.end()));
}

/// Gauss-Jacobi rules in each direction of the collapsed cube: any degree.
SimplexRule collapsed_rule(int dimension, int degree) {
  const auto n = static_cast<std::size_t>(degree / 2 + 1);
  const auto d = static_cast<std::size_t>(dimension);
  SimplexRule rule;
  rule.corners = d + 1;
  std::vector<Rule> axes;
  for (std::size_t k = 0; k < d; ++k) {
    axes.push_back(gauss_jacobi(n, static_cast<double>(d - 1 - k), 0));
  }
  std::size_t total = 1;
  for (std::size_t k = 0; k < d; ++k) total *= n;
  for (std::size_t p = 0; p < total; ++p) {
    double left = 1, weight = 1;
    std::size_t rest = p;
    std::vector<double> lambda;
    for (std::size_t k = 0; k < d; ++k, rest /= n) {
      const double s = (1 + axes[k].nodes[rest % n]) / 2;
      weight *= axes[k].weights[rest % n];
      lambda.push_back(left * s);
      left *= 1 - s;
    }
    lambda.push_back(left);
    rule.lambda.insert(rule.lambda.end(), lambda.begin(), lambda.end());
    rule.weights.push_back(weight);
  }
  double sum = 0;
  for (const double w : rule.weights) sum += w;
  for (double& w : rule.weights) w /= sum;
  return rule;
}

}  // namespace

SimplexRule simplex_rule(int dimension, int degree) {
  SimplexRule rule;
  rule.corners = static_cast<std::size_t>(dimension) + 1;
  if (dimension == 0) {
    add_orbit(rule, {1}, 1);
  } else if (degree <= 1) {
    add_orbit(rule, std::vector<double>(rule.corners, 1.0 / static_cast<double>(rule.corners)), 1);
  } else if (dimension == 2 && degree == 2) {
    add_orbit(rule, {2.0 / 3, 1.0 / 6, 1.0 / 6}, 1.0 / 3);
  } else if (dimension == 2 && degree <= 4) {  // Dunavant, 6 points
    constexpr double a = 0.44594849091596488632, b = 0.09157621350977074346;
    add_orbit(rule, {a, a, 1 - 2 * a}, 0.22338158967801146570);
    add_orbit(rule, {b, b, 1 - 2 * b}, 0.10995174365532186764);
  } else if (dimension == 2 && degree == 5) {  // Radon, 7 points
    const double root = std::sqrt(15.0), a = (6 + root) / 21, b = (6 - root) / 21;
    add_orbit(rule, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 0.225);
    add_orbit(rule, {a, a, 1 - 2 * a}, (155 + root) / 1200);
    add_orbit(rule, {b, b, 1 - 2 * b}, (155 - root) / 1200);
  } else if (dimension == 3 && degree == 2) {
    const double b = (5 - std::sqrt(5.0)) / 20;
    add_orbit(rule, {b, b, b, 1 - 3 * b}, 0.25);
  } else if (dimension == 3 && (degree == 4 || degree == 5)) {  // Walkington, 14 points
    constexpr double a = 0.31088591926330060980, b = 0.09273525031089122640;
    constexpr double c = 0.04550370412564964949;
    add_orbit(rule, {a, a, a, 1 - 3 * a}, 0.11268792571801585080);
    add_orbit(rule, {b, b, b, 1 - 3 * b}, 0.07349304311636194934);
    add_orbit(rule, {c, c, 0.5 - c, 0.5 - c}, 0.04254602077708146643);
  } else {
    return collapsed_rule(dimension, degree);
  }
  return rule;
}

std::size_t LagrangeBasis::size() const {
  return order == 1 ? corners() : corners() + MeshEdges::per_cell(dimension);
}

void LagrangeBasis::values(const double* lambda, double* phi) const {
  const std::size_t n = corners();
  for (std::size_t k = 0; k < n; ++k) {
    phi[k] = order == 1 ? lambda[k] : lambda[k] * (2 * lambda[k] - 1);
  }
  for (std::size_t a = n; a < size(); ++a) {
    const auto [i, j] = MeshEdges::edge_ends[a - n];
    phi[a] = 4 * lambda[i] * lambda[j];
  }
}

void LagrangeBasis::slopes(const double* lambda, double* slope) const {
  const std::size_t n = corners();
  std::fill_n(slope, size() * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) slope[k * n + k] = order == 1 ? 1 : 4 * lambda[k] - 1;
  for (std::size_t a = n; a < size(); ++a) {
    const auto [i, j] = MeshEdges::edge_ends[a - n];
    slope[a * n + static_cast<std::size_t>(i)] = 4 * lambda[j];
    slope[a * n + static_cast<std::size_t>(j)] = 4 * lambda[i];
  }
}

void LagrangeBasis::curvatures(double* curvature) const {
  const std::size_t n = corners();
  std::fill_n(curvature, size() * n * n, 0.0);
  if (order == 1) return;
  for (std::size_t k = 0; k < n; ++k) curvature[(k * n + k) * n + k] = 4;
  for (std::size_t a = n; a < size(); ++a) {
    const auto i = static_cast<std::size_t>(MeshEdges::edge_ends[a - n][0]);
    const auto j = static_cast<std::size_t>(MeshEdges::edge_ends[a - n][1]);
    curvature[(a * n + i) * n + j] = curvature[(a * n + j) * n + i] = 4;
  }
}

}  // namespace cauchy::detail
