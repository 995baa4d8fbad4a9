#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_weight_factorization(Output& out) {
  // One neuron w = s v (the theorem), or w = e^s v (the algorithm); loss |A w - c|^2 / 2.
  constexpr std::size_t n = 4;
  Rng rng(3);
  std::vector<double> v(n), g(n), a(n * n), c(n), w(n);
  for (auto* list : {&v, &a, &c}) rng.fill_normal(*list);
  const double s = 1.3;
  for (std::size_t i = 0; i < n; ++i) w[i] = s * v[i];
  for (std::size_t k = 0; k < n; ++k) {
    double residual = -c[k];
    for (std::size_t i = 0; i < n; ++i) residual += a[k * n + i] * w[i];
    for (std::size_t i = 0; i < n; ++i) g[i] += residual * a[k * n + i];
  }
  double vg = 0, vv = 0, gg = 0;
  for (std::size_t i = 0; i < n; ++i) vg += v[i] * g[i], vv += v[i] * v[i], gg += g[i] * g[i];
  // What a step of descent on (s, v) does to w, against both formulas for it, per unit of rate.
  const auto move = [&](double rate, bool logarithm) {
    const double scale = logarithm ? std::exp(s) : s;
    std::vector<double> moved(n);
    // dL/ds = v . g (or e^s v . g), dL/dv = s g (or e^s g); g is taken at the same w in both cases
    const double new_s = s - rate * (logarithm ? scale * vg : vg);
    for (std::size_t i = 0; i < n; ++i) {
      moved[i] =
          ((logarithm ? std::exp(new_s) : new_s) * (v[i] - rate * scale * g[i]) - scale * v[i]) /
          rate;
    }
    return moved;
  };
  const auto distance = [&](const std::vector<double>& moved, auto&& formula) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::pow(moved[i] - formula(i), 2);
    return std::sqrt(sum / gg);
  };
  const auto printed = [&](std::size_t i) { return -(s * s + vv) * g[i]; };
  const auto right = [&](std::size_t i) { return -(s * s * g[i] + v[i] * vg); };
  const auto of_exp = [&](std::size_t i) { return -std::exp(2 * s) * (g[i] + v[i] * vg); };
  const double small = 1e-6;
  out.check("w = s v: step less (s^2 I + v v') g, relative", distance(move(small, false), right), 0,
            1e-4);
  out.require("w = s v: step less (s^2 + |v|^2) g is larger than 0.1 |g|",
              distance(move(small, false), printed) > 0.1);
  out.check("w = e^s v: step less e^(2s) (I + v v') g, relative",
            distance(move(small, true), of_exp), 0, 1e-3);
  std::vector<double> rates, of_printed, of_right;
  for (double rate = 1e-6; rate < 2e-2; rate *= 2) {
    rates.push_back(rate);
    of_printed.push_back(distance(move(rate, false), printed));
    of_right.push_back(distance(move(rate, false), right));
  }
  Plot plot({.title = "distance of the real step from two formulas",
             .x = {.label = "learning rate", .scale = AxisScale::log},
             .y = {.label = "relative to |g|", .scale = AxisScale::log}});
  plot.line(rates, of_printed, {.name = "(s^2 + |v|^2) g"});
  plot.line(rates, of_right, {.name = "(s^2 I + v v') g"});
  out.picture(
      "steps", draw_figure({&plot}, {580, 340, 1}),
      "The right formula is met up to terms of the order of the rate; the printed one never.");
}

Artefact weight_factorization_entry() {
  return {.id = "rwf",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "4161-4172",
          .title = "Random weight factorisation, and what a step of it does",
          .formula =
              "W = \\diag(e^s) V\n"
              "w_{n+1} = w_n - \\eta (s^2 I + v v^\\top) \\nabla_w L + O(\\eta^2)",
          .says =
              "Each row of a weight matrix is a trained scale times a trained vector; the "
              "theorem says that this multiplies the learning rate by s^2 + |v|^2.",
          .truth =
              "The factor is a matrix, s^2 I + v v', and e^(2s) (I + v v') for the "
              "exponential form; the printed number is right only where the gradient is "
              "parallel to v. The loop over the layers should end at L + 1.",
          .page = "networks/fully-connected.md",
          .seconds = 0.1,
          .file = "lecture_4/weight_factorization.cpp",
          .make = make_weight_factorization};
}

}  // namespace cauchy::notes
