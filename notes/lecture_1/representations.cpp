#include <cmath>
#include <functional>
#include <memory>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/math/series.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// Values of a network that was fitted to f at 201 points of [-pi, pi], at the places xs.
std::vector<double> fitted_network(const Mlp& mlp, const Expr& f, const std::vector<double>& xs) {
  const std::vector<Expr> u{Field("u")};
  const std::vector<std::string> fields{"u"};
  const auto graph = std::make_shared<const Graph>(make_network(mlp, {"x"}, fields));
  const auto executor = make_executor(graph, {{"fit", {u[0] - f}}}, {.threads = 1});
  std::vector<double> points, theta = initial_parameters(graph->parameters(), Rng(1));
  for (int i = -100; i <= 100; ++i) points.push_back(pi * i / 100);
  executor->set_points(0, points);
  TrainingLoss loss(*executor);
  LevenbergMarquardt method;
  (void)minimize(method, loss, theta, {.max_iterations = 300});
  std::vector<double> values(xs.size());
  executor->predict(u, theta, xs, values);
  return values;
}

}  // namespace

void make_representations(Output& out) {
  const Coordinate x("x");
  const auto f = [](double at) { return 1 / (1 + at * at); };
  std::vector<double> xs, taylor, fourier;
  const auto c = fourier_coefficients(f, 15);
  for (int i = -400; i <= 400; ++i) {
    xs.push_back(pi * i / 400);
    taylor.push_back((1 + std::pow(xs.back(), 32)) * f(xs.back()));  // the sum of degree 30
    fourier.push_back(fourier_sum(c, xs.back()));
  }
  const auto shallow = fitted_network({.width = 10, .depth = 1}, 1 / (1 + x * x), xs);
  const auto deep = fitted_network({.width = 4, .depth = 2}, 1 / (1 + x * x), xs);
  Plot plot({.title = "1 / (1 + x^2) by some 30 numbers each",
             .x = {.label = "x"},
             .y = {.label = "error", .scale = AxisScale::log, .limits = Limits{1e-13, 1e3}}});
  const auto largest = [&](const char* name, const std::vector<double>& values, double reach) {
    std::vector<double> errors;
    double most = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      errors.push_back(std::abs(values[i] - f(xs[i])));
      if (std::abs(xs[i]) <= reach) most = std::max(most, errors.back());
    }
    if (reach > 1) plot.line(xs, errors, {.name = name});
    return most;
  };
  const double far = largest("Taylor, degree 30", taylor, pi), near = largest("", taylor, 0.4);
  const double sum = largest("Fourier, 31 modes", fourier, pi);
  out.check("Taylor up to 0.4", near, std::pow(0.4, 32) / 1.16, 1e-13);
  out.check("Taylor up to pi, power of ten", std::log10(far),
            std::log10(std::pow(pi, 32) / (1 + pi * pi)), 1e-6);
  out.require("31 Fourier modes miss it by less than 2 percent everywhere", sum < 0.02);
  out.require("one hidden layer, 31 numbers: ten times better than Fourier",
              largest("one layer of 10", shallow, pi) < sum / 10);
  out.require("two hidden layers, 33 numbers: ten times better than Fourier",
              largest("two layers of 4", deep, pi) < sum / 10);
  out.picture("errors", draw_figure({&plot}, {680, 420, 1}),
              "Taylor's sum is exact near 0 and useless beyond its radius of convergence, 1.");
}

Artefact representations_entry() {
  return {
      .id = "representations",
      .kind = Kind::figure,
      .lecture = 1,
      .lines = "975-1016",
      .title = "Taylor, Fourier and networks on the same function",
      .formula =
          R"(\sum_{n=0}^N a_n (x - x_0)^n, \quad \sum_{n=-N}^N c_n e^{i n x}, \quad \sum_{j=1}^N \alpha_j\,\sigma(w_j x + b_j))",
      .says =
          "Polynomials, waves and networks all represent a function by numbers; they differ "
          "in where they are good and in how many they need.",
      .truth = "",
      .page = "networks/fully-connected.md",
      .seconds = 0.4,
      .file = "lecture_1/representations.cpp",
      .make = make_representations};
}

}  // namespace cauchy::notes
