#include <cmath>
#include <vector>

#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_learning_rates(Output& out) {
  const double curvature = 4, best = 1 / curvature;
  FunctionObjective energy(1, [&](std::span<const double> x, std::span<double> g) {
    if (!g.empty()) g[0] = curvature * x[0];
    return curvature * x[0] * x[0] / 2;
  });
  std::vector<double> all, parabola;
  for (double x = -2.2; x < 2.25; x += 0.05) {
    all.push_back(x);
    parabola.push_back(curvature * x * x / 2);
  }
  std::vector<Plot> plots;
  for (const double factor : {0.4, 1.0, 1.7, 2.2}) {
    GradientDescent descent({.learning_rate = factor * best});
    std::vector<double> x = {factor > 2 ? 1.0 : 2.0}, xs, values;
    for (int step = 0; step <= 4; ++step) {
      xs.push_back(x[0]);
      values.push_back(energy.value(x));
      (void)descent.step(energy, x);
    }
    // Every step multiplies the error by 1 - rate E''.
    out.check(fmt::format("theta after 4 steps / theta_0, rate = {:g} / E''", factor),
              xs[4] / xs[0], std::pow(1 - factor, 4), 1e-12);
    plots.emplace_back(PlotOptions{.title = fmt::format("rate = {:g} / E''", factor),
                                   .x = {.label = "theta"},
                                   .y = {.label = "E"},
                                   .legend = LegendPlace::none});
    plots.back().line(all, parabola, {.color = Color{150, 150, 150}});
    plots.back().line(xs, values, {.markers = true});
  }
  out.picture("regimes", draw_figure({&plots[0], &plots[1], &plots[2], &plots[3]}, {300, 240, 4}),
              "Slow, in one step, to and fro, and away.");
}

Artefact learning_rates_entry() {
  return {.id = "learning-rates",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "5357-5379",
          .title = "Four regimes of a learning rate",
          .formula = "\\theta_{k+1} - \\theta^\\ast = (1 - \\eta E'') (\\theta_k - \\theta^\\ast)",
          .says =
              "On a parabola the best rate is one over the curvature; less is slow, more "
              "oscillates, more than twice as much runs away.",
          .truth =
              "The sign of the velocity changes between the lines of the text: with theta + v "
              "it is v = -eta E'.",
          .page = "optimizers.md",
          .seconds = 0.1,
          .file = "lecture_4/learning_rates.cpp",
          .make = make_learning_rates};
}

}  // namespace cauchy::notes
