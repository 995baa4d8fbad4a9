#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_causal_limit(Output& out) {
  const auto loss = [](double t) { return 2 + std::sin(5 * t); };
  const double integral = 2 + (1 - std::cos(5.0)) / 5;  // over [0, 1]
  Plot plot({.title = "weighted loss against epsilon",
             .x = {.label = "epsilon", .scale = AxisScale::log},
             .y = {.label = "y(1)", .scale = AxisScale::log}});
  std::vector<double> epsilons, exact, chunks;
  for (const double epsilon : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    const double closed = (1 - std::exp(-epsilon * integral)) / epsilon;
    double sum = 0, before = 0, y = 0;
    constexpr int n = 200'000;  // the sum over chunks with epsilon dt, and the equation of y
    for (int i = 0; i < n; ++i) {
      const double l = loss((i + 0.5) / n) / n;
      sum += std::exp(-epsilon * (before + l / 2)) * l;
      before += l;
      y += l * (1 - epsilon * (y + l * (1 - epsilon * y) / 2));  // midpoint rule
    }
    out.check(fmt::format("sum over chunks, epsilon = {:g}", epsilon), sum, closed, 1e-6 * closed);
    out.check(fmt::format("y' + epsilon L y = L, epsilon = {:g}", epsilon), y, closed,
              1e-6 * closed);
    epsilons.push_back(epsilon), exact.push_back(closed), chunks.push_back(1 / epsilon);
  }
  plot.line(epsilons, exact, {.name = "(1 - exp(-epsilon I)) / epsilon", .markers = true});
  plot.line(epsilons, chunks, {.name = "1 / epsilon", .dashed = true});
  out.picture("limit", draw_figure({&plot}, {560, 340, 1}),
              "A large epsilon bounds the loss by 1 / epsilon, whatever the residuals are: small "
              "values say nothing.");
}

Artefact causal_limit_entry() {
  return {.id = "causal-limit",
          .kind = Kind::recipe,
          .lecture = 4,
          .lines = "5853-5863",
          .title = "The causal loss has a closed form",
          .formula =
              "\\int_0^T e^{-\\epsilon \\int_0^t L ds} L(t) dt = \\frac{1 - e^{-\\epsilon "
              "\\int_0^T L dt}}{\\epsilon}",
          .says =
              "In the limit of many chunks the weighted loss solves y' + epsilon L y = L, a "
              "damped state.",
          .truth =
              "The integral up to T is written as y(t). It can be solved: the weighted loss is "
              "a function of the plain integral I alone, (1 - exp(-epsilon I)) / epsilon.",
          .page = "training/point-weights.md",
          .seconds = 0.1,
          .file = "lecture_4/causal_limit.cpp",
          .make = make_causal_limit};
}

}  // namespace cauchy::notes
