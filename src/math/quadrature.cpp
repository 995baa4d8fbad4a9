#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cmath>
#include <numbers>

namespace cauchy {
namespace {

using Real = long double;
constexpr Real long_pi = std::numbers::pi_v<Real>;

void require_nodes(std::size_t n, std::size_t least, std::size_t most = SIZE_MAX) {
  if (n < least || n > most)
    throw Error(
        most == SIZE_MAX
            ? fmt::format("the number of nodes must be at least {}, got {}", least, n)
            : fmt::format("the number of nodes must be between {} and {}, got {}", least, most, n),
        "[math.quadrature]");
  // Four extended numbers a node.
  require_memory(64 * static_cast<double>(n), fmt::format("a rule of {} nodes", n),
                 "use fewer nodes", "[math.quadrature]");
}

/// Rules by eigenvalues take time like the square of their nodes.
constexpr std::size_t most_nodes = 20'000;

void require_weight_exponent(const char* name, double value) {
  if (!(value > -1) || !std::isfinite(value))
    throw Error(fmt::format("{} must be finite and greater than -1, got {}", name, value),
                "[math.quadrature]");
}

/// Monic recurrence p_{k+1} = (x - a_k) p_k - b_k p_{k-1} of an orthogonal family; b_0 is the total
/// weight.
struct MonicRecurrence {
  std::vector<Real> a, b;
};

MonicRecurrence jacobi_recurrence(std::size_t n, Real alpha, Real beta) {
  const Real s = alpha + beta;
  MonicRecurrence r{std::vector<Real>(n), std::vector<Real>(n)};
  for (std::size_t k = 0; k < n; ++k) {
    const Real m = static_cast<Real>(k), t = 2 * m + s;
    r.a[k] = k == 0 ? (beta - alpha) / (s + 2) : (beta - alpha) * s / (t * (t + 2));
    if (k == 0)
      r.b[k] = std::exp2(s + 1) *
               std::exp(std::lgamma(alpha + 1) + std::lgamma(beta + 1) - std::lgamma(s + 2));
    else if (k == 1)
      r.b[k] = 4 * (1 + alpha) * (1 + beta) / ((s + 2) * (s + 2) * (s + 3));
    else
      r.b[k] = 4 * m * (m + alpha) * (m + beta) * (m + s) / (t * t * (t + 1) * (t - 1));
  }
  return r;
}

/// Gauss nodes of a recurrence in extended precision: the eigenvalues of the tridiagonal Jacobi
/// matrix (Golub and Welsch), each polished by Newton's method on the orthonormal recurrence, and
/// the weights 1 / sum_k p_k(x)^2 (Christoffel), a sum of positive terms.
struct ExtendedRule {
  std::vector<Real> nodes, weights;
};

ExtendedRule gauss(const MonicRecurrence& r) {
  const std::size_t n = r.a.size();
  if (!std::isnormal(static_cast<double>(r.b[0])))
    throw Error("the total weight of the rule is no double", "[math.quadrature]",
                "the exponents of the weight are too large");
  std::vector<double> diagonal(n), off(n - 1);
  std::vector<Real> root(n), inverse(n + 1, 1);
  for (std::size_t k = 0; k < n; ++k) {
    diagonal[k] = static_cast<double>(r.a[k]);
    root[k] = std::sqrt(r.b[k]);
    inverse[k] = 1 / root[k];
    if (k > 0) off[k - 1] = static_cast<double>(root[k]);
  }
  const auto eigen = tridiagonal_eigenvalues(diagonal, off);
  if (eigen.status != Factorization::ok)
    throw Error("the eigenvalues of the Jacobi matrix could not be computed", "[math.quadrature]",
                "the exponents of the weight are too large");
  ExtendedRule rule{std::vector<Real>(n), std::vector<Real>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    Real x = eigen.values[i], sum = 0;
    // Two Newton steps take the eigenvalue's 1e-15 to the extended precision. p_n is left without
    // its factor 1 / sqrt(b_n), which does not move the root.
    for (int step = 0; step < 2; ++step) {
      Real previous = 0, current = inverse[0], d_previous = 0, d_current = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const Real t = x - r.a[k], coupling = k > 0 ? root[k] : 0;
        const Real next = (t * current - coupling * previous) * inverse[k + 1];
        const Real d_next = (current + t * d_current - coupling * d_previous) * inverse[k + 1];
        previous = current;
        current = next;
        d_previous = d_current;
        d_current = d_next;
      }
      x -= current / d_current;
    }
    Real previous = 0, current = inverse[0];
    for (std::size_t k = 0; k < n; ++k) {
      sum += current * current;
      const Real coupling = k > 0 ? root[k] : 0;
      const Real next = ((x - r.a[k]) * current - coupling * previous) * inverse[k + 1];
      previous = current;
      current = next;
    }
    rule.nodes[i] = x;
    rule.weights[i] = 1 / sum;
  }
  return rule;
}

Rule rounded(const ExtendedRule& r) {
  Rule rule;
  for (const Real x : r.nodes) rule.nodes.push_back(static_cast<double>(x));
  for (const Real w : r.weights) rule.weights.push_back(static_cast<double>(w));
  return rule;
}

/// Makes a rule of an even weight symmetric bit for bit.
void symmetrise(Rule& rule) {
  const std::size_t n = rule.size();
  for (std::size_t i = 0; i < n / 2; ++i) {
    rule.nodes[i] = -rule.nodes[n - 1 - i];
    rule.weights[i] = rule.weights[n - 1 - i];
  }
  if (n % 2 == 1) rule.nodes[n / 2] = 0;
}

}  // namespace

