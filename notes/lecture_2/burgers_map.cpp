#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_burgers_map(Output& out) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + u * d(u, x) == 0.01 / pi * d(u, x, x)};
  p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  p.reference.exact = "burgers_cole_hopf";
  p.reference.parameters["nu"] = 0.01 / pi;
  p.parameters = {};
  const Solution s = solve(p, Fdm{.n = 2000}, {.threads = out.threads()});
  out.check("u(0.25, 0.5)", s("u", {0.25, 0.5}), -0.8031984208, 1e-4);
  out.check("u(0.5, 0.1)", s("u", {0.5, 0.1}), -0.9581595534, 1e-4);
  out.check("u(1, 0.1)", s("u", {1, 0.1}), -0.6654815677, 1e-4);
  // The steepest slope of all, at t = 1.6037 / pi; it needs a fine grid.
  out.check("exact slope at x = 0, t = 1.6037 / pi",
            (burgers_cole_hopf(1.6037 / pi, 1e-5, 0.01 / pi) -
             burgers_cole_hopf(1.6037 / pi, -1e-5, 0.01 / pi)) /
                2e-5,
            -152.005, 1e-2);
  out.check("slope at x = 0, t = 1.6037 / pi, by differences", s("u_x", {1.6037 / pi, 0}), -152.005,
            1.5);
  constexpr std::size_t rows = 100, cols = 200;
  Matrix map(rows, cols);
  double odd = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> points;
    for (std::size_t j = 0; j < cols; ++j) {
      points.insert(points.end(), {double(i) / (rows - 1), -1 + 2 * (double(j) + 0.5) / cols});
    }
    const std::vector<double> values = s("u", points);
    for (std::size_t j = 0; j < cols; ++j) {
      map(i, j) = values[j];
      odd = std::max(odd, std::abs(values[j] + values[cols - 1 - j]));
    }
  }
  out.check("oddness in x", odd, 0, 1e-9);
  Plot field({.title = "u(t, x)",
              .x = {.label = "x"},
              .y = {.label = "t"},
              .color = {.map = Colormap::diverging},
              .grid = false});
  field.heat_map(map, {-1, 1}, {0, 1});
  Plot profiles({.title = "profiles", .x = {.label = "x"}, .y = {.label = "u"}});
  for (const double time : {0.0, 0.25, 0.5, 1.0}) {
    std::vector<double> xs, points;
    for (int i = 0; i <= 400; ++i) {
      xs.push_back(-1 + i / 200.0);
      points.insert(points.end(), {time, xs.back()});
    }
    profiles.line(xs, s("u", points), {.name = fmt::format("t = {:g}", time)});
  }
  out.picture("map", draw_figure({&field, &profiles}, {480, 380, 2}),
              "A sine steepens into a front that viscosity keeps from breaking.");
}

Artefact burgers_map_entry() {
  return {.id = "burgers-map",
          .kind = Kind::figure,
          .lecture = 2,
          .lines = "1589-1598",
          .title = "Burgers' equation, resolved",
          .formula = R"(u_t + u\,u_x = \nu u_{xx}, \quad \min_{t} u_x(t, 0) = -152.005)",
          .says =
              "The field of the listing as a map over space and time, with a steep front in the "
              "middle.",
          .truth = "Drawn here from a grid that resolves the front, not from the listing's.",
          .page = "methods/time.md",
          .seconds = 0.5,
          .file = "lecture_2/burgers_map.cpp",
          .make = make_burgers_map};
}

}  // namespace cauchy::notes
