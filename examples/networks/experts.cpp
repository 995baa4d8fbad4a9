// Runs:    experts [PICTURE.svg]
// Expects: Burgers' equation with a shock by three experts and a gate. The answer is the sum of
//          gates times experts, and its error is below 1 %; exit code 0.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/method.hpp>

using namespace cauchy;

int main(int argc, char** argv) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem burgers;
  burgers.name = "burgers";
  burgers.fields = {"u"};
  burgers.parameters = {{"nu", 0.01 / pi}};
  burgers.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  burgers.equation = {d(u, t) + u * d(u, x) == Parameter("nu") * d(u, x, x)};
  burgers.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  burgers.reference.exact = "burgers_cole_hopf";
  Pinn mixture;
  mixture.network = Experts{.experts = {Mlp{.width = 12, .depth = 2},
                                        Mlp{.width = 12, .depth = 2, .activation = Activation::sin},
                                        Mlp{.width = 16, .depth = 3}},
                            .gate = {Mlp{.width = 8, .depth = 2}}};
  mixture.points = {.interior = 1500, .boundary = 100, .initial = 100};
  mixture.rules.point_scheme = ResidualPoints{.offset = 0.2, .period = 100, .candidates = 10};
  mixture.stages = {{AdamOptions{.learning_rate = 5e-3}, 300}, {QuasiNewtonOptions{}, 1000}};
  const Solution s = solve(burgers, mixture);

  constexpr std::size_t n = 48;  // cells a side
  std::vector<double> rows;
  for (std::size_t i = 0; i < n * n; ++i) {
    rows.push_back((static_cast<double>(i % n) + 0.5) / n);
    rows.push_back(2 * (static_cast<double>(i / n) + 0.5) / n - 1);
  }
  std::vector<std::vector<double>> parts{s(u, rows)};
  std::vector<std::unique_ptr<Plot>> plots;
  std::vector<const Panel*> panels;
  for (const std::string& name : s.model->parts()) {  // gates, then experts
    parts.push_back(s(Field(name), rows));
    plots.push_back(
        std::make_unique<Plot>(PlotOptions{.title = name, .legend = LegendPlace::none}));
    plots.back()->heat_map(MatrixView<const double>(parts.back().data(), n, n), {0, 1}, {-1, 1});
    panels.push_back(plots.back().get());
  }
  double worst = 0;
  for (std::size_t i = 0; i < n * n; ++i) {
    double sum = 0;
    for (std::size_t k = 1; k <= 3; ++k) sum += parts[k][i] * parts[k + 3][i];
    worst = std::max(worst, std::abs(sum - parts[0][i]));
  }
  if (argc > 1)
    save_picture(argv[1], draw_figure(panels, {.panel_width = 300, .panel_height = 240}));
  fmt::print("error {:.1e}, largest difference {:.0e}\n", s.error.relative_l2(), worst);
  return s.error.relative_l2() < 0.01 && worst < 1e-12 ? 0 : 1;
}