Rule gauss_jacobi(std::size_t n, double alpha, double beta) {
  require_nodes(n, 1, most_nodes);
  require_weight_exponent("alpha", alpha);
  require_weight_exponent("beta", beta);
  Rule rule = rounded(gauss(jacobi_recurrence(n, alpha, beta)));
  if (alpha == beta) symmetrise(rule);
  return rule;
}

Rule gauss_lobatto(std::size_t n) {
  require_nodes(n, 2, most_nodes);
  // Inner nodes are the zeros of P'_{n-1}, a multiple of the Jacobi polynomial (1, 1) of degree n -
  // 2; weights are 2 / (n (n-1) P_{n-1}(x)^2), stationary at these nodes.
  const Real nr = static_cast<Real>(n), edge = 2 / (nr * (nr - 1));
  ExtendedRule inner;
  if (n > 2) inner = gauss(jacobi_recurrence(n - 2, 1, 1));
  Rule rule{std::vector<double>(n), std::vector<double>(n)};
  rule.nodes.back() = 1;
  rule.weights.back() = static_cast<double>(edge);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const Real x = inner.nodes[i - 1];
    Real previous = 0, p = 1;
    for (std::size_t k = 0; k + 1 < n; ++k) {
      const Real m = static_cast<Real>(k);
      const Real next = ((2 * m + 1) * x * p - m * previous) / (m + 1);
      previous = p;
      p = next;
    }
    rule.nodes[i] = static_cast<double>(x);
    rule.weights[i] = static_cast<double>(edge / (p * p));
  }
  symmetrise(rule);
  return rule;
}

Rule clenshaw_curtis(std::size_t n) {
  require_nodes(n, 1, most_nodes);
  if (n == 1) return {{0}, {2}};
  // w_k = (c_k / N) (1 - sum_{j=1..N/2} b_j cos(2 j k pi / N) / (4 j^2 - 1)), N = n - 1, with c = 1
  // at the ends, 2 inside, and b = 1 for j = N/2, 2 otherwise. Only 2N different cosines occur.
  const std::size_t intervals = n - 1;
  const Real nr = static_cast<Real>(intervals);
  std::vector<double> cosine(intervals);  // cos(2 pi i / N)
  for (std::size_t i = 0; i < intervals; ++i)
    cosine[i] = static_cast<double>(std::cos(2 * long_pi * static_cast<Real>(i) / nr));
  Rule rule{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = 0; 2 * k <= intervals; ++k) {
    double sum = 0;
    // Small terms first.
    for (std::size_t j = intervals / 2; j >= 1; --j) {
      const double jr = static_cast<double>(j), b = 2 * j == intervals ? 1 : 2;
      sum += b * cosine[j * k % intervals] / (4 * jr * jr - 1);
    }
    const double weight = (k == 0 ? 1 : 2) * (1 - sum) / static_cast<double>(intervals);
    const Real angle = long_pi * (nr - 2 * static_cast<Real>(k)) / (2 * nr);
    rule.nodes[n - 1 - k] = static_cast<double>(std::sin(angle));
    rule.weights[n - 1 - k] = weight;
  }
  symmetrise(rule);
  return rule;
}

Rule gauss_hermite(std::size_t n) {
  require_nodes(n, 1, 2000);
  MonicRecurrence r{std::vector<Real>(n, 0), std::vector<Real>(n)};
  for (std::size_t k = 0; k < n; ++k)
    r.b[k] = k == 0 ? std::sqrt(long_pi) : static_cast<Real>(k) / 2;
  Rule rule = rounded(gauss(r));
  symmetrise(rule);
  return rule;
}

Rule gauss_laguerre(std::size_t n, double alpha) {
  require_nodes(n, 1, 2000);
  require_weight_exponent("alpha", alpha);
  MonicRecurrence r{std::vector<Real>(n), std::vector<Real>(n)};
  for (std::size_t k = 0; k < n; ++k) {
    const Real m = static_cast<Real>(k);
    r.a[k] = 2 * m + 1 + alpha;
    r.b[k] = k == 0 ? std::tgamma(static_cast<Real>(alpha) + 1) : m * (m + alpha);
  }
  return rounded(gauss(r));
}

Rule scaled(const Rule& rule, double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b))
    throw Error(fmt::format("the interval [{}, {}] must be finite", a, b), "[math.quadrature]");
  Rule out = rule;
  const double half = b / 2 - a / 2, middle = a / 2 + b / 2;
  for (double& x : out.nodes) x = middle + half * x;
  for (double& w : out.weights) w *= half;
  return out;
}

}  // namespace cauchy
