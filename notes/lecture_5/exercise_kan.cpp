#include <cmath>
#include <vector>

#include <cauchy/networks/network.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_exercise_kan(Output& out) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem bar;
  bar.name = "heated bar";
  bar.fields = {"u"};
  bar.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  bar.equation = {d(u, t) == 0.25 * d(u, x, x)};
  bar.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  bar.reference.formulas["u"] = exp(-pi * pi / 16 * t) * cos(pi * x / 2);
  const std::vector<Network> networks = {
      Kan{.hidden = {2, 2}, .grid = 5, .order = 3}, ChebyshevKan{.hidden = {2, 2}, .degree = 4},
      JacobiKan{.hidden = {2, 2}, .degree = 8, .a = 1, .b = 1}, FastKan{.hidden = {4}, .grid = 8}};
  const double expected[] = {(4 + 4 + 2) * 9, (4 + 4 + 2) * 5, (4 + 4 + 2) * 9, -1};
  std::vector<std::vector<std::string>> rows = {
      {"network", "parameters", "loss", "relative L2 error"}};
  for (std::size_t k = 0; k < networks.size(); ++k) {
    const Solution s = solve(bar,
                             Pinn{.network = networks[k],
                                  .points = {.interior = 300, .boundary = 60, .initial = 60},
                                  .stages = {{QuasiNewtonOptions{.threads = 1}, 250}}},
                             {.threads = 1, .error_share = 0});
    rows.push_back({describe(networks[k]), std::to_string(s.n_unknowns),
                    fmt::format("{:.1e}", s.training->loss()),
                    fmt::format("{:.1e}", s.error.relative_l2())});
    if (expected[k] > 0) {
      out.check(fmt::format("{}: numbers, one function per edge", describe(networks[k])),
                double(s.n_unknowns), expected[k], 0);
    }
    out.check(fmt::format("{}: relative error", describe(networks[k])), s.error.relative_l2(), 0,
              0.1);
  }
  out.table("networks", rows, "the heated bar, layers 2-2-2-1, 250 steps of SSBroyden");
  // Shapes of Gaussians are kept as logarithms: exp(l) is positive, l itself is not.
  const double log_shape = -0.5, r = 2;
  out.require("a Gaussian with shape l = -0.5 grows with the distance; with exp(l) it falls",
              std::exp(-log_shape * r * r) > 1 && std::exp(-std::exp(log_shape) * r * r) < 1);
}

Artefact exercise_kan_entry() {
  return {
      .id = "exercise-kan",
      .kind = Kind::exercise,
      .lecture = 5,
      .lines = "6695-6730",
      .title = "Exercise: Kolmogorov-Arnold networks for the heated bar",
      .formula = "y_o = \\sum_i \\phi_{oi}(x_i)",
      .says =
          "Splines, Chebyshev and Jacobi polynomials and Gaussians as edges, on the heat "
          "equation; a loss of 3e-4 with splines.",
      .truth =
          "The layer of Gaussians multiplies by the logarithm of the shape in place of the shape, "
          "which need not be positive.",
      .page = "networks/kan.md",
      .seconds = 0.2,
      .file = "lecture_5/exercise_kan.cpp",
      .make = make_exercise_kan};
}

}  // namespace cauchy::notes
