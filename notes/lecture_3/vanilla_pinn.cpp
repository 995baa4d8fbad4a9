#include <cmath>
#include <memory>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/training/loss.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_vanilla_pinn(Output& out) {
  const Coordinate t("t"), x("x");
  const Expr u = Field("u");
  const double D = 0.5;
  // 1. A sampler: inside, at both ends, at the start.
  std::vector<double> inside = unit_points({}, 2, 800), ends = unit_points({}, 2, 128), start;
  for (std::size_t i = 1; i < inside.size(); i += 2) inside[i] = 2 * inside[i] - 1;
  for (std::size_t i = 1; i < ends.size(); i += 2) ends[i] = ends[i] < 0.5 ? -1 : 1;
  for (int i = 0; i <= 64; ++i) start.insert(start.end(), {0.0, -1 + i / 32.0});
  // 2. A network.
  const std::vector<std::string> fields{"u"};
  const Mlp mlp{.width = 16, .depth = 2};
  const auto graph = std::make_shared<const Graph>(make_network(mlp, {"t", "x"}, fields));
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
  // 3. The operators, applied to the network: derivatives are exact.
  const Expr equation = d(u, t) - D * D * d(u, x, x);
  const auto executor = make_executor(
      graph, {{"equation", {equation}}, {"ends", {u}}, {"start", {u - cos(pi * x / 2)}}},
      {.threads = out.threads()});
  executor->set_points(0, inside);
  executor->set_points(1, ends);
  executor->set_points(2, start);
  std::vector<double> now(3), e(1), grid;
  const auto value = [&](const std::vector<Expr>& what, double at_t, double at_x) {
    e.resize(what.size());
    executor->predict(what, theta, std::vector{at_t, at_x}, e);
    return e[0];
  };
  const double h = 1e-4, exact_xx = value({d(u, x, x)}, 0.3, 0.2);
  const double by_differences =
      (value({u}, 0.3, 0.2 + h) - 2 * value({u}, 0.3, 0.2) + value({u}, 0.3, 0.2 - h)) / (h * h);
  out.check("u_xx of the untrained network against differences", exact_xx, by_differences, 1e-6);
  // 4. An optimiser, or two.
  TrainingLoss loss(*executor);
  Adam adam;
  Lbfgs lbfgs;
  const MinimizeReport first = minimize(adam, loss, theta, {.max_iterations = 500});
  const MinimizeReport second = minimize(lbfgs, loss, theta, {.max_iterations = 1500});

  constexpr std::size_t n = 61;
  Matrix map(n, n), wrong(n, n);
  double square = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double at_t = double(i) / (n - 1), at_x = 2 * double(j) / (n - 1) - 1;
      const double right = std::exp(-pi * pi * D * D * at_t / 4) * std::cos(pi * at_x / 2);
      map(i, j) = value({u}, at_t, at_x);
      wrong(i, j) = map(i, j) - right;
      square += wrong(i, j) * wrong(i, j);
      size += right * right;
    }
  }
  out.check("relative error of the heated bar", std::sqrt(square / size), 0, 1e-3);
  out.check("u(1, 0)", value({u}, 1, 0), 0.53964, 1e-3);
  out.require("the loss is below 2e-7 (the lab, with 512 features: 5.5e-8)", second.value < 2e-7);
  Plot left({.title = "u(t, x)", .x = {.label = "x"}, .y = {.label = "t"}, .grid = false});
  left.heat_map(map, {-1, 1}, {0, 1});
  Plot right({.title = "error",
              .x = {.label = "x"},
              .y = {.label = "t"},
              .color = {.map = Colormap::diverging},
              .grid = false});
  right.heat_map(wrong, {-1, 1}, {0, 1});
  std::vector<double> steps, losses;
  for (const auto* report : {&first, &second}) {
    const double before = steps.empty() ? 0 : 500;
    for (const auto& entry : report->history) {
      steps.push_back(before + double(entry.iteration));
      losses.push_back(entry.value);
    }
  }
  Plot history(
      {.title = "loss: Adam, then L-BFGS", .x = {.label = "step"}, .y = {.scale = AxisScale::log}});
  history.line(steps, losses);
  out.picture("bar", draw_figure({&left, &right, &history}, {340, 300, 3}));
}

Artefact vanilla_pinn_entry() {
  return {
      .id = "vanilla-pinn",
      .kind = Kind::recipe,
      .lecture = 3,
      .lines = "2405-2452",
      .title = "A physics-informed network in four steps",
      .formula =
          R"(\mathcal{L}(\theta) = \frac{1}{N}\sum_i |\mathcal{F}[u_\theta](x_i) - J(x_i)|^2 + \frac{\lambda}{M}\sum_j |\mathcal{B}[u_\theta](z_j) - g(z_j)|^2)",
      .says =
          "Sample the geometry, take a network for the solution, let the operators act on it, "
          "and minimise the squared residuals.",
      .truth =
          "The weight matrices map m_i features to m_(i+1): their shape is printed the other "
          "way round (line 2384), and the last layer has no activation.",
      .page = "solving.md",
      .seconds = 1,
      .file = "lecture_3/vanilla_pinn.cpp",
      .make = make_vanilla_pinn};
}

}  // namespace cauchy::notes
