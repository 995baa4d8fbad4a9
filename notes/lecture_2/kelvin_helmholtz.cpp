#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_kelvin_helmholtz(Output& out) {
  const Coordinate t("t"), x("x"), y("y");
  const Field rho("rho"), u("u"), v("v"), p("p");
  const Expr E = p / (2.0 / 3) + rho * (u * u + v * v) / 2;  // gamma = 5/3
  const auto flux = [&](const Expr& a, const Expr& b) { return div(Vector{a, b}, {x, y}); };
  Problem gas;
  gas.fields = {"rho", "u", "v", "p"};
  gas.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 2);
  gas.equation = {d(rho, t) + flux(rho * u, rho * v) == 0,
                  d(rho * u, t) + flux(rho * u * u + p, rho * u * v) == 0,
                  d(rho * v, t) + flux(rho * u * v, rho * v * v + p) == 0,
                  d(E, t) + flux((E + p) * u, (E + p) * v) == 0};
  const Expr strip = where(abs(y - 0.5) < 0.25, 1, 0);
  const auto bump = [&](double y0) { return exp(-400 * pow(y - y0, 2)); };
  const Expr kick = 0.1 * sin(4 * pi * x) * (bump(0.25) + bump(0.75));
  gas.condition = {at(t == 0, rho == 1 + strip), at(t == 0, u == strip - 0.5)};
  gas.condition.insert(gas.condition.end(), {at(t == 0, v == kick), at(t == 0, p == 2.5)});
  gas.condition.insert(gas.condition.end(), {periodic(x), periodic(y)});
  Fvm method{.n = 64, .flux = FvmFlux::rusanov};
  method.reconstruction = FvmReconstruction::muscl_hancock;
  method.limiter = FvmLimiter::none;
  const Solution s = solve(gas, method, {.threads = out.threads()});

  const auto n = std::size_t(method.n);
  std::vector<Plot> panels;
  double lowest = 1e9, mixed = 0;
  std::vector<double> first(4);
  for (const double time : {0.0, 0.25, 0.5, 0.75, 1.0, 2.0}) {
    Matrix density(n, n);
    std::vector<double> total(4), rows;
    for (std::size_t k = 0; k < n * n; ++k) {
      rows.insert(rows.end(),
                  {time, (0.5 + double(k % n)) / double(n), (0.5 + double(k / n)) / double(n)});
    }
    const std::vector<double> all =
        s.evaluate(std::vector<Expr>{rho, rho * u, rho * v, E, p}, rows);
    for (std::size_t k = 0; k < n * n; ++k) {
      for (std::size_t q = 0; q < 4; ++q) total[q] += all[5 * k + q] / double(n * n);
      density(k / n, k % n) = all[5 * k];
      lowest = std::min({lowest, all[5 * k], all[5 * k + 4]});
      if (time == 2 && all[5 * k] > 1.25 && all[5 * k] < 1.75) mixed += 1 / double(n * n);
    }
    if (time == 0) first = total;
    if (time == 2) {
      const char* names[] = {"mass", "momentum along x", "momentum along y", "energy"};
      for (std::size_t q = 0; q < 4; ++q) {
        out.check(fmt::format("{} at t = 2", names[q]), total[q], first[q], 1e-10);
      }
    }
    panels.emplace_back(PlotOptions{.title = fmt::format("t = {:g}", time),
                                    .color = {.limits = Limits{0.9, 2.1}},
                                    .equal_aspect = true,
                                    .grid = false});
    panels.back().heat_map(density, {0, 1}, {0, 1});
  }
  out.check("mass of the strip and of the rest", first[0], 1.5, 1e-12);
  out.require("density and pressure stay positive", lowest > 0);
  out.require("the layers have rolled up and mixed: a tenth of the square at least", mixed > 0.1);
  std::vector<const Panel*> all;
  for (const Plot& panel : panels) all.push_back(&panel);
  out.picture("density", draw_figure(all, {320, 280, 3}),
              "Density while the shear layer rolls up.");
}

Artefact kelvin_helmholtz_entry() {
  return {
      .id = "ho1-kelvin-helmholtz",
      .kind = Kind::exercise,
      .lecture = 2,
      .lines = "2111-2184",
      .title = "Hands-on 1.10: a shear layer rolls up",
      .formula =
          R"(\partial_t q + \nabla\cdot F(q) = 0, \quad q = (\rho, \rho u, \rho v, E), \quad E = \frac{p}{\gamma - 1} + \frac{\rho}{2}(u^2 + v^2))",
      .says =
          "Compressible gas by finite volumes: slopes in the cells, half a step ahead, "
          "Rusanov's flux; 128 x 128 cells in the notebook, 64 x 64 here.",
      .truth = "",
      .page = "methods/fvm.md",
      .seconds = 0.5,
      .file = "lecture_2/kelvin_helmholtz.cpp",
      .make = make_kelvin_helmholtz};
}

}  // namespace cauchy::notes
