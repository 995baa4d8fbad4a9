#include <cmath>
#include <utility>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_kansa_and_pinn(Output& out) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  const Expr exact = sin(pi * x) * exp(y);
  Problem problem;  // the governing equations: the same for all
  problem.domain = Disk({0, 0}, 1);
  problem.fields = {"u"};
  problem.equation = {d(u, x, x) + d(u, y, y) == (1 - pi * pi) * exact};
  problem.condition = {on_boundary(u == exact)};
  problem.reference.formulas["u"] = exact;
  Pinn frozen, trained, mlp;  // representation and optimiser are exchanged
  frozen.network = Rbf{.centres = 60, .learn_centres = false, .learn_shapes = false};
  trained.network = Rbf{.centres = 60};
  mlp.network = Mlp{.width = 16, .depth = 2};
  for (Pinn* p : {&frozen, &trained, &mlp}) {
    p->points = {.interior = 400, .boundary = 80};
    p->stages = {{LevenbergMarquardtOptions{}, 60}};
  }
  const std::vector<std::pair<const char*, Method>> runs{
      {"Kansa, linear system", Kansa{.n = 10}},
      {"radial functions, fixed centres", frozen},
      {"radial functions, trained centres", trained},
      {"network (PINN)", mlp}};
  const double limits[] = {1e-6, 5e-2, 1e-4, 1e-4};
  std::vector<std::vector<std::string>> rows = {{"representation", "unknowns", "relative error"}};
  Plot plot({.title = "error along y = 0.2",
             .x = {.label = "x"},
             .y = {.label = "|u - exact|", .scale = AxisScale::log}});
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Solution s = solve(problem, runs[k].second, {.threads = out.threads()});
    rows.push_back({runs[k].first, std::to_string(s.n_unknowns),
                    fmt::format("{:.1e}", s.error.relative_l2())});
    out.check(fmt::format("relative error: {}", runs[k].first), s.error.relative_l2(), 0,
              limits[k]);
    std::vector<double> xs, errors;
    for (int i = 0; i < 195; ++i) {
      xs.push_back(-0.97 + 0.01 * i);
      errors.push_back(s(abs(u - exact), {xs.back(), 0.2}));
    }
    plot.line(xs, errors, {.name = runs[k].first});
  }
  out.table("errors", rows, "one Poisson problem in a disk");
  out.picture("errors", draw_figure({&plot}, {640, 400, 1}));
}

Artefact kansa_and_pinn_entry() {
  return {.id = "kansa-and-pinn",
          .kind = Kind::figure,
          .lecture = 3,
          .lines = "2511-2556",
          .title = "Kansa and a network side by side",
          .formula = "",
          .says =
              "Both are collocation: a representation, the governing equations at points, and an "
              "optimiser. They differ in the first and the last.",
          .truth = "",
          .page = "methods/kansa.md",
          .seconds = 2,
          .file = "lecture_3/kansa_and_pinn.cpp",
          .make = make_kansa_and_pinn};
}

}  // namespace cauchy::notes
