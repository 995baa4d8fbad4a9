#include <cauchy/sampling/inverse_cdf.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/roots.hpp>
#include <cauchy/math/special.hpp>

namespace cauchy {
namespace {

constexpr std::string_view inverse_cdf_place = "[sampling.inverse_cdf]";

/// A density that is linear between nodes.
struct PiecewiseLinear {
  std::vector<double> x, f, mass;  // mass[i]: integral from x[0] to x[i]

  [[nodiscard]] double quantile(double p) const {
    const double target = p * mass.back();
    // The first node with more mass, so that cells without mass are never entered.
    const auto above = std::upper_bound(mass.begin(), mass.end(), target);
    if (above == mass.end()) {  // p = 1: the end of the last cell with mass
      const auto first_full = std::lower_bound(mass.begin(), mass.end(), mass.back());
      return x[static_cast<std::size_t>(first_full - mass.begin())];
    }
    const auto i = static_cast<std::size_t>(above - mass.begin()) - 1;
    const double h = x[i + 1] - x[i], slope = (f[i + 1] - f[i]) / h, r = target - mass[i];
    // f t + slope t^2 / 2 = r, in the form without cancellation
    const double root = std::sqrt(std::max(0.0, f[i] * f[i] + 2 * slope * r));
    const double t = r > 0 ? 2 * r / (f[i] + root) : 0;
    return std::clamp(x[i] + t, x[i], x[i + 1]);
  }
};

}  // namespace

InverseCdf InverseCdf::from_function(std::function<double(double)> cdf, double a, double b) {
  if (!(a < b) || !std::isfinite(a) || !std::isfinite(b)) {
    throw Error(fmt::format("the interval goes from {} to {}", a, b), inverse_cdf_place,
                "the lower end must be below the upper one, both finite");
  }
  if (!cdf) throw Error("the distribution function is empty", inverse_cdf_place);
  constexpr int kCells = 64;
  const double low = cdf(a);
  double previous = low;
  for (int i = 0; i <= kCells; ++i) {
    const double x = i == kCells ? b : a + (b - a) * (static_cast<double>(i) / kCells);
    const double value = cdf(x);
    if (!std::isfinite(value) || value < previous) {
      throw Error(
          fmt::format("the distribution function is {} at {}, after {}", value, x, previous),
          inverse_cdf_place, "it must be finite and must not decrease");
    }
    previous = value;
  }
  const double high = previous;
  if (!(low < high)) {
    throw Error(fmt::format("the distribution function is {} at both ends", low), inverse_cdf_place,
                "the interval has no mass");
  }
  return InverseCdf([cdf = std::move(cdf), a, b, low, high](double p) {
    const double target = low * (1 - p) + high * p;
    if (target <= low) return a;
    if (target >= high) return b;
    const RootOptions options{.absolute = 1e-15 * (b - a)};
    const RootResult result = find_root([&](double x) { return cdf(x) - target; }, a, b, options);
    if (result.status != RootStatus::converged) {
      throw Error(fmt::format("no quantile of {} was found: {}", p, to_string(result.status)),
                  inverse_cdf_place, "is the distribution function monotone?");
    }
    return result.root;
  });
}

InverseCdf InverseCdf::from_density(std::span<const double> x, std::span<const double> density) {
  if (x.size() < 2 || x.size() != density.size()) {
    throw Error(fmt::format("{} places and {} values of the density", x.size(), density.size()),
                inverse_cdf_place, "give one value per place, at least 2");
  }
  PiecewiseLinear law{{x.begin(), x.end()}, {density.begin(), density.end()}, {0.0}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || (i > 0 && !(x[i] > x[i - 1]))) {
      throw Error(fmt::format("place {} is {}", i, x[i]), inverse_cdf_place,
                  "places must be finite and increasing");
    }
    if (!(density[i] >= 0) || !std::isfinite(density[i])) {
      throw Error(fmt::format("the density is {} at {}", density[i], x[i]), inverse_cdf_place,
                  "a density must be finite and not negative");
    }
    if (i > 0) {
      law.mass.push_back(law.mass.back() +
                         (x[i] - x[i - 1]) * (density[i - 1] / 2 + density[i] / 2));
    }
  }
  if (!(law.mass.back() > 0) || !std::isfinite(law.mass.back())) {
    throw Error(fmt::format("the integral of the density is {}", law.mass.back()),
                inverse_cdf_place);
  }
  return InverseCdf([law = std::move(law)](double p) { return law.quantile(p); });
}

InverseCdf InverseCdf::normal(double mean, double standard_deviation) {
  if (!std::isfinite(mean) || !(standard_deviation > 0) || !std::isfinite(standard_deviation)) {
    throw Error(fmt::format("a normal law with mean {} and standard deviation {}", mean,
                            standard_deviation),
                inverse_cdf_place, "both must be finite, the second one positive");
  }
  return InverseCdf([=](double p) { return mean + standard_deviation * normal_quantile(p); });
}

double InverseCdf::quantile(double p) const {
  if (!(p >= 0 && p <= 1)) {
    throw Error(fmt::format("there is no quantile of {}", p), inverse_cdf_place,
                "p must lie in [0, 1]");
  }
  return quantile_(p);
}

std::vector<double> InverseCdf::sample(std::size_t n, Rng& rng) const {
  std::vector<double> numbers(n);
  for (double& x : numbers) x = quantile_(rng.uniform());
  return numbers;
}

}  // namespace cauchy
