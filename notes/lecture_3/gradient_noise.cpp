#include <algorithm>
#include <cmath>

#include <cauchy/optimizers/adam.hpp>
#include <cauchy/report/figure.hpp>

#include "lecture_3/information.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_gradient_noise(Output& out) {
  SignTask task(false, out.threads());
  TrainingLoss loss(*task.executor);
  const auto blocks = task.graph->parameters();
  const std::size_t n = task.theta.size(), layers = blocks.size() / 2;
  Adam adam({.learning_rate = 3e-3});
  std::vector<double> steps, snr;
  std::vector<std::vector<double>> means(layers), deviations(layers);
  Matrix g(SignTask::batches, n);
  for (int step = 1, next = 1; step <= 4000; ++step) {
    if (step == next) {
      next = std::max(next + 1, int(next * 1.2));
      loss.parts_at(task.theta, {}, {g.data(), g.size()});
      steps.push_back(step);
      snr.push_back(spread_of(g.view(), 0, n).signal_to_noise());
      for (std::size_t l = 0; l < layers; ++l) {
        const auto first = std::size_t(blocks[2 * l].offset);
        const auto count = std::size_t(blocks[2 * l].size());
        double size = 0;  // as shares of the weights
        for (std::size_t k = first; k < first + count; ++k) size += task.theta[k] * task.theta[k];
        const GradientSpread s = spread_of(g.view(), first, count);
        means[l].push_back(SignTask::batches * s.mean / std::sqrt(size));
        deviations[l].push_back(SignTask::batches * s.deviation / std::sqrt(size));
      }
    }
    (void)adam.step(loss, task.theta);
  }
  // The estimator itself: equal gradients have no noise, random signs have 1 / sqrt(B).
  Matrix same(16, 400), random(16, 400);
  Rng rng(1);
  for (std::size_t b = 0; b < 16; ++b) {
    for (std::size_t j = 0; j < 400; ++j) {
      same(b, j) = double(j);
      random(b, j) = rng.uniform() < 0.5 ? 1 : -1;
    }
  }
  out.check("deviation of equal gradients", spread_of(same.view(), 0, 400).deviation, 0, 1e-9);
  out.check("signal to noise of random signs, 16 batches",
            spread_of(random.view(), 0, 400).signal_to_noise(), 1 / std::sqrt(15.0), 0.04);
  const double end = snr.back(), start = snr.front();
  out.require("at the start the mean is at least twice what it is at the end, against the noise",
              start > 2 * end);
  Plot plot({.title = "gradients of 16 batches, per size of the weights",
             .x = {.label = "step", .scale = AxisScale::log},
             .y = {.scale = AxisScale::log},
             .legend = LegendPlace::outside});
  for (std::size_t l = 0; l < layers; ++l) {
    const auto color = palette_color(l);
    plot.line(steps, means[l], {.name = fmt::format("layer {}: mean", l + 1), .color = color});
    plot.line(steps, deviations[l],
              {.name = fmt::format("layer {}: deviation", l + 1),
               .color = color,
               .width = 1,
               .dashed = true});
  }
  Plot ratio({.title = "signal to noise",
              .x = {.label = "step", .scale = AxisScale::log},
              .y = {.scale = AxisScale::log}});
  ratio.line(steps, snr);
  out.picture(
      "noise", draw_figure({&plot, &ratio}, {560, 400, 2}),
      "First the batches agree (drift), then their gradients are mostly noise (diffusion).");
}

Artefact gradient_noise_entry() {
  return {
      .id = "gradient-noise",
      .kind = Kind::figure,
      .lecture = 3,
      .lines = "3103-3121",
      .title = "Mean and spread of gradients while learning",
      .formula =
          R"(\text{SNR} = \frac{\|\mathbb{E}[\nabla_\theta \mathcal{L}]\|_2}{\|\text{std}[\nabla_\theta \mathcal{L}]\|_2})",
      .says =
          "Gradients of batches agree at the start and scatter later; their ratio of mean to "
          "deviation marks the phases.",
      .truth = "",
      .page = "",
      .seconds = 1.5,
      .file = "lecture_3/gradient_noise.cpp",
      .make = make_gradient_noise};
}

}  // namespace cauchy::notes
