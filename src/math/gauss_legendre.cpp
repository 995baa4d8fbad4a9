#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cmath>
#include <numbers>

// Newton's method for P_n(cos theta) = 0 in the angle theta, where no digits are lost near the
// ends: y = 1 - x = 2 sin^2(theta/2). P_n comes from the three-term recurrence written for
// differences (small n, and the nodes next to the end point) or from the Stieltjes expansion, whose
// error there is below the rounding (all other nodes of large n). Extended precision keeps the
// rounding errors of long recurrences and of large phases n * theta below those of the final
// result.

namespace cauchy {
namespace {

using Real = long double;
constexpr Real legendre_pi = std::numbers::pi_v<Real>;
constexpr std::size_t recurrence_limit = 200;  // largest n that uses the recurrence for all nodes
constexpr std::size_t edge_nodes = 15;         // nodes per end that use it for larger n

/// P_n and dP_n/dtheta at x = cos theta.
struct Value {
  Real p, dp;
};

/// (k+1) (P_{k+1} - P_k) = k (P_k - P_{k-1}) - (2k+1) y P_k, O(n).
Value by_recurrence(std::size_t n, Real theta) {
  const Real h = std::sin(theta / 2), y = 2 * h * h;
  Real p = 1, difference = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Real m = static_cast<Real>(k);
    difference = (m * difference - (2 * m + 1) * y * p) / (m + 1);
    p += difference;
  }
  // (1 - x^2) P_n' = n (P_{n-1} - x P_n) = n (y P_n - difference).
  return {p, static_cast<Real>(n) * (difference - y * p) / std::sin(theta)};
}

/// Stieltjes' asymptotic series
///   P_n(cos t) = C sum_m h_m cos((n+m+1/2) t - (m+1/2) pi/2) / (2 sin t)^(m+1/2),
///   h_m = prod_{j=1..m} (j-1/2)^2 / (j (n+j+1/2)),   scale = C = 2/sqrt(pi) n! / Gamma(n+3/2).
/// Terms shrink like m! / (2 n sin t)^m; fewer than 30 reach the rounding level for edge_nodes
/// = 15.
Value by_expansion(std::size_t n, Real theta, Real scale) {
  const Real s = std::sin(theta), c = std::cos(theta), cot = c / s;
  const Real phase = (static_cast<Real>(n) + 0.5L) * theta - legendre_pi / 4;
  Real cos_a = std::cos(phase), sin_a = std::sin(phase);
  Real factor = scale / std::sqrt(2 * s), p = 0, dp = 0;
  for (std::size_t m = 0; m < 30; ++m) {
    const Real j = static_cast<Real>(m), frequency = static_cast<Real>(n) + j + 0.5L;
    p += factor * cos_a;
    dp -= factor * (frequency * sin_a + (j + 0.5L) * cot * cos_a);
    const Real next = factor * (j + 0.5L) * (j + 0.5L) / ((j + 1) * (frequency + 1) * 2 * s);
    if (next < 1e-21L * scale || next >= factor) break;
    factor = next;
    const Real turned = cos_a * s + sin_a * c;  // the angle grows by theta - pi/2
    sin_a = sin_a * s - cos_a * c;
    cos_a = turned;
  }
  return {p, dp};
}

/// Start for the k-th angle (k from 1): Gatteschi's formula with McMahon's Bessel zeros.
Real start_angle(std::size_t n, std::size_t k) {
  const Real b = (static_cast<Real>(k) - 0.25L) * legendre_pi, r = 1 / (8 * b), r2 = r * r;
  const Real zero = b + r * (1 - r2 * (124.0L / 3 - r2 * 120928.0L / 15));
  const Real nu = static_cast<Real>(n) + 0.5L, psi = zero / nu;
  return psi + (psi / std::tan(psi) - 1) / (8 * psi * nu * nu);
}

}  // namespace

Rule gauss_legendre(std::size_t n) {
  if (n == 0) throw Error("the number of nodes must be positive, got 0", "[math.quadrature]");
  require_memory(16 * static_cast<double>(n), fmt::format("a rule of {} nodes", n),
                 "use fewer nodes", "[math.quadrature]");
  const Real nr = static_cast<Real>(n);
  Real scale = 4 / legendre_pi;
  for (std::size_t j = 1; n > recurrence_limit && j <= n; ++j)
    scale *= static_cast<Real>(j) / (static_cast<Real>(j) + 0.5L);

  Rule rule{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = 1; 2 * k <= n + 1; ++k) {
    const bool middle = 2 * k == n + 1;
    const bool recurrence = n <= recurrence_limit || k <= edge_nodes;
    Real theta = middle ? legendre_pi / 2 : start_angle(n, k);
    Real slope = 0;
    for (int iteration = 0; iteration < 10; ++iteration) {
      const Value v = recurrence ? by_recurrence(n, theta) : by_expansion(n, theta, scale);
      const Real step = middle ? 0 : -v.p / v.dp;
      // Slope at the new angle, from Legendre's equation P'' = -cot P' - n(n+1) P.
      slope = v.dp + step * (-v.dp / std::tan(theta) - nr * (nr + 1) * v.p);
      theta += step;
      // Newton's error is about cot(theta)/2 step^2, that of the slope about (n step)^2 / 2.
      if (std::abs(nr * step) < 1e-9L) break;
    }
    const double weight = static_cast<double>(2 / (slope * slope));
    // sin of the complement keeps the small middle nodes accurate.
    const double x = middle ? 0 : static_cast<double>(std::sin(legendre_pi / 2 - theta));
    rule.nodes[k - 1] = -x;
    rule.nodes[n - k] = x;
    rule.weights[k - 1] = rule.weights[n - k] = weight;
  }
  return rule;
}

}  // namespace cauchy
