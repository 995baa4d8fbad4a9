#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_kansa_recipe(Output& out) {
  // 1. The problem and what represents its solution: radial functions.
  const Coordinate x("x"), y("y");
  const Field u("u");
  const Expr exact = sin(pi * x) * exp(y);
  Problem problem;
  problem.domain = Disk({0, 0}, 1);
  problem.fields = {"u"};
  problem.equation = {d(u, x, x) + d(u, y, y) == (1 - pi * pi) * exact};
  problem.condition = {on_boundary(u == exact)};
  problem.reference.formulas["u"] = exact;

  // 2. and 3. Rows at points, solved: as many as centres (classical), or twice as many.
  Plot plot({.title = "lap u = f in a disk",
             .x = {.label = "centres along the side"},
             .y = {.label = "relative error", .scale = AxisScale::log}});
  std::vector<std::vector<std::string>> rows = {
      {"centres along the side", "square system", "twice as many rows", "centres outside too"}};
  std::vector<double> sizes;
  std::vector<std::vector<double>> errors(3);
  for (const int n : {4, 6, 8, 10, 12}) {
    sizes.push_back(n);
    rows.push_back({std::to_string(n)});
    const Kansa variants[] = {{.n = n, .oversampling = 1, .outside = 0},
                              {.n = n, .oversampling = 2, .outside = 0},
                              {.n = n, .oversampling = 2}};
    for (std::size_t k = 0; k < 3; ++k) {
      const Solution s = solve(problem, variants[k], {.threads = out.threads()});
      errors[k].push_back(s.error.relative_l2());
      rows.back().push_back(fmt::format("{:.1e}", errors[k].back()));
    }
  }
  out.table("errors", rows, "relative L2 errors");
  const char* names[] = {"square (classical)", "overtested", "overtested, centres outside too"};
  for (std::size_t k = 0; k < 3; ++k)
    plot.line(sizes, errors[k], {.name = names[k], .markers = true});
  out.check("error with 10 centres along the side, overtested", errors[2][3], 0, 1e-6);
  out.require("it falls faster than any power: each two centres more gain at least a factor of 3",
              errors[2][1] < errors[2][0] / 3 && errors[2][2] < errors[2][1] / 3 &&
                  errors[2][3] < errors[2][2] / 3);
  out.picture("errors", draw_figure({&plot}, {560, 380, 1}));
}

Artefact kansa_recipe_entry() {
  return {.id = "kansa-recipe",
          .kind = Kind::recipe,
          .lecture = 2,
          .lines = "2306-2338",
          .title = "Kansa's recipe: represent, turn into a minimum, solve",
          .formula = R"(\mathbf{a}^* = \argmin_{\mathbf{a}} \text{MSE}[M\mathbf{a} - \mathbf{w}])",
          .says =
              "A representation that can come near any function, the equations as an error of "
              "it, and a method that makes the error small.",
          .truth = "",
          .page = "methods/kansa.md",
          .seconds = 0.5,
          .file = "lecture_2/kansa_recipe.cpp",
          .make = make_kansa_recipe};
}

}  // namespace cauchy::notes
