#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace cauchy {

/// sup |F_n - F| of the numbers x against the distribution function `cdf`.
template <class F>
double ks_distance(std::vector<double> x, const F& cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cdf(x[i]);
    largest =
        std::max({largest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return largest;
}

/// P(sup |F_n - F| > e) <= 2 exp(-2 n e^2) (Dvoretzky, Kiefer, Wolfowitz, Massart): the e that
/// independent numbers of the right law exceed with probability 1e-6 at most.
inline double ks_limit(std::size_t n) {
  return std::sqrt(std::log(2e6) / (2 * static_cast<double>(n)));
}

}  // namespace cauchy
