// The signed distance to a circle from points on it and their normals alone, by a sinusoidal
// network P: the eikonal equation with the loss of Sitzmann et al. 2020, integrals of
//   50 | |grad P| - 1 |  +  3000 |P| + 100 (1 - cos(grad P, n)) on the circle  +  100 exp(-100 |P|)
//   off
//
// Runs:    signed_distance [PICTURE.svg]
// Expects: P = |x| - R to 0.025 on average, |grad P| = 1 to 0.15, negative inside; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>
#include <cmath>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr double radius = 0.5;
  constexpr std::size_t batch = 250, n = 61, steps = 4000;
  const Coordinate x("x"), y("y");
  const Field P("P");
  const Expr slope = sqrt(pow(d(P, x), 2) + pow(d(P, y), 2) + 1e-12);
  // The cosine of the angle between grad P and n = x / R; without the length of grad P in it, ever
  // longer gradients would make the loss as small as one likes.
  const Expr along = (x * d(P, x) + y * d(P, y)) / (radius * slope);
  const auto graph = std::make_shared<const Graph>(make_network(
      Siren{.width = 48, .depth = 2, .w0 = 2}, {"x", "y"}, std::vector<std::string>{"P"}));
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

  std::vector<double> grid, out(2 * n * n);
  for (std::size_t i = 0; i < n * n; ++i) {
    grid.push_back(-1 + 2 * static_cast<double>(i % n) / (n - 1));
    grid.push_back(-1 + 2 * static_cast<double>(i / n) / (n - 1));
  }
  executor.predict(std::vector<Expr>{P, slope}, theta, grid, out);
  Matrix distance(n, n);
  double error = 0, unit = 0;
  for (std::size_t i = 0; i < n * n; ++i) {
    distance.data()[i] = out[2 * i];
    const double exact = std::hypot(grid[2 * i], grid[2 * i + 1]) - radius;
    error += std::abs(out[2 * i] - exact) / (n * n);
    unit += std::abs(out[2 * i + 1] - 1) / (n * n);
  }
  fmt::print("mean |P - (|x| - R)| = {:.4f}, mean | |grad P| - 1 | = {:.4f}\n", error, unit);
  Plot plot(
      {.title = "signed distance", .color = {.map = Colormap::diverging}, .equal_aspect = true});
  plot.heat_map(distance, {-1, 1}, {-1, 1});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {420, 400, 1, ""}));
  return error < 0.025 && unit < 0.15 && distance(n / 2, n / 2) < 0 ? 0 : 1;
}
