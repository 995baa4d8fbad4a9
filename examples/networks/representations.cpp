// Runs:    representations
// Expects: 1 / (1 + x^2) on [-pi, pi] by some 30 numbers each: the Taylor polynomial is exact near
// 0
//          and useless beyond its radius 1, the Fourier sum is fair everywhere, networks with one
//          and two hidden layers are better; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/math/series.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/training/loss.hpp>
#include <cmath>

using namespace cauchy;

double target(double x) { return 1 / (1 + x * x); }

/// Largest error on [-reach, reach].
double largest_error(const std::function<double(double)>& g, double reach = pi) {
  double largest = 0;
  for (int i = -500; i <= 500; ++i) {
    const double x = reach * i / 500;
    largest = std::max(largest, std::abs(g(x) - target(x)));
  }
  return largest;
}

double network_error(const Mlp& mlp) {
  const Expr u = Field("u"), x = Coordinate("x");
  const auto graph =
      std::make_shared<const Graph>(make_network(mlp, {"x"}, std::vector<std::string>{"u"}));
  const auto executor = make_executor(graph, {{"fit", {u - 1 / (1 + x * x)}}}, {.threads = 1});
  std::vector<double> points, theta = initial_parameters(graph->parameters(), Rng(1)), value(1);
  for (int i = -100; i <= 100; ++i) points.push_back(pi * i / 100);
  executor->set_points(0, points);
  TrainingLoss loss(*executor);
  LevenbergMarquardt method;
  (void)minimize(method, loss, theta, {.max_iterations = 300});
  return largest_error([&](double at) {
    executor->predict(std::vector<Expr>{u}, theta, std::vector{at}, value);
    return value[0];
  });
}

int main() {
  const auto taylor = [](double x) { return (1 + std::pow(x, 32)) / (1 + x * x); };  // degree 30
  const auto c = fourier_coefficients(target, 15);
  const double near = largest_error(taylor, 0.4), far = largest_error(taylor);
  const double fourier = largest_error([&](double x) { return fourier_sum(c, x); });
  const double shallow = network_error({.width = 10, .depth = 1});
  const double deep = network_error({.width = 4, .depth = 2});
  fmt::print("Taylor, 31 numbers: {:.1e} up to 0.4, {:.1e} up to pi\n", near, far);
  fmt::print("Fourier, 31 numbers: {:.1e}\n", fourier);
  fmt::print("one layer, 31 numbers: {:.1e}; two layers, 33: {:.1e}\n", shallow, deep);
  const bool series = near < 1e-12 && far > 1e6 && fourier < 0.02;
  return series && shallow < fourier / 10 && deep < fourier / 10 ? 0 : 1;
}
