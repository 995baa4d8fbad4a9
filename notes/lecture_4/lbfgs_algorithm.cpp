#include <cmath>
#include <vector>

#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_lbfgs_algorithm(Output& out) {
  constexpr std::size_t n = 100;  // the chained function of Rosenbrock, minimum 0 at (1, ..., 1)
  FunctionObjective f(n, [](std::span<const double> x, std::span<double> g) {
    double sum = 0;
    std::fill(g.begin(), g.end(), 0.0);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
      sum += 100 * a * a + b * b;
      if (g.empty()) continue;
      g[i] += -400 * a * x[i] - 2 * b;
      g[i + 1] += 200 * a;
    }
    return sum;
  });
  std::vector<double> start(n);
  for (std::size_t i = 0; i < n; ++i) start[i] = i % 2 == 0 ? -1.2 : 1;
  Plot plot({.title = "100 parameters, a curved valley",
             .x = {.label = "evaluations"},
             .y = {.label = "value", .scale = AxisScale::log}});
  std::vector<std::vector<std::string>> table = {{"memory", "steps", "evaluations", "value"}};
  const auto show = [&](const std::string& name, Optimizer& optimizer) {
    std::vector<double> x = start, at, values;
    const MinimizeReport r =
        minimize(optimizer, f, x, {.gradient_tolerance = 1e-7, .max_iterations = 2000});
    for (const MinimizeReport::Entry& e : r.history) {
      at.push_back(double(e.evaluations));
      values.push_back(e.value);
    }
    plot.line(at, values, {.name = name});
    table.push_back({name, std::to_string(r.iterations), std::to_string(r.evaluations),
                     fmt::format("{:.1e}", r.value)});
    return r.value;
  };
  for (const std::size_t memory : {3, 10, 50}) {
    Lbfgs lbfgs({.memory = memory});
    out.check(fmt::format("value with {} pairs", memory),
              show(fmt::format("{} pairs", memory), lbfgs), 0, 1e-12);
    out.check("pairs kept", double(lbfgs.pairs()), double(memory), 0);
  }
  GradientDescent descent({.learning_rate = 5e-4});
  out.require("gradient descent is still above 1e-3 after 2,000 steps",
              show("gradient descent", descent) > 1e-3);
  out.table("runs", table);
  out.picture("values", draw_figure({&plot}, {620, 360, 1}));
}

Artefact lbfgs_algorithm_entry() {
  return {.id = "lbfgs",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "5524-5554",
          .title = "L-BFGS",
          .formula = "p_k = -B_k g_k, \\quad \\gamma = \\frac{s^\\top y}{y^\\top y}",
          .says =
              "BFGS with the last m pairs alone, a line search, and pairs of negative curvature "
              "left out.",
          .truth = "",
          .page = "optimizers.md",
          .seconds = 0.1,
          .file = "lecture_4/lbfgs_algorithm.cpp",
          .make = make_lbfgs_algorithm};
}

}  // namespace cauchy::notes
