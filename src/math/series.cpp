#include <cauchy/math/series.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <cauchy/base/error.hpp>
#include <cauchy/math/quadrature.hpp>

namespace cauchy {
namespace {

constexpr std::size_t nodes_per_panel = 20;

/// Gauss points of equal panels between the breaks.
Rule piecewise_rule(double a, double b, std::span<const double> breaks, std::size_t panels) {
  std::vector<double> ends = {a};
  for (const double x : breaks) {
    if (x > ends.back() && x < b) ends.push_back(x);
  }
  ends.push_back(b);
  Rule all;
  for (std::size_t piece = 0; piece + 1 < ends.size(); ++piece) {
    const double h = (ends[piece + 1] - ends[piece]) / static_cast<double>(panels);
    for (std::size_t p = 0; p < panels; ++p) {
      const double from = ends[piece] + static_cast<double>(p) * h;
      const Rule rule = scaled(gauss_legendre(nodes_per_panel), from, from + h);
      all.nodes.insert(all.nodes.end(), rule.nodes.begin(), rule.nodes.end());
      all.weights.insert(all.weights.end(), rule.weights.begin(), rule.weights.end());
    }
  }
  return all;
}

}  // namespace

double GeneralizedSeries::residual(std::size_t n) const {
  double rest = squared_norm;
  for (std::size_t k = 0; k < std::min(n, coefficients.size()); ++k) {
    rest -= coefficients[k] * coefficients[k];
  }
  return std::sqrt(std::max(0.0, rest));
}

GeneralizedSeries generalized_series(const std::function<double(double)>& f,
                                     const std::function<double(std::size_t, double)>& basis,
                                     std::size_t n, double a, double b,
                                     const std::function<double(double)>& weight,
                                     std::span<const double> breaks, std::size_t panels) {
  if (!(a < b) || panels == 0) {
    throw Error("a series needs an interval a < b and at least one panel", "[math.series]");
  }
  const Rule rule = piecewise_rule(a, b, breaks, panels);
  GeneralizedSeries s;
  s.coefficients.assign(n, 0);
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    const double x = rule.nodes[i], value = f(x);
    const double w = rule.weights[i] * (weight ? weight(x) : 1);
    s.squared_norm += w * value * value;
    for (std::size_t k = 0; k < n; ++k) s.coefficients[k] += w * value * basis(k, x);
  }
  return s;
}

std::vector<std::complex<double>> fourier_coefficients(const std::function<double(double)>& f,
                                                       std::size_t n,
                                                       std::span<const double> breaks) {
  constexpr double half_turn = std::numbers::pi;
  const Rule rule = piecewise_rule(-half_turn, half_turn, breaks, std::max<std::size_t>(16, n / 4));
  std::vector<std::complex<double>> c(2 * n + 1);
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    const double value = rule.weights[i] * f(rule.nodes[i]) / (2 * half_turn);
    for (std::size_t k = 0; k <= n; ++k) {
      c[n + k] += value * std::polar(1.0, -static_cast<double>(k) * rule.nodes[i]);
    }
  }
  for (std::size_t k = 1; k <= n; ++k) c[n - k] = std::conj(c[n + k]);
  return c;
}

double fourier_sum(std::span<const std::complex<double>> c, double x) {
  const std::size_t n = c.size() / 2;
  double sum = c[n].real();
  for (std::size_t k = 1; k <= n; ++k) {
    sum += 2 * (c[n + k] * std::polar(1.0, static_cast<double>(k) * x)).real();
  }
  return sum;
}

double heat_kernel(double r, double t, int d) {
  if (!(t > 0) || d < 1) {
    throw Error("a heat kernel needs t > 0 and a dimension of at least 1", "[math.series]");
  }
  return std::pow(4 * std::numbers::pi * t, -0.5 * d) * std::exp(-r * r / (4 * t));
}

double interval_heat_kernel(double x, double y, double t, double length) {
  if (!(t > 0) || !(length > 0)) {
    throw Error("a heat kernel needs t > 0 and a positive length", "[math.series]");
  }
  const double k = std::numbers::pi / length;
  double sum = 0;
  for (int n = 1;; ++n) {
    const double decay = std::exp(-n * k * n * k * t);
    if (decay < 1e-17) break;
    sum += 2 / length * std::sin(n * k * x) * std::sin(n * k * y) * decay;
  }
  return sum;
}

}  // namespace cauchy
