#pragma once

#include <cstddef>
#include <vector>

namespace cauchy {

/// Nodes (ascending) and weights: the integral of w(x) f(x) is about sum_i weights[i] f(nodes[i]).
struct Rule {
  std::vector<double> nodes, weights;

  [[nodiscard]] std::size_t size() const noexcept { return nodes.size(); }

  /// sum_i weights[i] f(nodes[i]).
  template <class F>
  [[nodiscard]] double integrate(F&& f) const {
    double sum = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) sum += weights[i] * f(nodes[i]);
    return sum;
  }
};

// All rules live on [-1, 1] unless said otherwise; n is the number of nodes. n = 0, exponents
// outside their range and total weights that no double holds throw Error. Weights are positive.

/// Gauss-Legendre, w = 1, exact for degree 2n - 1. Nodes and weights accurate to about 1 ulp for
/// any n (tested to 10^6); symmetric bit for bit. O(n^2) up to n = 200, O(n) beyond: n = 10^4 takes
/// milliseconds.
Rule gauss_legendre(std::size_t n);

/// Gauss-Jacobi, w = (1-x)^alpha (1+x)^beta with alpha, beta > -1, exact for degree 2n - 1. O(n^2):
/// n = 1000 takes about 0.1 s.
Rule gauss_jacobi(std::size_t n, double alpha, double beta);

/// Gauss-Lobatto, w = 1, with both end points, n >= 2, exact for degree 2n - 3. O(n^2).
Rule gauss_lobatto(std::size_t n);

/// Clenshaw-Curtis, w = 1, nodes cos(pi k / (n - 1)), exact for degree n - 1 (n for odd n). O(n^2);
/// n = 1 is the midpoint rule.
Rule clenshaw_curtis(std::size_t n);

/// Gauss-Hermite, w = exp(-x^2) on the real line, exact for degree 2n - 1. O(n^2). Weights below
/// the smallest double are 0; n <= 2000.
Rule gauss_hermite(std::size_t n);

/// Gauss-Laguerre, w = x^alpha exp(-x) on x > 0 with alpha > -1, exact for degree 2n - 1. O(n^2).
/// Weights below the smallest double are 0; n <= 2000.
Rule gauss_laguerre(std::size_t n, double alpha = 0);

/// The rule moved from [-1, 1] to [a, b], for weight 1; a > b integrates backwards. Error unless
/// both are finite.
Rule scaled(const Rule& rule, double a, double b);

}  // namespace cauchy
