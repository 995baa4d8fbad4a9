#include "problem/field_units.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {
namespace {

constexpr double constant_below = 1e-6, zero_below = 1e-7, unit_of_zero = 1e-3;

}  // namespace

std::vector<double> field_units(std::span<const double> right, std::span<const double> found,
                                std::size_t n_fields) {
  std::vector<double> units(n_fields);
  for (std::size_t f = 0; f < n_fields; ++f) {
    double low = INFINITY, high = -INFINITY, squares = 0;
    std::size_t n = 0;
    for (std::size_t i = f; i < right.size(); i += n_fields, ++n) {
      squares += right[i] * right[i];
      for (const double v : {right[i], found[i]}) {
        if (!std::isfinite(v)) continue;
        low = std::min(low, v);
        high = std::max(high, v);
      }
    }
    const double size = n > 0 ? std::sqrt(squares / static_cast<double>(n)) : 0;
    const double variation = high > low ? high - low : 0;
    units[f] = variation > constant_below * size ? std::min(size, variation) : size;
    if (!std::isfinite(units[f])) units[f] = 0;
  }
  const double largest = n_fields == 0 ? 0 : *std::max_element(units.begin(), units.end());
  for (double& unit : units) {
    if (unit <= zero_below * largest) unit = unit_of_zero * largest;
    if (!(unit > 0)) unit = 1;
  }
  return units;
}

}  // namespace cauchy::detail
