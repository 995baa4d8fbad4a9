#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/sampling/seed_importance.hpp>
#include <cauchy/sampling/weighted.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_importance_algorithm(Output& out) {
  // J_j = (theta - a(x_j))^2 / 2 for N points of a line where a has one narrow peak.
  constexpr std::size_t n = 1000, seeds_count = 100, batch = 20;
  const std::vector<double> x = unit_points({.kind = SamplerKind::sobol}, 1, n);
  std::vector<double> a, seeds;
  const auto peak = [](double at) { return std::exp(-std::pow((at - 0.7) / 0.02, 2)); };
  double mean = 0;
  for (const double at : x) a.push_back(10 * peak(at)), mean += a.back() / n;
  for (std::size_t s = 0; s < seeds_count; ++s) seeds.push_back((double(s) + 0.5) / seeds_count);
  // One gradient at theta = 0 from a batch, by q from the losses at the seeds, or by uniform q.
  const auto estimates = [&](double uniform_share) {
    std::vector<double> losses, all;
    for (const double s : seeds) losses.push_back(std::pow(10 * peak(s), 2) / 2 + 1e-6);
    const std::vector<double> q = seed_probabilities(x, seeds, 1, losses, uniform_share);
    for (std::uint64_t draw = 0; draw < 4000; ++draw) {
      Rng rng = Rng(5).split(draw);
      double sum = 0;
      for (const std::size_t j : weighted_indices(q, batch, rng)) {
        sum += -a[j] / (q[j] * double(n * batch));  // 1 / (m N) sum of gradients / q
      }
      all.push_back(sum);
    }
    return all;
  };
  const auto moments = [](const std::vector<double>& v) {
    double m = 0, s = 0;
    for (const double e : v) m += e / double(v.size());
    for (const double e : v) s += (e - m) * (e - m) / double(v.size());
    return std::pair(m, std::sqrt(s));
  };
  const auto [uniform, spread_uniform] = moments(estimates(1));
  const auto [important, spread_important] = moments(estimates(0.1));
  const double several = 4 / std::sqrt(4000.0);  // four standard errors
  out.check("mean gradient, uniform points, times -1", -uniform, mean, several * spread_uniform);
  out.check("mean gradient, by importance, times -1", -important, mean, several * spread_important);
  out.require("importance: less than half of the spread", spread_important < spread_uniform / 2);
  // The whole loop: theta should become the mean of a.
  Plot plot({.title = "theta, batches of 20 out of 1,000 points",
             .x = {.label = "step"},
             .y = {.label = "theta"}});
  for (const double share : {1.0, 0.1}) {
    double theta = 0;
    std::vector<double> steps, values;
    Rng rng(8);
    for (int step = 0; step < 300; ++step) {
      std::vector<double> losses;
      for (const double s : seeds) losses.push_back(std::pow(theta - 10 * peak(s), 2) / 2 + 1e-6);
      const std::vector<double> q = seed_probabilities(x, seeds, 1, losses, share);
      double g = 0;
      for (const std::size_t j : weighted_indices(q, batch, rng)) {
        g += (theta - a[j]) / (q[j] * double(n * batch));
      }
      theta -= 0.1 * g;
      steps.push_back(step), values.push_back(theta);
    }
    plot.line(steps, values, {.name = share == 1 ? "uniform batches" : "by importance"});
  }
  const std::vector<double> ends = {0, 300}, level = {mean, mean};
  plot.line(ends, level, {.name = "mean of all points", .color = black, .dashed = true});
  out.picture("descent", draw_figure({&plot}, {620, 340, 1}));
}

Artefact importance_algorithm_entry() {
  return {.id = "importance-sampling",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "3928-3942",
          .title = "Batches by importance",
          .formula =
              "q_j = \\frac{J(x_{\\rho(j)})}{\\sum_i J(x_{\\rho(i)})}, \\quad \\theta \\to "
              "\\theta - \\frac{\\eta}{m N} \\sum_{j \\in M} \\frac{1}{q_j} \\nabla J_j",
          .says =
              "Losses at a few seeds say how likely each point gets into a batch; dividing by "
              "that probability keeps the mean of the gradients.",
          .truth =
              "The update is unbiased as it stands, but q needs a floor: a point whose seed "
              "has a loss near 0 would otherwise count without bound. Boundary points run to "
              "n, not to N.",
          .page = "training/points.md",
          .seconds = 0.1,
          .file = "lecture_4/importance_algorithm.cpp",
          .make = make_importance_algorithm};
}

}  // namespace cauchy::notes
