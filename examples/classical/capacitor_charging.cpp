// Runs:    capacitor_charging [PICTURE.svg]
// Expects: charges move in the conducting layer of a plate capacitor until no field is left there:
//          eps V_xxt + d_x(sigma V_x) = 0, third order with a rate under derivatives. The potential
//          agrees with the exact one to 5e-3 at all times; exit code 0.
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate t("t"), x("x");
  const Field V("V");
  const double eps = 1, layer = 0.4, t_end = 5;
  Problem p;
  p.name = "capacitor_charging";
  p.domain = Interval(x, 0, 1) * Time(t, 0, t_end);
  p.fields = {"V"};
  const Expr sigma = where(x < layer, 1, 0);
  p.equation = {eps * d(V, x, x, t) + d(sigma * d(V, x), x) == 0};
  p.condition = {at(t == 0, V == 1 - x), on("left", V == 1), on("right", V == 0)};
  // The field is uniform on both sides of x = 0.4 and decays in the layer with rate 0.6/eps.
  const Expr inside = -exp(-(1 - layer) * t / eps);
  p.reference.formulas["V"] =
      where(x < layer, 1 + inside * x, (1 - x) * (1 + layer * inside) / (1 - layer));
  p.tolerance = 5e-3;
  const Solution s = solve(p, Fdm{.n = 505});
  fmt::print("{}: error {:.1e}\n", s.method, s.error.relative_l2());

  constexpr std::size_t n = 101;
  std::vector<double> xs, conductivity;
  Matrix map(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    xs.push_back(static_cast<double>(i) / (n - 1));
    conductivity.push_back(xs.back() < layer ? 1 : 0);
  }
  Plot first({.title = "conductivity", .x = {.label = "x"}});
  Plot second({.title = "V(t, x)", .x = {.label = "x"}, .y = {.label = "t"}});
  Plot third({.title = "profiles", .x = {.label = "x"}, .y = {.label = "V"}});
  first.line(xs, conductivity);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> rows;
    for (const double at_x : xs) rows.insert(rows.end(), {t_end * xs[k], at_x});
    const std::vector<double> profile = s("V", rows);
    for (std::size_t i = 0; i < n; ++i) map(k, i) = profile[i];
    if (k % 25 == 0) third.line(xs, profile, {.name = fmt::format("t = {:.3g}", t_end * xs[k])});
  }
  second.heat_map(map, {0, 1}, {0, t_end});
  const Picture picture =
      draw_figure({&first, &second, &third}, {.panel_width = 360, .columns = 3});
  if (argc > 1) save_picture(argv[1], picture);
  return s.error.relative_l2() < 5e-3 ? 0 : 1;
}
