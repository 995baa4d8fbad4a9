#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <cauchy/base/rng.hpp>

namespace cauchy {

/// A law of one real variable, given by the inverse F^-1 of its distribution function: for U
/// uniform, F^-1(U) follows the law; so do the images of quasi-random numbers.
class InverseCdf final {
 public:
  /// From a non-decreasing function on [a, b]; the law is restricted to the interval, so cdf(a) and
  /// cdf(b) need not be 0 and 1. The quantile is found by bracketing, to 1e-15 (b - a) or 4e-16
  /// relative, in about 10 calls.
  ///   error    throws Error unless a < b are finite, cdf is finite and not decreasing on 65
  ///            equally spaced points, and cdf(a) < cdf(b)
  [[nodiscard]] static InverseCdf from_function(std::function<double(double)> cdf, double a,
                                                double b);

  /// From values of a density at increasing x, linear in between; need not integrate to 1. The
  /// quantile solves a quadratic equation in one cell: exact to rounding, cost O(log m).
  ///   error    throws Error unless there are at least 2 increasing finite x, with one finite value
  ///            >= 0 each, not all in vain (integral 0)
  [[nodiscard]] static InverseCdf from_density(std::span<const double> x,
                                               std::span<const double> density);

  /// Normal law; error unless both are finite and the standard deviation is positive.
  [[nodiscard]] static InverseCdf normal(double mean, double standard_deviation);

  /// F^-1(p); error unless 0 <= p <= 1. The normal law has infinite values at 0 and 1.
  [[nodiscard]] double quantile(double p) const;

  /// n independent numbers; one random word each.
  [[nodiscard]] std::vector<double> sample(std::size_t n, Rng& rng) const;

 private:
  explicit InverseCdf(std::function<double(double)> quantile) : quantile_(std::move(quantile)) {}
  std::function<double(double)> quantile_;
};

}  // namespace cauchy
