#include <cauchy/sampling/rejection.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr std::string_view rejection_place = "[sampling.rejection]";

void check(double bound, std::span<const double> lower, std::span<const double> upper) {
  if (lower.empty() || lower.size() != upper.size()) {
    throw Error(fmt::format("the box has {} lower and {} upper ends", lower.size(), upper.size()),
                rejection_place);
  }
  for (std::size_t k = 0; k < lower.size(); ++k) {
    if (!(lower[k] < upper[k]) || !std::isfinite(lower[k]) || !std::isfinite(upper[k])) {
      throw Error(fmt::format("side {} goes from {} to {}", k, lower[k], upper[k]), rejection_place,
                  "the lower end must be below the upper one, both finite");
    }
  }
  if (!(bound > 0) || !std::isfinite(bound)) {
    throw Error(fmt::format("the bound must be positive and finite, got {}", bound),
                rejection_place);
  }
}

}  // namespace

std::vector<double> rejection_sample(FunctionRef<double(std::span<const double>)> density,
                                     double bound, std::span<const double> lower,
                                     std::span<const double> upper, std::size_t n, Rng& rng,
                                     std::size_t max_tries) {
  check(bound, lower, upper);
  const std::size_t d = lower.size();
  if (n > (std::size_t{1} << 60) / d) throw Error("too many points", rejection_place);
  std::vector<double> points(n * d), x(d);
  for (std::size_t i = 0, rejected = 0; i < n;) {
    for (std::size_t k = 0; k < d; ++k) x[k] = rng.uniform(lower[k], upper[k]);
    const double u = rng.uniform();
    const double value = density(x);
    if (!(value >= 0)) {
      throw Error(fmt::format("the density is {} at ({})", value, fmt::join(x, ", ")),
                  rejection_place, "a density must not be negative or NaN");
    }
    if (value > bound) {
      throw Error(fmt::format("the density is {} at ({}), above the bound {}", value,
                              fmt::join(x, ", "), bound),
                  rejection_place, "raise the bound");
    }
    if (u * bound < value) {
      for (std::size_t k = 0; k < d; ++k) points[i * d + k] = x[k];
      ++i;
      rejected = 0;
    } else if (++rejected >= max_tries) {
      throw Error(fmt::format("{} points in a row were rejected, {} of {} points are found",
                              rejected, i, n),
                  rejection_place, "lower the bound, shrink the box, or use another method");
    }
  }
  return points;
}

}  // namespace cauchy
