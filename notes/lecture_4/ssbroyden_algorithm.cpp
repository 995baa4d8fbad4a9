#include <cmath>
#include <vector>

#include <cauchy/optimizers/broyden.hpp>
#include <cauchy/optimizers/quasi_newton.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_ssbroyden_algorithm(Output& out) {
  // One update of a random positive matrix, for any tau and phi: H+ y = s.
  constexpr std::size_t n = 6;
  Rng rng(2);
  std::vector<double> root(n * n), h(n * n), s(n), y(n);
  for (auto* list : {&root, &s}) rng.fill_normal(*list);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = double(i + 1) * s[i];
    for (std::size_t j = 0; j < n; ++j) {
      h[i * n + j] = i == j ? 0.5 : 0;
      for (std::size_t k = 0; k < n; ++k) h[i * n + j] += root[i * n + k] * root[j * n + k];
    }
  }
  double secant = 0;
  for (const auto& [tau, phi] : {std::pair{1.0, 1.0}, {1.0, 0.0}, {0.3, 0.7}, {2.0, 1.6}}) {
    std::vector<double> next = h;
    broyden_update(next, s, y, tau, phi);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += next[i * n + j] * y[j];
      secant = std::max(secant, std::abs(sum - s[i]));
    }
  }
  out.check("largest |H y - s| over four pairs (tau, phi)", secant, 0, 1e-12);
  // theta+ = 1 / rho- equals max(1, b (1 + c)), which looks different.
  double off = 0;
  for (int k = 0; k < 1000; ++k) {
    const double b = std::exp(rng.normal()), hh = (1 + std::exp(2 * rng.normal())) / b;
    const BroydenParameters p = broyden_parameters(QuasiNewtonUpdate::ssbroyden, b, hh, n);
    off = std::max(off, std::abs(p.theta_plus / std::max(1.0, p.b * (1 + p.c)) - 1));
  }
  out.check("theta+ / max(1, b (1 + c)) - 1, 1,000 random pairs", off, 0, 1e-10);
  // What it was made for: the loss of a network, -u'' = 9 pi^2 sin(3 pi x) with u = 0 at the ends.
  const Coordinate x("x");
  const Field u("u");
  Problem p;
  p.name = "rod";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(u, x, x) == 9 * pi * pi * sin(3 * pi * x)};
  p.condition = {on_boundary(u == 0)};
  p.reference.formulas["u"] = sin(3 * pi * x);
  Plot plot({.title = "loss of a network, three starts",
             .x = {.label = "step"},
             .y = {.label = "loss", .scale = AxisScale::log}});
  double logs[2] = {0, 0};
  for (const std::size_t k : {0, 1}) {
    const auto update = k == 0 ? QuasiNewtonUpdate::bfgs : QuasiNewtonUpdate::ssbroyden;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Solution solution =
          solve(p,
                Pinn{.network = Mlp{.width = 10, .depth = 2},
                     .points = {.interior = 60, .boundary = 2},
                     .stages = {{QuasiNewtonOptions{.update = update, .threads = 1}, 400}},
                     .seed = seed},
                {.threads = 1, .error_share = 0, .history_every = 10});
      std::vector<double> at, values;
      for (const HistoryEntry& e : solution.training->history) {
        at.push_back(double(e.step)), values.push_back(e.loss);
      }
      logs[k] += std::log10(values.back()) / 3;
      plot.line(at, values,
                {.name = seed == 1 ? std::string(to_string(update)) : std::string(),
                 .color = palette_color(k)});
    }
  }
  out.text(
      fmt::format("Loss after 400 steps, geometric mean of three starts: {:.1e} with BFGS, "
                  "{:.1e} with SSBroyden.",
                  std::pow(10, logs[0]), std::pow(10, logs[1])));
  out.require("SSBroyden ends with less than a third of the loss of BFGS", logs[1] < logs[0] - 0.5);
  out.picture("values", draw_figure({&plot}, {600, 340, 1}));
}

Artefact ssbroyden_algorithm_entry() {
  return {.id = "ssbroyden",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "5612-5629",
          .title = "Self-scaled Broyden steps",
          .formula =
              "H_{k+1} = \\frac{1}{\\tau} \\left[ H - \\frac{H y y^\\top H}{y^\\top H y} + "
              "\\phi v v^\\top \\right] + \\frac{s s^\\top}{y^\\top s}",
          .says =
              "A family of updates with two numbers that are chosen anew in every step; BFGS "
              "and DFP are members.",
          .truth =
              "The formulas are right; guards are missing where a tends to 0 and for one "
              "parameter, and s'H^-1 s is -alpha s'g: nothing has to be inverted.",
          .page = "optimizers.md",
          .seconds = 0.2,
          .file = "lecture_4/ssbroyden_algorithm.cpp",
          .make = make_ssbroyden_algorithm};
}

}  // namespace cauchy::notes
