#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>
#include <cauchy/training/balancer.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy::notes {

void make_gradnorm(Output& out) {
  // Two tasks whose gradients by the shared weights have lengths 100 and 1, both equally far.
  const std::vector<double> norm = {100, 1}, first = {1, 1}, now = {1, 1};
  std::vector<double> w = {1, 1}, steps, g1, g2;
  const auto distance = [&](const std::vector<double>& at, double target) {
    return std::abs(at[0] * norm[0] - target) + std::abs(at[1] * norm[1] - target);
  };
  for (int k = 0; k < 400; ++k) {
    const double target = (w[0] * norm[0] + w[1] * norm[1]) / 2;  // r_i = 1; it is held fixed
    if (k == 0) {
      for (std::size_t i = 0; i < 2; ++i) {  // the slope that the text gives, and a difference
        std::vector<double> up = w;
        up[i] += 1e-6;
        const double slope = w[i] * norm[i] > target ? norm[i] : -norm[i];
        out.check(fmt::format("slope of the distance by weight {}", i + 1),
                  (distance(up, target) - distance(w, target)) / 1e-6, slope, 1e-6 * norm[i]);
      }
    }
    steps.push_back(k);
    g1.push_back(w[0] * norm[0]);
    g2.push_back(w[1] * norm[1]);
    detail::gradnorm_step({.alpha = 0, .learning_rate = 0.05}, first, now, norm, w);
  }
  out.check("ratio of the gradients in the end", g1.back() / g2.back(), 1, 1e-6);
  out.check("sum of the weights: the number of tasks", w[0] + w[1], 2, 1e-12);
  out.check("first weight, 2 / 101", w[0], 2.0 / 101, 1e-8);
  // A task that lags behind (its loss fell less) gets a longer gradient: by r^alpha.
  std::vector<double> v = {1, 1};
  for (int k = 0; k < 1000; ++k) {
    detail::gradnorm_step({.alpha = 1, .learning_rate = 0.05}, {{2, 10}}, {{1, 10}}, norm, v);
  }
  out.check("ratio for losses that fell to 1/2 and 1, alpha = 1", v[0] * 100 / v[1], 0.5, 1e-9);
  Plot plot({.title = "weighted lengths of the gradients",
             .x = {.label = "update"},
             .y = {.label = "G", .scale = AxisScale::log}});
  plot.line(steps, g1, {.name = "task 1"}).line(steps, g2, {.name = "task 2"});
  out.picture("gradients", draw_figure({&plot}, {560, 340, 1}),
              "The steep task is weighed down until both pull alike.");
}

Artefact gradnorm_entry() {
  return {.id = "gradnorm",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "3246-3265",
          .title = "GradNorm: weights that make gradients equally long",
          .formula =
              "G_i = w_i \\lVert \\nabla_W L_i \\rVert\n"
              "L_{grad} = \\sum_i | G_i - \\bar G r_i^\\alpha |",
          .says =
              "The weights of the losses are trained too: each gradient is pulled towards a "
              "common length, longer for a task that learns slower than the others.",
          .truth =
              "The number T to which the weights are renormalised is never named: it is the "
              "number of tasks.",
          .page = "training/balancers.md",
          .seconds = 0.1,
          .file = "lecture_4/gradnorm.cpp",
          .make = make_gradnorm};
}

}  // namespace cauchy::notes
