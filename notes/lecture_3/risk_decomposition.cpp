#include <algorithm>
#include <cmath>

#include <cauchy/base/rng.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_risk_decomposition(Output& out) {
  // -u'' = pi^2 sin(pi x) on [0, 1] with the family u = theta 4 x (1 - x): r = 8 theta - pi^2 sin.
  constexpr double pi = std::numbers::pi;
  const auto risk = [&](double theta) {
    return 64 * theta * theta - 32 * pi * theta + std::pow(pi, 4) / 2;
  };
  const double approximation = risk(pi / 4);  // the lowest of all
  out.check("approximation error, pi^4 / 2 - 4 pi^2", approximation,
            std::pow(pi, 4) / 2 - 4 * pi * pi, 1e-12);
  bool holds = true;
  std::vector<double> sizes, estimation, bound, total, optimisation;
  for (const std::size_t n : {8u, 32u, 128u, 512u, 2048u}) {
    double e_g = 0, e_o = 0, reached = 0;
    constexpr int runs = 200;
    for (int run = 0; run < runs; ++run) {
      Rng rng(std::uint64_t(run), n);
      double s1 = 0, s2 = 0;  // means of sin and sin^2 at the points: the empirical risk is
      for (std::size_t i = 0; i < n; ++i) {  // 64 theta^2 - 16 pi^2 theta s1 + pi^4 s2
        const double s = std::sin(pi * rng.uniform());
        s1 += s / double(n);
        s2 += s * s / double(n);
      }
      const auto empirical = [&](double theta) {
        return 64 * theta * theta - 16 * pi * pi * theta * s1 + std::pow(pi, 4) * s2;
      };
      double theta = 0;  // five steps of gradient descent: not yet at the minimum
      for (int k = 0; k < 5; ++k) theta -= 0.003 * (128 * theta - 16 * pi * pi * s1);
      double lowest = 1e300, gap = 0;  // by brute force over theta in [0, 2]
      for (int k = 0; k <= 2000; ++k) {
        lowest = std::min(lowest, empirical(k / 1000.0));
        gap = std::max(gap, std::abs(risk(k / 1000.0) - empirical(k / 1000.0)));
      }
      const double off = empirical(theta) - lowest;
      holds = holds && risk(theta) <= off + 2 * gap + approximation + 1e-3;
      e_g += gap / runs;
      e_o += off / runs;
      reached += risk(theta) / runs;
    }
    sizes.push_back(double(n));
    estimation.push_back(e_g);
    optimisation.push_back(e_o);
    total.push_back(reached);
    bound.push_back(e_o + 2 * e_g + approximation);
  }
  out.require("R <= E_O + 2 E_G + E_A in all 1,000 runs", holds);
  out.check("slope of the estimation error",
            std::log(estimation[4] / estimation[0]) / std::log(sizes[4] / sizes[0]), -0.5, 0.05);
  out.require("the risk stays above the approximation error, whatever the points",
              *std::min_element(total.begin(), total.end()) >= approximation);
  Plot plot({.title = "what the risk is made of",
             .x = {.label = "points N", .scale = AxisScale::log},
             .y = {.label = "mean of 200 runs", .scale = AxisScale::log},
             .legend = LegendPlace::outside});
  const std::vector<double> floor(5, approximation);
  plot.line(sizes, bound, {.name = "E_O + 2 E_G + E_A", .markers = true});
  plot.line(sizes, total, {.name = "risk R", .markers = true});
  plot.line(sizes, estimation, {.name = "estimation E_G", .markers = true});
  plot.line(sizes, optimisation, {.name = "optimisation E_O", .markers = true});
  plot.line(sizes, floor, {.name = "approximation E_A", .dashed = true});
  out.picture(
      "risk", draw_figure({&plot}, {680, 400, 1}),
      "More points lower the estimation error alone; the family and the optimiser set the rest.");
}

Artefact risk_decomposition_entry() {
  return {.id = "risk-decomposition",
          .kind = Kind::figure,
          .lecture = 3,
          .lines = "2868-2973",
          .title = "Approximation, estimation and optimisation errors",
          .formula =
              R"(\mathcal{R}[u_{\hat\theta}] \le \mathcal{E}_O + 2\,\mathcal{E}_G + \mathcal{E}_A)",
          .says =
              "The risk of a trained network is bounded by what the family cannot represent, what "
              "the points do not see, and what the optimiser leaves.",
          .truth =
              "The inequality is right. In its general form E_A subtracts R*, not R (line 2902), "
              "and the bound of line 2936 has to contain the training risk of u_theta: the "
              "printed R[u] of the exact solution is 0.",
          .page = "solving.md",
          .seconds = 0.3,
          .file = "lecture_3/risk_decomposition.cpp",
          .make = make_risk_decomposition};
}

}  // namespace cauchy::notes
