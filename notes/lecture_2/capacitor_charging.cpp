#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_capacitor_charging(Output& out) {
  const Coordinate t("t"), x("x");
  const Field V("V");
  const double layer = 0.4, t_end = 5;
  Problem p;
  p.domain = Interval(x, 0, 1) * Time(t, 0, t_end);
  p.fields = {"V"};
  const Expr sigma = where(x < layer, 1, 0);
  p.equation = {d(V, x, x, t) + d(sigma * d(V, x), x) == 0};
  p.condition = {at(t == 0, V == 1 - x), on("left", V == 1), on("right", V == 0)};
  // The field is uniform on both sides of x = 0.4 and decays in the layer with the rate 0.6.
  const Expr inside = -exp(-(1 - layer) * t);
  p.reference.formulas["V"] =
      where(x < layer, 1 + inside * x, (1 - x) * (1 + layer * inside) / (1 - layer));
  const Solution s = solve(p, Fdm{.n = 500}, {.threads = out.threads()});
  out.check("relative error against the exact potential", s.error.relative_l2(), 0, 1e-4);
  out.check("V at the end of the layer, t = 1", s("V", {1, 0.4}), 1 - 0.4 * std::exp(-0.6), 1e-3);

  constexpr std::size_t n = 101;
  Matrix map(n, n);
  std::vector<double> xs, conductivity;
  for (std::size_t i = 0; i < n; ++i) {
    xs.push_back(double(i) / (n - 1));
    conductivity.push_back(xs.back() < layer ? 1 : 0);
  }
  Plot first({.title = "conductivity", .x = {.label = "x"}});
  Plot second({.title = "V(t, x)", .x = {.label = "x"}, .y = {.label = "t"}, .grid = false});
  Plot third({.title = "profiles", .x = {.label = "x"}, .y = {.label = "V"}});
  first.line(xs, conductivity);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> points;
    for (const double at_x : xs) points.insert(points.end(), {t_end * xs[k], at_x});
    const std::vector<double> profile = s("V", points);
    for (std::size_t i = 0; i < n; ++i) map(k, i) = profile[i];
    if (k % 25 == 0) third.line(xs, profile, {.name = fmt::format("t = {:.3g}", t_end * xs[k])});
  }
  second.heat_map(map, {0, 1}, {0, t_end});
  out.picture("charging", draw_figure({&first, &second, &third}, {340, 320, 3}),
              "Charges move until no field is left in the conductor.");
}

Artefact capacitor_charging_entry() {
  return {
      .id = "ho1-charging",
      .kind = Kind::exercise,
      .lecture = 2,
      .lines = "1544-1598",
      .title = "Hands-on 1.5: a capacitor is charged",
      .formula =
          R"(\varepsilon\,\partial_x^2\partial_t V + \partial_x(\sigma\,\partial_x V) = 0, \quad V(t, 0) = 1, \quad V(t, 1) = 0)",
      .says =
          "An equation of third order in one space dimension and time: Maxwell's equations "
          "without waves, with a conductor for x < 0.4.",
      .truth =
          "The text drops the derivative by time in 1 + 1 dimensions, and the second "
          "derivative of the code divides by 2 dx instead of dx^2. With both right the exact "
          "answer, piecewise linear in x, comes out.",
      .page = "methods/time.md",
      .seconds = 0.2,
      .file = "lecture_2/capacitor_charging.cpp",
      .make = make_capacitor_charging};
}

}  // namespace cauchy::notes
