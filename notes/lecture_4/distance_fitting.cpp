#include <cmath>
#include <vector>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_distance_fitting(Output& out) {
  constexpr std::size_t batch = 256, steps = 1200, n = 61;
  const double radius = 0.5;
  const Coordinate x("x"), y("y");
  const Field P("P");
  const Expr slope = sqrt(d(P, x) * d(P, x) + d(P, y) * d(P, y) + 1e-12);
  const Expr along = (d(P, x) * x + d(P, y) * y) / (radius * slope);  // with the normal x / R
  const auto graph = std::make_shared<const Graph>(make_network(
      Siren{.width = 40, .depth = 2, .w0 = 2}, {"x", "y"}, std::vector<std::string>{"P"}));
  const auto sum = TermForm::identity;
  HostExecutor<double> executor(graph,
                                {{"eikonal", {abs(slope - 1)}, 50, {}, sum},
                                 {"circle", {3000 * abs(P) + 100 * (1 - along)}, 1, {}, sum},
                                 {"elsewhere", {exp(-100 * abs(P))}, 100, {}, sum}},
                                {.threads = 1});
  Rng rng(1);
  const auto draw = [&] {  // as many points on the circle as off it
    std::vector<double> on, off(2 * batch);
    for (std::size_t i = 0; i < batch; ++i) {
      const double angle = rng.uniform(0, 2 * pi);
      on.insert(on.end(), {radius * std::cos(angle), radius * std::sin(angle)});
    }
    for (double& v : off) v = rng.uniform(-1, 1);
    executor.set_points(0, off);
    executor.set_points(1, on);
    executor.set_points(2, off);
  };
  draw();
  Watching watching{.history_every = 0};
  watching.callback = [&](std::uint64_t step, const StepReport&, std::span<const double>) {
    if (step % 10 != 0) return NextStep::proceed;
    draw();
    return NextStep::objective_changed;
  };
  TrainingLoss loss(executor);
  Adam adam({.learning_rate = 5e-3}, {.shape = ScheduleShape::cosine, .steps = steps});
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2));
  minimize(adam, loss, theta, {.max_iterations = steps}, watching);
  std::vector<double> grid, values(2 * n * n);
  for (std::size_t i = 0; i < n * n; ++i) {
    grid.push_back(-1 + 2 * double(i % n) / (n - 1));
    grid.push_back(-1 + 2 * double(i / n) / (n - 1));
  }
  executor.predict(std::vector<Expr>{P, slope}, theta, grid, values);
  Matrix distance(n, n), steepness(n, n);
  double error = 0, unit = 0;
  for (std::size_t i = 0; i < n * n; ++i) {
    distance.data()[i] = values[2 * i];
    steepness.data()[i] = values[2 * i + 1];
    error +=
        std::abs(values[2 * i] - (std::hypot(grid[2 * i], grid[2 * i + 1]) - radius)) / (n * n);
    unit += std::abs(values[2 * i + 1] - 1) / (n * n);
  }
  out.check("mean |P - (|x| - R)|", error, 0, 0.04);
  out.check("mean | |grad P| - 1 |", unit, 0, 0.2);
  out.require("negative inside", distance(n / 2, n / 2) < 0);
  Plot left({.title = "fitted distance",
             .color = {.map = Colormap::diverging},
             .equal_aspect = true,
             .grid = false});
  Plot right({.title = "length of its gradient",
              .color = {.limits = Limits{0, 2}},
              .equal_aspect = true,
              .grid = false});
  left.heat_map(distance, {-1, 1}, {-1, 1});
  right.heat_map(steepness, {-1, 1}, {-1, 1});
  std::vector<double> cx, cy;
  for (int a = 0; a <= 90; ++a) {
    cx.push_back(radius * std::cos(pi * a / 45)), cy.push_back(radius * std::sin(pi * a / 45));
  }
  left.line(cx, cy, {.color = black});
  out.picture("distance", draw_figure({&left, &right}, {360, 330, 2}));
}

Artefact distance_fitting_entry() {
  return {.id = "distance-fitting",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "5056-5087",
          .title = "A signed distance from points and normals",
          .formula =
              "L = \\int | |\\nabla \\Phi| - 1 | dx + \\int_\\Gamma |\\Phi| + (1 - \\langle "
              "\\nabla \\Phi, n \\rangle) ds + \\int e^{-\\alpha |\\Phi|} dx",
          .says =
              "A sinusoidal network learns the distance from a surface given by oriented points. "
              "Reduced: a circle in the plane, 1,200 steps.",
          .truth =
              "The gradient compared with the normals is that of Phi, and psi is a function of "
              "Phi(x). The weights of the terms are left out: here 50, 3,000, 100 and 100.",
          .page = "networks/spectral.md",
          .seconds = 0.7,
          .file = "lecture_4/distance_fitting.cpp",
          .make = make_distance_fitting};
}

}  // namespace cauchy::notes
