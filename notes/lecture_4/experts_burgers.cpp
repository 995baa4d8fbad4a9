#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_experts_burgers(Output& out) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem burgers;
  burgers.name = "burgers";
  burgers.fields = {"u"};
  burgers.parameters = {{"nu", 0.05 / pi}};
  burgers.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  burgers.equation = {d(u, t) + u * d(u, x) == Parameter("nu") * d(u, x, x)};
  burgers.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  burgers.reference.exact = "burgers_cole_hopf";
  Pinn mixture;  // the five experts of the notes, 8 times as narrow
  mixture.network =
      Experts{.experts = {Mlp{.width = 8, .depth = 2},
                          Mlp{.width = 8, .depth = 2, .activation = Activation::sin},
                          Mlp{.width = 16, .depth = 2}, Mlp{.width = 16, .depth = 3},
                          Mlp{.width = 32, .depth = 1, .activation = Activation::silu}},
              .gate = {Mlp{.width = 8, .depth = 2}}};
  mixture.points = {.interior = 600, .boundary = 60, .initial = 80};
  mixture.rules.point_scheme = ResidualPoints{.offset = 0.2, .period = 100, .candidates = 6};
  mixture.stages = {{AdamOptions{.learning_rate = 5e-3}, 200},
                    {QuasiNewtonOptions{.threads = 1}, 500}};
  const Solution s = solve(burgers, mixture, {.threads = 1, .error_share = 0});
  constexpr std::size_t n = 48;
  std::vector<double> rows;
  for (std::size_t i = 0; i < n * n; ++i) {
    rows.push_back((double(i % n) + 0.5) / n);
    rows.push_back(2 * (double(i / n) + 0.5) / n - 1);
  }
  const std::vector<double> whole = s(u, rows);
  std::vector<std::vector<double>> parts;
  std::vector<Plot> plots;
  for (const std::string& name : s.model->parts()) {  // gates, then experts
    parts.push_back(s(Field(name), rows));
    plots.emplace_back(PlotOptions{.title = name, .legend = LegendPlace::none});
    plots.back().heat_map(MatrixView<const double>(parts.back().data(), n, n), {0, 1}, {-1, 1});
  }
  double off = 0, sums = 0, least = 1;
  for (std::size_t i = 0; i < n * n; ++i) {
    double sum = 0, gates = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      sum += parts[k][i] * parts[k + 5][i];
      gates += parts[k][i];
      least = std::min(least, parts[k][i]);
    }
    off = std::max(off, std::abs(sum - whole[i]));
    sums = std::max(sums, std::abs(gates - 1));
  }
  out.check("largest |sum of gates - 1|", sums, 0, 1e-12);
  out.check("largest |u - sum of gates times experts|", off, 0, 1e-11);
  out.require("gates are positive", least > 0);
  out.check("relative L2 error", s.error.relative_l2(), 0, 0.05);
  out.text(
      fmt::format("{} parameters, relative error {:.1e}.", s.n_unknowns, s.error.relative_l2()));
  std::vector<const Panel*> panels;
  for (const Plot& plot : plots) panels.push_back(&plot);
  out.picture("experts", draw_figure(panels, {230, 200, 5}),
              "Above: where each expert is asked. Below: what it says.");
}

Artefact experts_burgers_entry() {
  return {.id = "experts",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "5313-5337",
          .title = "Five experts for a shock",
          .formula = "u(x) = \\sum_i \\lambda_i(x) u_i(x), \\quad \\lambda = \\softmax(g(x))",
          .says =
              "Gates and experts of a mixture that solves Burgers' equation. Reduced: widths "
              "divided by 8, viscosity 0.05 / pi, 700 steps.",
          .truth =
              "The program of the exercise leaves the softmax of the gates out, and has another "
              "fourth expert.",
          .page = "networks/experts-and-others.md",
          .seconds = 1.1,
          .file = "lecture_4/experts_burgers.cpp",
          .make = make_experts_burgers};
}

}  // namespace cauchy::notes
