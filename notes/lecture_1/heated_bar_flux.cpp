#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_heated_bar_flux(Output& out) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const double D = 0.5;
  Problem bar;
  bar.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  bar.fields = {"u"};
  bar.equation = {d(u, t) == D * D * d(u, x, x)};
  bar.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  const Solution s = solve(bar, Fdm{.n = 64, .order = 4}, {.threads = out.threads()});
  out.check("u(1, 0) by differences", s("u", {1, 0}), 0.53964, 1e-5);

  const auto heat = [&](double at) {
    return gauss_legendre(20).integrate([&](double place) { return s("u", {at, place}); });
  };
  const auto printed = [&](double at) { return -pi * D * D * std::exp(-pi * D * at / 4); };
  const auto right = [&](double at) { return pi * D * D * std::exp(-pi * pi * D * D * at / 4); };
  std::vector<double> times, lost, flux, wrong, exact;
  for (int k = 1; k < 20; ++k) {
    const double at = k / 20.0;
    times.push_back(at);
    lost.push_back((heat(at - 0.01) - heat(at + 0.01)) / 0.02);
    flux.push_back(-D * D * (s("u_x", {at, 1}) - s("u_x", {at, -1})));
    exact.push_back(right(at));
    wrong.push_back(printed(at));
  }
  out.check("flux out of both ends at t = 1/2", flux[9], right(0.5), 1e-4);
  out.check("heat that is lost per time at t = 1/2", lost[9], flux[9], 2e-4);
  out.check("heat that is left at t = 1/2", heat(0.5),
            4 / pi * std::exp(-pi * pi * D * D * 0.5 / 4), 1e-5);
  out.require("the printed flux would let heat in", printed(0.5) * flux[9] < 0);
  const auto rate = [](const std::vector<double>& f) { return std::log(f[4] / f[14]) / 0.5; };
  out.check("rate of decay of the flux", rate(flux), pi * pi * D * D / 4, 1e-3);
  out.check("rate of decay that the notes print", rate(wrong), pi * D / 4, 1e-12);

  Plot plot(
      {.title = "flux out of the ends", .x = {.label = "t"}, .y = {.label = "heat per time"}});
  plot.line(times, exact, {.name = "exact"});
  plot.scatter(times, lost, {.name = "heat that is lost"});
  plot.line(times, wrong, {.name = "as printed", .dashed = true});
  Matrix map(41, 81);
  for (std::size_t i = 0; i < 41; ++i) {
    for (std::size_t j = 0; j < 81; ++j) {
      map(i, j) = s("u", {double(i) / 40, double(j) / 40 - 1});
    }
  }
  Plot field({.title = "temperature", .x = {.label = "x"}, .y = {.label = "t"}, .grid = false});
  field.heat_map(map, {-1, 1}, {0, 1});
  out.picture("flux", draw_figure({&field, &plot}, {460, 360, 2}),
              "The bar cools; what leaves through its ends is what is missing inside.");
}

Artefact heated_bar_flux_entry() {
  return {.id = "heated-bar-flux",
          .kind = Kind::figure,
          .lecture = 1,
          .lines = "304-340",
          .title = "A heated bar and what flows out of it",
          .formula =
              R"(\partial_t u = D^2\,\partial_x^2 u, \quad u = e^{-\pi^2 D^2 t/4}\cos\frac{\pi x}{2}
\Phi = -D^2\sum_{\pm}\hat{n}\cdot\nabla u = +\pi D^2 e^{-\pi^2 D^2 t/4})",
          .says =
              "A bar with a warm middle and cold ends loses its heat through the ends; the flux "
              "out of them is written in closed form.",
          .truth =
              "The printed flux has the wrong sign and the exponent pi D t / 4. Outwards it is "
              "positive, and it decays like the temperature. The boundary condition chooses lambda "
              "and the initial condition the amplitude, not the other way round.",
          .page = "exact_solutions.md",
          .seconds = 0.2,
          .file = "lecture_1/heated_bar_flux.cpp",
          .make = make_heated_bar_flux};
}

}  // namespace cauchy::notes
