#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/problem/place.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy {

/// Largest difference between an expression of the fields and another one, on a grid of n^d points
/// of the closed box (time, space) of a problem; NaN counts as the largest.
inline double largest_difference(const FieldModel& model, const Problem& problem,
                                 const Expr& quantity, const Expr& exact, int n = 13) {
  const Domain domain = domain_of(problem);
  std::vector<double> lower, upper;
  if (domain.time() != nullptr) {
    lower.push_back(domain.time()->lower);
    upper.push_back(domain.time()->upper);
  }
  if (domain.space() != nullptr) {
    const Bounds b = domain.shape()->bounds();
    lower.insert(lower.end(), b.lower.begin(), b.lower.end());
    upper.insert(upper.end(), b.upper.begin(), b.upper.end());
  }
  std::vector<double> points;
  std::size_t total = 1;
  for (std::size_t k = 0; k < lower.size(); ++k) total *= static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < total; ++i) {
    std::size_t rest = i;
    for (std::size_t k = 0; k < lower.size(); ++k, rest /= static_cast<std::size_t>(n)) {
      const auto at = static_cast<double>(rest % static_cast<std::size_t>(n)) / (n - 1);
      points.push_back(lower[k] + at * (upper[k] - lower[k]));
    }
  }
  const Expr both[] = {quantity, exact};
  std::vector<double> values(2 * total);
  model.evaluate(both, points, values);
  double worst = 0;
  for (std::size_t i = 0; i < total; ++i) {
    const double difference = std::abs(values[2 * i] - values[2 * i + 1]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

}  // namespace cauchy
