#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_corner_weights(Output& out) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  const Expr r2 = x * x + y * y + 1e-30;
  Problem corner;
  corner.name = "corner";
  corner.domain = Rectangle({-1, -1}, {1, 1}) - Rectangle({0, -1}, {1, 0});
  corner.fields = {"u"};
  corner.equation = {d(u, x, x) + d(u, y, y) == 0};
  // r^(2/3) sin(2/3 theta): its gradient is infinite in the corner
  const Expr exact = pow(r2, 1.0 / 3) * cos(4.0 / 3 * atan((x + y) / (sqrt(2 * r2) + y - x)));
  corner.condition = {on_boundary(u == exact)};
  corner.reference.formulas["u"] = exact;
  Pinn method{.network = Mlp{.width = 12, .depth = 2},
              .points = {.interior = 300, .boundary = 120},
              .stages = {{AdamOptions{.learning_rate = 5e-3}, 150}, {LbfgsOptions{}, 250}}};
  Plot plot({.title = "L-shaped region, weights d^power",
             .x = {.label = "step"},
             .y = {.label = "relative L2 error", .scale = AxisScale::log}});
  std::vector<double> errors;
  for (const double power : {0, 1, 2}) {
    method.rules.point_weights = {DistanceWeights{.power = power}};
    const Solution s =
        solve(corner, method, {.threads = 1, .error_share = 0.3, .history_every = 20});
    std::vector<double> steps, values;
    for (const HistoryEntry& h : s.training->history) {
      if (h.error > 0) steps.push_back(double(h.step)), values.push_back(h.error);
    }
    plot.line(steps, values, {.name = power == 0 ? "no weights" : fmt::format("power {}", power)});
    errors.push_back(s.error.relative_l2());
  }
  out.text(
      fmt::format("Relative errors: {:.1e} without weights, {:.1e} and {:.1e} with powers 1 and 2.",
                  errors[0], errors[1], errors[2]));
  out.require("weights that vanish at the boundary lower the error", errors[2] < errors[0]);
  out.check("error with power 2", errors[2], 0, 0.1);
  out.picture("curves", draw_figure({&plot}, {600, 340, 1}));
}

Artefact corner_weights_entry() {
  return {.id = "distance-weights",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "5709-5716",
          .title = "Weights by the distance from the boundary",
          .formula = "L = \\int d(x)^p | \\Delta u |^2 dx",
          .says =
              "Curves of a training with and without the signed distance as weight of the "
              "residual, for a heat sink with fins. Reduced to what matters there, a corner that "
              "points inwards: Laplace's equation in an L-shaped region.",
          .truth =
              "Where the notes take distances as positive inside, their gradient on the boundary "
              "is minus the outward normal.",
          .page = "training/point-weights.md",
          .seconds = 0.2,
          .file = "lecture_4/corner_weights.cpp",
          .make = make_corner_weights};
}

}  // namespace cauchy::notes
