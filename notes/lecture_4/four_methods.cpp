#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_four_methods(Output& out) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  Problem p;
  p.name = "square";
  p.fields = {"u"};
  p.domain = Rectangle({0, 0}, {1, 1});
  p.equation = {-d(u, x, x) - d(u, y, y) == 2 * pi * pi * sin(pi * x) * sin(pi * y)};
  p.condition = {hard(on_boundary(u == 0))};
  p.reference.formulas["u"] = sin(pi * x) * sin(pi * y);
  const std::vector<Stage> quasi_newton = {{QuasiNewtonOptions{.threads = 1}, 120}};
  const std::vector<Stage> descent = {
      {AdamOptions{.learning_rate = 1e-2}, 600, {.shape = ScheduleShape::cosine, .steps = 600}}};
  const Pinn plain{
      .network = Mlp{.width = 12, .depth = 2}, .points = {.interior = 300}, .stages = quasi_newton};
  Pinn gated{.network = Dgm{.width = 8, .layers = 1},
             .points = {.interior = 200, .sampler = {.kind = SamplerKind::uniform}, .redraw = 1},
             .stages = descent};
  Ritz ritz{.trial = {.network = Mlp{.width = 12, .depth = 2},
                      .points = {.interior = 400, .redraw = 1},
                      .stages = descent}};
  Vpinn weak{.trial = plain, .tests = 8};
  const std::vector<std::array<const char*, 3>> names = {
      {"PINN", "fully connected", "squares of the residual at fixed points"},
      {"DGM", "gated", "squares of the residual at new random points in every step"},
      {"Deep Ritz", "fully connected", "the energy, at new points"},
      {"vPINN", "fully connected", "the weak form against 64 test functions"}};
  std::vector<std::vector<std::string>> rows = {
      {"method", "trial functions", "physics", "parameters", "error"}};
  std::vector<Plot> plots;
  const std::vector<Method> methods = {plain, gated, ritz, weak};
  for (std::size_t k = 0; k < 4; ++k) {
    const Solution s = solve(p, methods[k], {.threads = 1, .error_share = 0});
    rows.push_back({names[k][0], names[k][1], names[k][2], std::to_string(s.n_unknowns),
                    fmt::format("{:.1e}", s.error.relative_l2())});
    out.check(fmt::format("{}: relative L2 error", names[k][0]), s.error.relative_l2(), 0, 0.05);
    Matrix error(40, 40);
    for (std::size_t i = 0; i < 1600; ++i) {
      const double px = (double(i % 40) + 0.5) / 40, py = (double(i / 40) + 0.5) / 40;
      error.data()[i] = s("u", {px, py}) - std::sin(pi * px) * std::sin(pi * py);
    }
    plots.emplace_back(PlotOptions{.title = fmt::format("{}: error", names[k][0]),
                                   .color = {.map = Colormap::diverging},
                                   .equal_aspect = true,
                                   .grid = false});
    plots.back().heat_map(error, {0, 1}, {0, 1});
  }
  out.table("methods", rows);
  out.picture("errors", draw_figure({&plots[0], &plots[1], &plots[2], &plots[3]}, {300, 260, 4}));
}

Artefact four_methods_entry() {
  return {.id = "four-methods",
          .kind = Kind::table,
          .lecture = 4,
          .lines = "4236-4245",
          .title = "Four ways to make a network obey an equation",
          .formula = "-\\Delta u = 2 \\pi^2 \\sin \\pi x \\sin \\pi y",
          .says =
              "Methods differ in their trial functions and in how they enforce the physics: "
              "residuals at points, an energy, or test functions.",
          .truth = "",
          .page = "methods/variational.md",
          .seconds = 0.4,
          .file = "lecture_4/four_methods.cpp",
          .make = make_four_methods};
}

}  // namespace cauchy::notes
