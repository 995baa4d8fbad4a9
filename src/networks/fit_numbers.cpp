#include "networks/fit_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/math/lapack.hpp>

namespace cauchy::detail {

void fit_numbers(std::span<double> numbers, std::size_t n_rows,
                 FunctionRef<double(std::span<const double>, std::size_t, std::span<double>)> row,
                 int most_steps) {
  constexpr double most_damping = 1e12, least_damping = 1e-15, least_gain = 1e-14;
  const std::size_t n = numbers.size();
  if (n == 0) return;
  const auto squares = [&](std::span<const double> p) {
    double sum = 0;
    for (std::size_t k = 0; k < n_rows; ++k) {
      const double r = row(p, k, {});
      sum += r * r;
    }
    return std::isfinite(sum) ? sum : INFINITY;
  };
  double damping = 1e-3, now = squares(numbers);
  std::vector<double> g(n), trial(n);
  for (int step = 0; step < most_steps; ++step) {
    Matrix normal(n, n), rhs(n, 1);
    for (std::size_t k = 0; k < n_rows; ++k) {
      const double r = row(numbers, k, g);
      for (std::size_t i = 0; i < n; ++i) {
        rhs(i, 0) -= g[i] * r;
        for (std::size_t j = 0; j <= i; ++j) normal(i, j) += g[i] * g[j];
      }
    }
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, normal(i, i));
    double then = INFINITY;
    for (; damping < most_damping; damping *= 10) {
      Matrix damped = normal, d = rhs;
      for (std::size_t i = 0; i < n; ++i) {  // numbers without influence get a diagonal too
        damped(i, i) += damping * std::max(normal(i, i), 1e-12 * largest);
      }
      const auto factor = cholesky(damped);
      if (factor.status != Factorization::ok) continue;
      factor.solve(MatrixView<double>(d.data(), n, 1));
      for (std::size_t i = 0; i < n; ++i) trial[i] = numbers[i] + d(i, 0);
      then = squares(trial);
      if (then < now) break;
    }
    if (!(then < now)) return;
    std::ranges::copy(trial, numbers.begin());
    const bool done = now - then <= least_gain * now;
    now = then;
    damping = std::max(damping / 10, least_damping);
    if (done) return;
  }
}

}  // namespace cauchy::detail
