#include <cmath>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// 1,500 values at random nodes of the grid of the notes' listing: exact ones, or its own.
Table burgers_data(bool exact) {
  const std::size_t nx = 201, nt = 5000;
  const double nu = 0.01 / pi, dx = 0.01, dt = 1.0 / 5000;
  std::vector<std::vector<double>> u(nt, std::vector<double>(nx, 0));
  for (std::size_t i = 1; i + 1 < nx; ++i) u[0][i] = -std::sin(pi * (-1 + double(i) * dx));
  for (std::size_t n = 1; n < nt; ++n) {
    const auto& v = u[n - 1];
    for (std::size_t i = 1; i + 1 < nx; ++i) {
      u[n][i] = v[i] - dt * v[i] * (v[i + 1] - v[i - 1]) / (2 * dx) +
                dt * nu * (v[i + 1] - 2 * v[i] + v[i - 1]) / (dx * dx);
    }
  }
  Table table{{"t", "x", "u"}, {}, "observations"};
  Rng rng(4);
  for (int k = 0; k < 1500; ++k) {
    const auto n = std::size_t(rng.uniform() * double(nt));
    const auto i = std::size_t(rng.uniform() * double(nx));
    const double t = double(n) * dt, x = -1 + double(i) * dx;
    table.values.insert(table.values.end(), {t, x, exact ? burgers_cole_hopf(t, x, nu) : u[n][i]});
  }
  return table;
}

}  // namespace

void make_burgers_inverse(Output& out) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Parameter lambda("lambda"), nu("nu");
  out.require("lambda u u_x and lambda (u^2)_x / 2 are the same expression",
              same(lambda * u * d(u, x), lambda * d(u * u / 2, x)));
  Problem p;
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.fields = {"u"};
  p.unknowns = {{.name = "lambda", .initial = 0.8, .truth = 1},
                {.name = "nu", .initial = 0.005, .lower = 0.0, .truth = 0.01 / pi}};
  p.equation = {d(u, t) + lambda * d(u * u / 2, x) == nu * d(u, x, x)};
  Pinn method;
  method.network = Mlp{.widths = {32, 32, 16}};
  method.points = {.interior = 1500, .boundary = 50, .initial = 50};
  method.stages = {{AdamOptions{}, 300}, {QuasiNewtonOptions{}, 1200}};
  Plot plot({.title = "constants while training",
             .x = {.label = "step"},
             .y = {.label = "nu", .scale = AxisScale::log}});
  double found[2][2];
  for (const bool exact : {true, false}) {
    p.observation = {{.name = "u", .quantity = u, .column = "u", .table = burgers_data(exact)}};
    const Solution s = solve(p, method, {.threads = out.threads(), .progress = out.progress()});
    found[exact ? 0 : 1][0] = s.unknowns.at("lambda");
    found[exact ? 0 : 1][1] = s.unknowns.at("nu");
    std::vector<double> steps, values;
    for (const HistoryEntry& h : s.training->history) {
      steps.push_back(double(h.step));
      values.push_back(h.unknowns[1]);
    }
    plot.line(steps, values, {.name = exact ? "data of the solution" : "data of the listing"});
  }
  const std::vector<double> ends{0, 1500}, truth{0.01 / pi, 0.01 / pi};
  plot.line(ends, truth, {.name = "truth", .dashed = true});
  out.check("lambda from values of the solution", found[0][0], 1, 0.01);
  out.check("nu from values of the solution", found[0][1], 0.01 / pi, 0.05 * 0.01 / pi);
  out.require("nu from values of the listing is at least ten times as wrong",
              std::abs(found[1][1] - 0.01 / pi) > 10 * std::abs(found[0][1] - 0.01 / pi));
  out.table("constants",
            {{"", "start", "solution's values", "listing's values", "truth"},
             {"lambda", "0.8", fmt::format("{:.4f}", found[0][0]),
              fmt::format("{:.4f}", found[1][0]), "1"},
             {"nu", "0.005", fmt::format("{:.6f}", found[0][1]), fmt::format("{:.6f}", found[1][1]),
              "0.003183"}},
            "1,500 values without noise");
  out.picture("constants", draw_figure({&plot}, {640, 380, 1}));
}

Artefact burgers_inverse_entry() {
  return {
      .id = "burgers-inverse",
      .kind = Kind::listing,
      .lecture = 3,
      .lines = "2674-2757",
      .title = "Two constants of Burgers' equation from data",
      .formula =
          R"(u_t + \lambda\,\partial_x(u^2/2) - \nu u_{xx} = 0, \quad \lambda_0 = 0.8, \quad \nu_0 = 0.005)",
      .says =
          "A network of 32, 32 and 16 features with two trainable constants, fitted to the "
          "field of the finite-difference listing.",
      .truth =
          "That field oscillates, so the constants that fit it are not those of the equation; "
          "values of the exact solution give them back. The coordinates have to ask for "
          "gradients, and nu has to stay positive (here by an exponential).",
      .page = "training/noise.md",
      .seconds = 25,
      .file = "lecture_3/burgers_inverse.cpp",
      .make = make_burgers_inverse};
}

}  // namespace cauchy::notes
