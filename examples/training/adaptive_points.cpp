// Runs:    adaptive_points [PICTURE.svg]
// Expects: Burgers' equation with a thin shock. Points that follow the residuals gather where the
//          shock forms, x = 0 from t = 0.2 on, and the error is less than half of that on fixed
//          points; exit code 0.
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
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
  p.parameters = {{"nu", 0.01 / pi}};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + u * d(u, x) == nu * d(u, x, x)};
  p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  p.reference.exact = "burgers_cole_hopf";
  return p;
}

/// Share of the points within 0.05 of the shock.
double share_at_shock(const Points& points) {
  double count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points.row(i)[0] > 0.2 && std::abs(points.row(i)[1]) < 0.05) ++count;
  }
  return count / static_cast<double>(points.size());
}

std::unique_ptr<Plot> panel(const std::string& title, const Points& points) {
  std::vector<double> t, x;
  for (std::size_t i = 0; i < points.size(); ++i) {
    t.push_back(points.row(i)[0]);
    x.push_back(points.row(i)[1]);
  }
  PlotOptions options{.title = title, .legend = LegendPlace::none};
  options.x.label = "t";
  options.y.label = "x";
  auto plot = std::make_unique<Plot>(options);
  plot->scatter(t, x);
  return plot;
}

}  // namespace

int main(int argc, char** argv) {
  Pinn fixed;
  fixed.network = Mlp{.width = 20, .depth = 3};
  fixed.points = {.interior = 1000, .boundary = 100, .initial = 100};
  fixed.stages = {{AdamOptions{.learning_rate = 5e-3}, 200}, {QuasiNewtonOptions{}, 800}};
  Pinn adapted = fixed;
  adapted.rules.point_scheme = ResidualPoints{.offset = 0.2, .period = 100, .candidates = 10};
  std::vector<std::unique_ptr<Plot>> plots;
  std::vector<double> errors, shares;
  for (const Pinn& method : {fixed, adapted}) {
    const Solution s = solve(burgers(), method);
    const Points& points = s.training->points.at(s.training->term_names[0]);
    errors.push_back(s.error.relative_l2());
    shares.push_back(share_at_shock(points));
    plots.push_back(panel(plots.empty() ? "fixed points" : "residual-based points", points));
    fmt::print("error {:.1e}, {:.0f} % of the points at the shock\n", errors.back(),
               100 * shares.back());
  }
  const Picture picture = draw_figure({plots[0].get(), plots[1].get()},
                                      {.panel_width = 420, .panel_height = 300, .columns = 2});
  if (argc > 1) save_picture(argv[1], picture);
  return errors[1] < errors[0] / 2 && shares[1] > 2 * shares[0] ? 0 : 1;
}
