#include "optimizers/cgls.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "optimizers/vector_ops.hpp"

namespace cauchy::detail {

CglsResult cgls(FunctionRef<void(std::span<const double>, std::span<double>)> times,
                FunctionRef<void(std::span<const double>, std::span<double>)> transposed, double mu,
                std::span<const double> r, double tolerance, std::uint64_t max_iterations,
                std::span<double> d) {
  // e = -(J d + r), s = J'e - mu d (minus half the gradient), p: conjugate directions, q = J p.
  const std::size_t m = r.size(), n = d.size();
  std::vector<double> e(m), q(m), s(n), p(n);
  std::fill(d.begin(), d.end(), 0.0);
  for (std::size_t i = 0; i < m; ++i) e[i] = -r[i];
  transposed(e, s);
  p = s;
  CglsResult result;
  const double start = norm(s);
  double square = dot(s, s);
  while (result.iterations < max_iterations && result.relative_gradient > tolerance && start > 0) {
    times(p, q);
    const double curvature = dot(q, q) + mu * dot(p, p);
    const double a = square / curvature;
    if (!(curvature > 0) || !std::isfinite(a)) break;
    add_scaled(a, p, d);
    add_scaled(-a, q, e);
    transposed(e, s);
    add_scaled(-mu, d, s);
    const double next = dot(s, s);
    if (!std::isfinite(next)) {
      add_scaled(-a, p, d);
      break;
    }
    ++result.iterations;
    result.decrease += a * square;
    result.relative_gradient = std::sqrt(next) / start;
    const double b = next / square;
    for (std::size_t i = 0; i < n; ++i) p[i] = s[i] + b * p[i];
    square = next;
  }
  return result;
}

}  // namespace cauchy::detail
