#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/sampling/seed_importance.hpp>
#include <cauchy/sampling/weighted.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_importance_ring(Output& out) {
  constexpr std::size_t n = 4000, n_batch = 500;
  const std::vector<double> all = unit_points({.kind = SamplerKind::sobol}, 2, n);
  const auto loss = [](double x, double y) {  // of a network that has not learned a ring yet
    return std::exp(-std::pow((std::hypot(x - 0.5, y - 0.5) - 0.3) / 0.04, 2)) + 1e-3;
  };
  std::vector<double> seeds, losses;
  for (std::size_t i = 0; i < n; i += 5) {
    seeds.insert(seeds.end(), {all[2 * i], all[2 * i + 1]});
    losses.push_back(loss(all[2 * i], all[2 * i + 1]));
  }
  const std::vector<double> q = seed_probabilities(all, seeds, 2, losses, 0.1);
  Matrix map(80, 80);
  double mean = 0, estimate = 0;
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::size_t j = 0; j < 80; ++j) {
      map(i, j) = loss((double(j) + 0.5) / 80, (double(i) + 0.5) / 80);
      mean += map(i, j) / 6400;
    }
  }
  Plot field({.title = "loss", .equal_aspect = true, .grid = false});
  field.heat_map(map, {0, 1}, {0, 1});
  std::vector<Plot> plots;
  for (const bool important : {false, true}) {
    Rng rng(7);
    const std::vector<double> weights = important ? q : std::vector<double>(n, 1.0);
    const std::vector<std::size_t> rows = weighted_indices(weights, n_batch, rng);
    const std::vector<double> factors = importance_weights(weights, rows);
    std::vector<double> x, y;
    double inside = 0;
    estimate = 0;
    for (std::size_t k = 0; k < n_batch; ++k) {
      x.push_back(all[2 * rows[k]]), y.push_back(all[2 * rows[k] + 1]);
      inside += std::abs(std::hypot(x.back() - 0.5, y.back() - 0.5) - 0.3) < 0.06 ? 1.0 : 0;
      estimate += factors[k] * loss(x.back(), y.back()) / n_batch;
    }
    const double share = inside / n_batch, area = pi * (0.36 * 0.36 - 0.24 * 0.24);
    if (important) {
      out.require("more than three times as many points near the ring", share > 3 * area);
    } else {
      out.check("uniform: share of points near the ring is its area", share, area, 0.075);
    }
    out.check(important ? "mean loss from points by importance" : "mean loss from uniform points",
              estimate, mean, 0.15 * mean);
    plots.emplace_back(
        PlotOptions{.title = important ? "by importance" : "uniform", .equal_aspect = true});
    plots.back().scatter(x, y, {.radius = 1.6});
  }
  out.picture("ring", draw_figure({&field, &plots[0], &plots[1]}, {360, 340, 3}),
              "Where the loss is, and 500 points drawn without and with regard to it.");
}

Artefact importance_ring_entry() {
  return {.id = "importance-ring",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "3910-3924",
          .title = "Points that gather on a ring",
          .formula = "R = E_q \\left[ \\frac{f(x)}{q(x)} \\ell(x) \\right]",
          .says = "For a loss that lives on a ring, points drawn in proportion to it gather there.",
          .truth = "",
          .page = "training/points.md",
          .seconds = 0.1,
          .file = "lecture_4/importance_ring.cpp",
          .make = make_importance_ring};
}

}  // namespace cauchy::notes
