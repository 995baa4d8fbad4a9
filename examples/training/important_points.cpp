// A source on a ring: batches drawn by the gradients of a half-trained network gather there, and
// each point counts by the inverse of its probability.
//
// Runs:    important_points [PICTURE.svg]
// Expects: more than twice as many points of the batches lie near the ring as of all points, and
//          the mean loss of many batches is that of all points within 5 %; exit code 0.
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/sampling/seed_importance.hpp>
#include <cauchy/sampling/weighted.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr std::size_t n = 2000, n_seeds = 400, n_batch = 250;
  const std::vector<double> all = unit_points({.kind = SamplerKind::sobol}, 2, n);
  // The loss of a point: a ring of radius 0.3 and width 0.04 that the network has not learned.
  const auto loss_at = [](const double* p) {
    const double r = std::hypot(p[0] - 0.5, p[1] - 0.5), z = (r - 0.3) / 0.04;
    return std::exp(-z * z) + 1e-3;
  };
  // It is looked at in some points alone; the others are treated as the nearest of these.
  std::vector<double> seeds, losses;
  for (std::size_t i = 0; i < n_seeds; ++i) {
    const double* p = &all[2 * (i * n / n_seeds)];
    seeds.insert(seeds.end(), {p[0], p[1]});
    losses.push_back(loss_at(p));
  }
  const std::vector<double> q = seed_probabilities(all, seeds, 2, losses, 0.1);
  double mean = 0, near_all = 0, near_drawn = 0, estimate = 0;
  const auto near = [](const double* p) {
    return std::abs(std::hypot(p[0] - 0.5, p[1] - 0.5) - 0.3) < 0.06;
  };
  for (std::size_t i = 0; i < n; ++i) {
    mean += loss_at(&all[2 * i]) / n;
    near_all += near(&all[2 * i]) ? 1.0 / n : 0;
  }
  constexpr int batches = 200;
  Plot plot({.title = "all points, and a batch by importance"});
  for (int b = 0; b < batches; ++b) {
    Rng rng = Rng(7).split(static_cast<std::uint64_t>(b));
    const std::vector<std::size_t> rows = systematic_indices(q, n_batch, rng);
    const std::vector<double> factors = importance_weights(q, rows);
    std::vector<double> x, y;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double* p = &all[2 * rows[k]];
      estimate += factors[k] * loss_at(p) / static_cast<double>(n_batch * batches);
      near_drawn += near(p) ? 1.0 / static_cast<double>(n_batch * batches) : 0;
      x.push_back(p[0]);
      y.push_back(p[1]);
    }
    if (b > 0) continue;
    std::vector<double> all_x, all_y;
    for (std::size_t i = 0; i < n; ++i) {
      all_x.push_back(all[2 * i]);
      all_y.push_back(all[2 * i + 1]);
    }
    plot.scatter(all_x, all_y, {.name = "all", .radius = 1.2});
    plot.scatter(x, y, {.name = "batch", .radius = 2.5});
  }
  fmt::print("near the ring: {:.0f} % of all points, {:.0f} % of the batches\n", 100 * near_all,
             100 * near_drawn);
  fmt::print("mean loss {:.4f}, of the batches {:.4f}\n", mean, estimate);
  if (argc > 1)
    save_picture(argv[1], draw_figure({&plot}, {.panel_width = 480, .panel_height = 400}));
  return near_drawn > 2 * near_all && std::abs(estimate / mean - 1) < 0.05 ? 0 : 1;
}
