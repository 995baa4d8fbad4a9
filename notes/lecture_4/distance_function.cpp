#include <cmath>
#include <vector>

#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/r_functions.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_distance_function(Output& out) {
  // Steps 1 to 3: a plate with a round hole from primitives, and two ways to normalise.
  const Coordinate x("x"), y("y");
  const Expr plate = r_and((1 - x * x) / 2, (1 - y * y) / 2);
  const Expr hole = (x * x + y * y - 0.16) / 0.8;  // (|x|^2 - R^2) / (2 R)
  const Expr r = r_and(plate, hole);
  const double delta = 0.05;
  const Expr printed = r / sqrt(r * r + delta * delta), fixed = levelled(r, delta),
             normal = normalized(r, std::vector<Expr>{x, y});
  const auto at = [&](const Expr& e, double px, double py) {
    return evaluate(e, Values().set(x, px).set(y, py));
  };
  out.check("slope across the edge x = 1, as printed: 1 / delta", -at(d(printed, x), 1, 0.3),
            1 / delta, 1e-6 / delta);
  out.check("slope with the factor delta", -at(d(fixed, x), 1, 0.3), 1, 1e-6);
  out.check("slope of r / sqrt(r^2 + |grad r|^2)", -at(d(normal, x), 1, 0.3), 1, 1e-6);
  out.check("the same at the hole", at(d(normal, x), 0.4, 0), 1, 1e-6);
  out.check("as printed, 0.3 inside: no distance, almost 1", at(printed, 0.7, 0.0), 1, 0.06);
  // Steps 4 and 5: u = g + phi N; the condition holds whatever the network says.
  const Field u("u");
  const Expr exact = exp(x) * sin(y) + x * y;
  Problem p;
  p.name = "plate with a hole";
  p.fields = {"u"};
  p.domain = Rectangle({-1, -1}, {1, 1}) - Disk({0, 0}, 0.4);
  p.equation = {d(u, x, x) + d(u, y, y) == 0};
  p.condition = {hard(on_boundary(u == exact))};
  p.reference.formulas["u"] = exact;
  const Solution s = solve(p,
                           Pinn{.network = Mlp{.width = 16, .depth = 2},
                                .points = {.interior = 300},
                                .stages = {{QuasiNewtonOptions{}, 150}}},
                           {.threads = out.threads()});
  double worst = 0;
  for (int i = 0; i < 100; ++i) {
    const double angle = 0.0628 * i, px = 0.4 * std::cos(angle), py = 0.4 * std::sin(angle);
    worst = std::max(worst, std::abs(s("u", {px, py}) - at(exact, px, py)));
  }
  out.check("largest error on the hole after the training", worst, 0, 1e-9);
  out.check("relative L2 error inside", s.error.relative_l2(), 0, 1e-2);
  Matrix first(90, 90), second(90, 90);
  for (std::size_t i = 0; i < 90; ++i) {
    for (std::size_t j = 0; j < 90; ++j) {
      const double px = (double(j) + 0.5) / 45 - 1, py = (double(i) + 0.5) / 45 - 1;
      const bool inside = std::hypot(px, py) > 0.4;
      first(i, j) = inside ? at(printed, px, py) : std::nan("");
      second(i, j) = inside ? at(normal, px, py) : std::nan("");
    }
  }
  Plot left({.title = "r / sqrt(r^2 + delta^2), as printed", .equal_aspect = true, .grid = false});
  Plot right({.title = "r / sqrt(r^2 + |grad r|^2)", .equal_aspect = true, .grid = false});
  left.heat_map(first, {-1, 1}, {-1, 1});
  right.heat_map(second, {-1, 1}, {-1, 1});
  out.picture("functions", draw_figure({&left, &right}, {400, 360, 2}),
              "As printed the function jumps to 1 within delta of the boundary; normalised by its "
              "gradient it grows like the distance.");
}

Artefact distance_function_entry() {
  return {.id = "distance-function",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "3985-3994",
          .title = "Exact boundary values by an approximate distance",
          .formula =
              "u = g + \\phi \\hat u_\\theta, \\quad \\phi = \\frac{r}{\\sqrt{r^2 + \\lVert "
              "\\nabla r \\rVert^2}}",
          .says =
              "Primitives are joined by R-functions into a function that vanishes on the "
              "boundary; multiplied with a network it builds the condition in.",
          .truth =
              "The printed normalisation by sqrt(r^2 + delta^2) has slope 1 / delta at the "
              "boundary and levels off at 1: it is no distance. A factor delta, or the "
              "gradient in place of delta, gives slope 1.",
          .page = "geometry.md",
          .seconds = 0.2,
          .file = "lecture_4/distance_function.cpp",
          .make = make_distance_function};
}

}  // namespace cauchy::notes
