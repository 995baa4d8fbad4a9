// The corner of an L-shaped region, where derivatives are infinite, with and without weights that
// fall to 0 at the boundary like a power of the distance.
//
// Runs:    corner_weights [PICTURE.svg]
// Expects: the error falls as the power grows, to less than half of that without weights; exit code
//          0.
#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/method.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate x("x"), y("y");
  const Field u("u");
  const Expr r2 = x * x + y * y + 1e-30;

  Problem corner;
  corner.name = "corner";
  corner.domain = Rectangle({-1, -1}, {1, 1}) - Rectangle({0, -1}, {1, 0});
  corner.fields = {"u"};
  corner.equation = {d(u, x, x) + d(u, y, y) == 0};
  // r^(2/3) sin(2/3 theta), theta from the wall x = 0, y < 0 on.
  const Expr exact = pow(r2, 1.0 / 3) * cos(4.0 / 3 * atan((x + y) / (sqrt(2 * r2) + y - x)));
  corner.condition = {on_boundary(u == exact)};
  corner.reference.formulas["u"] = exact;

  Pinn method;
  method.network = Mlp{.width = 16, .depth = 2};
  method.points = {.interior = 400, .boundary = 160};
  method.stages = {{AdamOptions{.learning_rate = 5e-3}, 200}, {LbfgsOptions{}, 400}};
  PlotOptions options{.title = "L-shaped region, weights d^power"};
  options.x.label = "step";
  options.y.label = "relative L2 error";
  options.y.scale = AxisScale::log;
  Plot plot(options);
  std::vector<double> errors;
  for (const double power : {0, 1, 2, 4}) {
    method.rules.point_weights = {DistanceWeights{.power = power}};
    const Solution s = solve(corner, method, {.error_share = 1, .history_every = 20});
    std::vector<double> steps, values;
    for (const HistoryEntry& h : s.training->history) {
      if (!(h.error > 0)) continue;
      steps.push_back(static_cast<double>(h.step));
      values.push_back(h.error);
    }
    plot.line(steps, values, {.name = power == 0 ? "no weights" : fmt::format("power {}", power)});
    errors.push_back(s.error.relative_l2());
    fmt::print("power {}: error {:.2e}\n", power, errors.back());
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {}));
  const bool falls = errors[1] < errors[0] && errors[2] < errors[1] && errors[3] < errors[2];
  return falls && errors[3] < errors[0] / 2 ? 0 : 1;
}
