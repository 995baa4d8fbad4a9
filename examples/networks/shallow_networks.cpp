// Runs:    shallow_networks [PICTURE.svg]
// Expects: sums of N sigmoids a_j s(w_j . x + b_j) + c approximate continuous functions on the unit
//          square, a smooth one and one with a kink: the largest error falls with N; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

using namespace cauchy;

std::vector<double> grid(int n) {
  std::vector<double> points;
  for (int i = 0; i <= n * n + 2 * n; ++i) {
    points.push_back(static_cast<double>(i / (n + 1)) / n);
    points.push_back(static_cast<double>(i % (n + 1)) / n);
  }
  return points;
}

/// Largest error on a fine grid, best of three networks that were fitted on a coarse one.
double sup_error(const Expr& f, int neurons) {
  const std::vector<Expr> error{Field("u") - f};
  const Mlp shallow{.width = neurons, .depth = 1, .activation = Activation::sigmoid};
  const auto graph = std::make_shared<const Graph>(
      make_network(shallow, {"x", "y"}, std::vector<std::string>{"u"}));
  const auto executor = make_executor(graph, {{"fit", error}}, {.threads = 1});
  executor->set_points(0, grid(20));
  TrainingLoss loss(*executor);
  double best = INFINITY;
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(seed)), at(81 * 81);
    for (double& w : theta) w *= 4;  // sigmoids that bend within the square
    LevenbergMarquardt method;
    (void)minimize(method, loss, theta, {.max_iterations = 100});
    executor->predict(error, theta, grid(80), at);
    best = std::min(
        best, std::abs(*std::ranges::max_element(at, {}, [](double e) { return std::abs(e); })));
  }
  return best;
}

int main(int argc, char** argv) {
  const Coordinate x("x"), y("y");
  Plot plot({.x = {.label = "neurons N", .scale = AxisScale::log},
             .y = {.label = "largest error", .scale = AxisScale::log}});
  bool right = true;
  for (const Expr& f : {sin(3 * x) * exp(y), abs(x - y)}) {
    std::vector<double> n, errors;
    for (int neurons = 1; neurons <= 16; neurons *= 2) {
      n.push_back(neurons);
      errors.push_back(sup_error(f, neurons));
      fmt::print("{:16} N = {:2}: largest error {:.2e}\n", to_string(f), neurons, errors.back());
      right = right && (neurons == 1 || errors.back() < 0.8 * errors.end()[-2]);
    }
    plot.line(n, errors, {.name = to_string(f), .markers = true});
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_width = 420}));
  return right ? 0 : 1;
}
