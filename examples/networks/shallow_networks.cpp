// Runs:    shallow_networks [PICTURE.svg]
// Expects: sums of N sigmoids a_j s(w_j . x + b_j) + c approximate continuous functions on the unit
//          square, a smooth one and one with a kink: the largest error falls with N; exit code 0.
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/training/loss.hpp>
#include <cmath>

using namespace cauchy;

/// Largest error at 8,192 points, best of three networks that were fitted at 512.
double sup_error(const Expr& f, int neurons) {
  const std::vector<Expr> error{Field("u") - f};
  const std::vector<std::string> fields{"u"};
  const Mlp shallow{.width = neurons, .depth = 1, .activation = Activation::sigmoid};
  const auto graph = std::make_shared<const Graph>(make_network(shallow, {"x", "y"}, fields));
  const auto executor = make_executor(graph, {{"fit", error}}, {.threads = 1});
  executor->set_points(0, unit_points({}, 2, 512));
  TrainingLoss loss(*executor);
  double best = INFINITY;
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(seed)), at(8192);
    for (double& w : theta) w *= 4;  // sigmoids that bend within the square
    LevenbergMarquardt method;
    (void)minimize(method, loss, theta, {.max_iterations = 100});
    executor->predict(error, theta, unit_points({}, 2, at.size()), at);
    for (double& e : at) e = std::abs(e);
    best = std::min(best, *std::max_element(at.begin(), at.end()));
  }
  return best;
}

int main(int argc, char** argv) {
  const Coordinate x("x"), y("y");
  const std::vector<double> sizes{1, 2, 4, 8};
  Plot plot({.x = {.label = "neurons N", .scale = AxisScale::log},
             .y = {.label = "largest error", .scale = AxisScale::log}});
  bool right = true;
  for (const Expr& f : {sin(3 * x) * exp(y), abs(x - y)}) {
    std::vector<double> errors;
    for (const double n : sizes) {
      errors.push_back(sup_error(f, static_cast<int>(n)));
      fmt::print("{:16} N = {}: largest error {:.1e}\n", to_string(f), n, errors.back());
      right = right && (n == 1 || errors.back() < 0.8 * errors.end()[-2]);
    }
    plot.line(sizes, errors, {.name = to_string(f), .markers = true});
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_width = 420}));
  return right ? 0 : 1;
}
