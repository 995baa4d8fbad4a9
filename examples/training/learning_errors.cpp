// The three errors of learning: networks of growing width on growing numbers of random points, each
// from several starts, and the risk of each taken apart.
//
// Runs:    learning_errors [PICTURE.svg]
// Expects: R <= E_O + 2 E_G + E_A for every network; what is not seen between N random points falls
//          like N^(-1/2), within 0.1 of the order; wider networks approximate better; exit code 0.
#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/norms.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/risk.hpp>
#include <cauchy/solvers/learning_study.hpp>
#include <cauchy/solvers/method.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate x("x");
  const Field u("u");
  Problem rod;
  rod.name = "rod";
  rod.fields = {"u"};
  rod.domain = Interval(x, 0, 1);
  rod.equation = {-d(u, x, x) == exp(sin(5 * x))};
  rod.condition = {on_boundary(u == 0)};
  rod.condition[0].hard = true;  // the risk is that of the equation alone

  Pinn method;
  method.network = Mlp{.width = 4, .depth = 1};
  method.points.sampler.kind = SamplerKind::uniform;
  method.stages = {{AdamOptions{.learning_rate = 1e-2}, 200}, {QuasiNewtonOptions{}, 300}};
  const LearningPlan plan{.widths = {2, 4, 8, 16}, .points = {8, 16, 64, 256}, .restarts = 3};
  bool good = true;
  std::vector<double> widths, best, points = {20, 80, 320, 1280}, gaps;
  for (const LearningResult& r : learning_study(rod, method, plan, {.threads = 1})) {
    fmt::print("width {:2}, {:3} points: R {:.1e} <= E_O {:.1e} + 2 E_G {:.1e} + E_A {:.1e}\n",
               r.width, r.points, r.parts.risk, r.parts.optimization, r.parts.estimation,
               r.parts.approximation);
    good = good && r.parts.risk <= r.parts.bound() * (1 + 1e-12);
    if (r.points != plan.points.back()) continue;
    widths.push_back(r.width);
    best.push_back(r.parts.approximation);
  }
  // |R - R^| of one network that was not trained long, over the number of random points.
  method.stages = {{AdamOptions{}, 50}};
  const Solution s = solve(rod, method, {.threads = 1});
  const Expr residual = rod.equation[0].form.residual();
  const double risk = integral(s, residual * residual).value;
  for (const double n : points) {
    gaps.push_back(0);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      std::vector<double> at(static_cast<std::size_t>(n));
      Rng(seed, 5).fill_uniform(at);
      gaps.back() += std::abs(empirical_risk(s(residual, at)).risk.value - risk) / 400;
    }
  }
  const double order = fitted_order(points, gaps);
  fmt::print("|R - R^| ~ N^{:.2f}, E_A ~ width^{:.1f}\n", order, fitted_order(widths, best));
  Plot left(
      {.title = "approximation", .x = {"width", AxisScale::log}, .y = {"E_A", AxisScale::log}}),
      right({.title = "estimation",
             .x = {"random points", AxisScale::log},
             .y = {"mean |R - R^|", AxisScale::log}});
  left.line(widths, best, {.markers = true});
  right.line(points, gaps, {.markers = true});
  if (argc > 1) save_picture(argv[1], draw_figure({&left, &right}, {420, 320, 2, ""}));
  return good && std::abs(order + 0.5) < 0.1 && best.back() < best.front() / 100 ? 0 : 1;
}
