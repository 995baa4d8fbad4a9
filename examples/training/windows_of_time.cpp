// Runs:    windows_of_time [PICTURE.svg]
// Expects: Burgers' equation in windows of time whose lengths follow the residuals: the shortest
//          ones lie where the shock forms, around t = 0.3, and the longest is at least twice as
//          long. Error below 1e-3; exit code 0.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/math/matrix.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/method.hpp>

namespace {

using namespace cauchy;

Problem burgers() {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Parameter nu("nu");
  Problem p;
  p.name = "burgers";
  p.fields = {"u"};
  p.parameters = {{"nu", 0.02 / pi}};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + u * d(u, x) == nu * d(u, x, x)};
  p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  p.reference.exact = "burgers_cole_hopf";
  return p;
}

Pinn in_windows() {
  Pinn method;
  method.network = Mlp{.width = 16, .depth = 2};
  method.points = {.interior = 800, .boundary = 100, .initial = 200};
  method.condition_weight = 10;
  method.stages = {{AdamOptions{.learning_rate = 2e-3}, 300}, {QuasiNewtonOptions{}, 600}};
  method.rules.point_scheme = ResidualPoints{.period = 200};
  method.rules.curriculum =
      WindowCurriculum{.goal = 1e-4, .accept = 2e-3, .give_up = 0.1, .first = 0.2};
  return method;
}

Plot field_with_borders(const Solution& s, const std::vector<double>& borders) {
  constexpr std::size_t n_t = 120, n_x = 80;
  Matrix values(n_x, n_t);
  for (std::size_t i = 0; i < n_x; ++i) {
    for (std::size_t k = 0; k < n_t; ++k) {
      const double t = (static_cast<double>(k) + 0.5) / n_t;
      const double x = 2 * (static_cast<double>(i) + 0.5) / n_x - 1;
      values(i, k) = s("u", {t, x});
    }
  }
  PlotOptions options{.title = "u and the borders of the windows", .legend = LegendPlace::none};
  options.x.label = "t";
  options.y.label = "x";
  Plot plot(options);
  plot.heat_map(values, {0, 1}, {-1, 1});
  for (const double t : borders) {
    plot.line(std::vector{t, t}, std::vector{-1.0, 1.0},
              {.color = Color{255, 255, 255}, .width = 1.2});
  }
  return plot;
}

Plot lengths_of(const std::vector<double>& borders) {
  std::vector<double> t, length;
  for (std::size_t k = 0; k + 1 < borders.size(); ++k) {
    t.insert(t.end(), {borders[k], borders[k + 1]});
    length.insert(length.end(), 2, borders[k + 1] - borders[k]);
  }
  PlotOptions options{.title = "their lengths", .legend = LegendPlace::none};
  options.x.label = "t";
  options.y = {.label = "length", .limits = Limits{0, 1.1 * *std::ranges::max_element(length)}};
  Plot plot(options);
  plot.line(t, length);
  return plot;
}

}  // namespace

int main(int argc, char** argv) {
  const Solution s = solve(burgers(), in_windows());
  Checkpoint saved;
  s.model->save(saved);
  std::vector<double> borders = saved.array("window/ends").values;  // begin and end of each
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  double shortest = 1, longest = 0;
  for (std::size_t k = 0; k + 1 < borders.size(); ++k) {
    const double length = borders[k + 1] - borders[k];
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    fmt::print("t in [{:.3f}, {:.3f}]\n", borders[k], borders[k + 1]);
  }
  fmt::print("error {:.1e} in {} windows\n", s.error.relative_l2(), borders.size() - 1);
  const Plot field = field_with_borders(s, borders), lengths = lengths_of(borders);
  if (argc > 1) {
    save_picture(argv[1], draw_figure({&field, &lengths},
                                      {.panel_width = 420, .panel_height = 300, .columns = 2}));
  }
  return s.error.relative_l2() < 1e-3 && longest >= 2 * shortest ? 0 : 1;
}
