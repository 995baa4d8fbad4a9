// Runs:    second_derivative_by_chance [PICTURE.svg]
// Expects: the estimate (f'(x + d W) - f'(x)) W / d of f'' with normal W (Deep Galerkin Method):
// its
//          bias falls like d^2, since odd moments of W vanish, not like d; its variance does not
//          fall. The square of one estimate is therefore wrong by the variance in the mean, the
//          product of two independent ones is not; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>
#include <numbers>

using namespace cauchy;

int main(int argc, char** argv) {
  // f = exp(sin(2 x)) at x = -0.3.
  constexpr double x = -0.3;
  const auto slope = [](double s) { return 2 * std::cos(2 * s) * std::exp(std::sin(2 * s)); };
  const double c = std::cos(2 * x), s = std::sin(2 * x);
  const double exact = 4 * (c * c - s) * std::exp(s);
  const auto estimate = [&](double w, double d) { return (slope(x + d * w) - slope(x)) * w / d; };
  const Rule hermite = gauss_hermite(60);
  const auto mean = [&](auto f) {
    return hermite.integrate([&](double r) { return f(std::numbers::sqrt2 * r); }) *
           std::numbers::inv_sqrtpi;
  };
  std::vector<double> steps, bias, deviation;
  for (double d = 0.2; d > 0.004; d /= 2) {
    const double m = mean([&](double w) { return estimate(w, d); });
    const double m2 = mean([&](double w) { return std::pow(estimate(w, d), 2); });
    steps.push_back(d);
    bias.push_back(std::abs(m - exact));
    deviation.push_back(std::sqrt(m2 - m * m));
    fmt::print("d = {:.5f}: bias {:.2e}, deviation {:.3f}\n", d, bias.back(), deviation.back());
  }
  // f'' W^2 has the variance 2 f''^2: the square of one estimate is 3 f''^2 in the mean.
  const double order = std::log2(bias.end()[-2] / bias.back());
  const double variance = deviation.back() * deviation.back() / (exact * exact);
  fmt::print("order of the bias {:.2f}; variance {:.3f} f''^2\n", order, variance);
  bool good = std::abs(order - 2) < 0.05 && std::abs(variance - 2) < 0.02;
  Rng rng(1);
  double one = 0, two = 0;
  constexpr int n = 200'000;
  for (int i = 0; i < n; ++i) {
    const double a = estimate(rng.normal(), 0.01), b = estimate(rng.normal(), 0.01);
    one += a * a / n;
    two += a * b / n;
  }
  fmt::print("squares of one {:.3f}, products of two {:.3f}\n", one, two);
  good = good && std::abs(two / (exact * exact) - 1) < 4 * std::sqrt(8.0 / n) && one > 2.5 * two;
  Plot plot({.title = "second derivative by chance",
             .x = {.label = "step d", .scale = AxisScale::log},
             .y = {.scale = AxisScale::log}});
  plot.line(steps, bias, {.name = "bias", .markers = true});
  plot.line(steps, deviation, {.name = "deviation", .markers = true});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_width = 460}));
  return good ? 0 : 1;
}
