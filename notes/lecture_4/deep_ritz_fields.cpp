#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_deep_ritz_fields(Output& out) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  Problem p;
  p.name = "slit";
  p.fields = {"u"};
  p.domain = parse_region("rectangle((-1, -1), (1, 1)) - slit((0, 0), (1, 0))");
  p.equation = {d(u, x, x) + d(u, y, y) == 0};
  const Expr r = sqrt(x * x + y * y);
  const Expr g = where(x <= 0, sqrt((r - x) / 2), abs(y) / sqrt(2 * (r + x) + 1e-30));
  p.condition = {on("slit", u == 0), on("not slit", u == g)};
  p.reference.exact = "laplace_slit";
  const Ritz ritz{.trial = {.network = ResidualMlp{.width = 10, .blocks = 4},
                            .points = {.interior = 300, .boundary = 100, .redraw = 1},
                            .stages = {{AdamOptions{.learning_rate = 1e-2},
                                        1500,
                                        {.shape = ScheduleShape::cosine, .steps = 1500}}}},
                  .essential = Essential::penalty};
  const std::vector<Method> methods = {ritz, Fdm{.n = 40}};
  std::vector<Plot> plots;
  for (std::size_t k = 0; k < 2; ++k) {
    const Solution s = solve(p, methods[k], {.threads = 1, .error_share = 0});
    const std::string name = k == 0 ? "Deep Ritz, 811 parameters" : "differences, 41 x 41 nodes";
    if (k == 0) out.check("parameters of the network", double(s.n_unknowns), 811, 0);
    out.check(fmt::format("{}: relative L2 error", name), s.error.relative_l2(), 0,
              k == 0 ? 0.15 : 0.012);
    constexpr std::size_t n = 80;
    std::vector<double> rows;
    for (std::size_t i = 0; i < n * n; ++i) {
      rows.push_back(2 * (double(i % n) + 0.5) / n - 1);
      rows.push_back(2 * (double(i / n) + 0.5) / n - 1);
    }
    std::vector<double> values = s("u", rows), error(n * n);
    for (std::size_t i = 0; i < n * n; ++i) {
      error[i] =
          values[i] - std::sqrt((std::hypot(rows[2 * i], rows[2 * i + 1]) - rows[2 * i]) / 2);
    }
    for (auto* list : {&values, &error}) {
      plots.emplace_back(
          PlotOptions{.title = list == &values ? name : "error",
                      .color = {.map = list == &values ? Colormap::viridis : Colormap::diverging},
                      .equal_aspect = true,
                      .grid = false});
      plots.back().heat_map(MatrixView<const double>(list->data(), n, n), {-1, 1}, {-1, 1});
    }
  }
  out.picture("fields", draw_figure({&plots[0], &plots[1], &plots[2], &plots[3]}, {320, 280, 2}),
              "Both are worst around the tip of the slit.");
}

Artefact deep_ritz_fields_entry() {
  return {.id = "deep-ritz-fields",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "4314-4328",
          .title = "The slit by Deep Ritz and by differences",
          .formula = "u = r^{1/2} \\sin \\frac{\\theta}{2}",
          .says =
              "The solution of a network with 811 parameters beside that of 1,681 nodes. Reduced: "
              "1,500 steps of Adam.",
          .truth = "The 1,681 nodes of the figure are not in the table beside it.",
          .page = "methods/variational.md",
          .seconds = 1.5,
          .file = "lecture_4/deep_ritz_fields.cpp",
          .make = make_deep_ritz_fields};
}

}  // namespace cauchy::notes
