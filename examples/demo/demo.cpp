// Runs:    demo
// Expects: the viscous Burgers equation, solved by a physics-informed network in seconds,
//          with a relative L2 error below 1e-2 against the Cole-Hopf solution; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/terminal_progress.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/quasi_newton.hpp>
#include <cauchy/problem/exact_solutions.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/training/loss.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

int main() {
  using namespace cauchy;
  const double nu = 0.01 / pi;
  Context names;
  names.add_time("t").add_space("x").add_field("u").add_parameter("nu");
  const Equation burgers = parse_equation("u_t + u*u_x = nu*u_xx", names);
  const Equation initial = parse_equation("u = -sin(pi*x)", names);
  const Equation boundary = parse_equation("u = 0", names);
  fmt::print("{},  {} at t = 0,  {} at x = -1, 1,  nu = 0.01/pi\n", to_string(burgers),
             to_string(initial), to_string(boundary));

  const Domain domain = Interval(-1, 1) * Time(Coordinate("t"), 0, 1);
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 20, .depth = 4}, {"t", "x"}, std::vector<std::string>{"u"}));
  HostExecutor<double> executor(graph,
                                {{"burgers", {burgers.residual()}},
                                 {"initial", {initial.residual()}},
                                 {"boundary", {boundary.residual()}}},
                                {.known = {{"nu", nu}}});
  executor.set_weight(1, 5);
  executor.set_weight(2, 5);
  executor.set_points(0, interior_points(domain, 2000).values);
  executor.set_points(1, initial_points(domain, 100).values);
  executor.set_points(2, boundary_points(domain, "boundary", 100).values);

  TerminalProgress progress(stdout);
  const Watching watching{.progress = &progress, .history_every = 0};
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
  TrainingLoss loss(executor);
  Adam adam({.learning_rate = 5e-3});
  minimize(adam, loss, theta, {.max_iterations = 500}, watching);
  QuasiNewton broyden;
  const MinimizeReport report = minimize(broyden, loss, theta, {.max_iterations = 2000}, watching);

  const std::vector<double> grid = grid_points(domain, {101, 257}).values;
  std::vector<double> u(grid.size() / 2);
  executor.predict(std::vector<Expr>{Field("u")}, theta, grid, u);
  double error = 0, norm = 0;
  for (std::size_t p = 0; p < u.size(); ++p) {
    const double exact = burgers_cole_hopf(grid[2 * p], grid[2 * p + 1], nu);
    error += (u[p] - exact) * (u[p] - exact);
    norm += exact * exact;
  }
  const double relative = std::sqrt(error / norm);
  fmt::print("{} steps in {:.1f} s ({:.0f} steps/s on {} threads), {} parameters, loss {:.2e}\n",
             report.iterations, report.seconds,
             static_cast<double>(report.iterations) / report.seconds, executor.pool()->size(),
             theta.size(), report.value);
  fmt::print("relative L2 error against the Cole-Hopf solution: {:.2e}\n", relative);
  return relative < 1e-2 ? 0 : 1;
}
