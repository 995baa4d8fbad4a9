// A cooling fin of given material, short or thin? One network for all widths w of the region
// [0, 0.2/w] x [0, w/2], half a fin, gives the heat of every design; elements compute some of them.
// Runs:    fin_design [PICTURE.svg]
// Expects: heats to 1 % of those by elements, the best width to 5 % of the classical one of thin
//          fins, m L = 1.4192 with m^2 = 2 h / w (Kern and Kraus); exit code 0.
#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cmath>

using namespace cauchy;
constexpr double h = 0.2, area = 0.2;  // cooling, material; conductivity 1

Problem fin(const Expr& w) {
  const Coordinate x("x"), y("y");
  const Field T("T");
  Problem p;
  p.domain = Rectangle({0, 0}, {area / w, w / 2});
  p.fields = {"T"};
  p.equation = {laplacian(T, {x, y}) == 0};
  p.condition = {on("left", T == 1), on("bottom or right", normal_derivative(T, {"x", "y"}) == 0),
                 on("top", normal_derivative(T, {"x", "y"}) + h * T == 0)};
  return p;
}

/// Heat that leaves through both sides, 2 int h T dx, by the rule of the midpoints.
double heat(const Solution& s, double w, bool family) {
  constexpr int n = 200;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double x = area / w * (i + 0.5) / n;
    sum += family ? s("T", {x, w / 2, w}) : s("T", {x, w / 2});
  }
  return 2 * h * sum * area / w / n;
}

int main(int argc, char** argv) {
  Problem all = fin(Parameter("w"));
  all.domain = *all.domain * Range(Parameter("w"), 0.14, 0.4);
  const Solution family = solve(
      all, Pinn{.network = Elm{.features = 500}, .points = {.interior = 3000, .boundary = 400}});
  std::vector<double> widths, heats, exact;
  for (int i = 0; i <= 104; ++i) widths.push_back(0.14 + i / 400.0);
  for (const double w : widths) heats.push_back(heat(family, w, true));
  const std::vector<double> some = {0.14, 0.17, 0.2, 0.3, 0.4};
  double worst = 0;
  for (const double w : some) {
    const double found = heat(family, w, true);
    exact.push_back(heat(solve(fin(w), Fem{.n = 32}), w, false));
    worst = std::max(worst, std::abs(found / exact.back() - 1));
    fmt::print("w = {:.2f}: heat {:.5f}, by elements {:.5f}\n", w, found, exact.back());
  }
  const auto best = std::max_element(heats.begin(), heats.end()) - heats.begin();
  const double w = widths[static_cast<std::size_t>(best)];
  const double classical = std::pow(std::sqrt(2 * h) * area / 1.4192, 2.0 / 3);
  fmt::print("best width {:.4f}, of thin fins {:.4f}, heat to {:.1e}\n", w, classical, worst);
  Plot plot({.title = "heat of a fin", .x = {.label = "width"}});
  plot.line(widths, heats, {.name = "one network"}).scatter(some, exact, {.name = "elements"});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_width = 420}));
  return worst < 1e-2 && std::abs(w / classical - 1) < 0.05 ? 0 : 1;
}
