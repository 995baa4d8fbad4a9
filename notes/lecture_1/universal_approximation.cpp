#include <algorithm>
#include <cmath>
#include <memory>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/training/loss.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// Largest error at 8,192 points of the square, best of three sums of n sigmoids.
double shallow_sup_error(const Expr& f, int n) {
  const std::vector<Expr> error{Field("u") - f};
  const std::vector<std::string> fields{"u"};
  const Mlp shallow{.width = n, .depth = 1, .activation = Activation::sigmoid};
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

}  // namespace

void make_universal_approximation(Output& out) {
  const Coordinate x("x"), y("y");
  const std::vector<double> sizes{1, 2, 4, 8};
  Plot plot({.title = "sums of N sigmoids on the unit square",
             .x = {.label = "neurons N", .scale = AxisScale::log},
             .y = {.label = "largest error", .scale = AxisScale::log}});
  for (const Expr& f : {sin(3 * x) * exp(y), abs(x - y)}) {
    std::vector<double> errors;
    for (const double n : sizes) {
      errors.push_back(shallow_sup_error(f, int(n)));
      if (n > 1) {
        out.require(fmt::format("{}: {:g} neurons are better than half as many", to_string(f), n),
                    errors.back() < 0.8 * errors.end()[-2]);
      }
    }
    plot.line(sizes, errors, {.name = to_string(f), .markers = true});
  }
  out.picture("error", draw_figure({&plot}, {560, 400, 1}),
              "A smooth function and one with a kink: both come as near as one likes.");
}

Artefact universal_approximation_entry() {
  return {
      .id = "universal-approximation",
      .kind = Kind::recipe,
      .lecture = 1,
      .lines = "944-972",
      .title = "Sums of sigmoids approximate every continuous function",
      .formula =
          R"(G(x) = \sum_{j=1}^N \alpha_j\,\sigma(w_j\cdot x + b_j), \quad \sup_{x \in [0,1]^n} |G(x) - f(x)| < \varepsilon)",
      .says =
          "Networks with one hidden layer are dense in the continuous functions on a cube, "
          "for every bounded discriminatory activation (Cybenko).",
      .truth =
          "The theorem stands. Its sketched proof takes a nearest element of a closed "
          "subspace, which need not exist in C, and the functional that represents is a "
          "measure (Riesz, Markov, Kakutani), not an element of L2.",
      .page = "networks/fully-connected.md",
      .seconds = 1,
      .file = "lecture_1/universal_approximation.cpp",
      .make = make_universal_approximation};
}

}  // namespace cauchy::notes
