#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"
#include "training/point_weights/causal.hpp"

namespace cauchy::notes {

void make_causal_algorithm(Output& out) {
  // A start that is missed by far and four chunks that hold: L_0 = 2, L_1 ... L_4 = 0.01.
  const std::vector<double> losses = {2, 0.01, 0.01, 0.01, 0.01};
  const std::vector<double> right = detail::causal_factors(losses, 1);
  std::vector<double> printed = {1, 1, 1, 1};
  for (std::size_t i = 2; i <= 4; ++i) {
    double sum = 0;
    for (std::size_t k = 1; k < i; ++k) sum += losses[k];  // from 1: the start is left out
    printed[i - 1] = std::exp(-sum);
  }
  out.check("last weight, sum from k = 1 as printed", printed[3], std::exp(-0.03), 1e-12);
  out.check("last weight, sum from k = 0", right[3], std::exp(-2.03), 1e-12);
  out.check("all losses 0: least weight",
            detail::causal_factors(std::vector<double>(5, 0.0), 100)[3], 1, 0);
  // u' = u - u^3 from an unstable rest: the network that stays at 0 has small residuals, too.
  const Coordinate t("t");
  const Field u("u");
  Problem p;
  p.name = "leaving a rest";
  p.fields = {"u"};
  p.domain = Time(t, 0, 6);
  p.equation = {d(u, t) == u - u * u * u};
  p.condition = {at(t == 0, u == 0.1)};
  p.reference.formulas["u"] = exp(t) / sqrt(exp(2 * t) + 99);
  Pinn method{.network = Mlp{.width = 12, .depth = 2},
              .points = {.interior = 64},
              .stages = {{AdamOptions{.learning_rate = 1e-2}, 2000}}};
  Plot plot({.title = "u' = u - u^3, u(0) = 0.1", .x = {.label = "t"}, .y = {.label = "u"}});
  std::vector<double> at_times, exact, errors;
  for (int i = 0; i <= 120; ++i) {
    at_times.push_back(0.05 * i);
    exact.push_back(std::exp(0.05 * i) / std::sqrt(std::exp(0.1 * i) + 99));
  }
  plot.line(at_times, exact, {.name = "exact", .color = black, .dashed = true});
  for (const bool causal : {false, true}) {
    if (causal) method.rules.point_weights = {CausalWeights{}};
    const Solution s = solve(p, method, {.threads = 1});
    plot.line(at_times, s("u", at_times), {.name = causal ? "causal" : "all times alike"});
    errors.push_back(s.error.relative_l2());
  }
  out.text(fmt::format("Relative errors: {:.1e} with all times alike, {:.1e} with causal weights.",
                       errors[0], errors[1]));
  out.check("relative error with causal weights", errors[1], 0, 0.02);
  out.require("all times alike: more than ten times that error", errors[0] > 10 * errors[1]);
  out.picture("answers", draw_figure({&plot}, {600, 340, 1}));
}

Artefact causal_algorithm_entry() {
  return {.id = "causal-training",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "5800-5834",
          .title = "Causal training",
          .formula = "w_i = \\exp \\left( -\\epsilon \\sum_{k=0}^{i-1} L_k \\right)",
          .says =
              "A stretch of time counts only when the equation holds before it; the steepness "
              "epsilon grows as soon as all weights are near 1.",
          .truth =
              "The printed sum begins with k = 1, so that the loss of the start, L_0, gates "
              "nothing; it should begin with 0. There are N_t + 1 terms and a factor 1 / N_t, "
              "and the weight of the boundary is never used.",
          .page = "training/point-weights.md",
          .seconds = 0.2,
          .file = "lecture_4/causal_algorithm.cpp",
          .make = make_causal_algorithm};
}

}  // namespace cauchy::notes
