#include <cmath>
#include <vector>

#include <cauchy/networks/network.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_deep_ritz_table(Output& out) {
  const ProblemFile file = parse_problem_file(R"toml(
name = "slit"
fields = ["u"]
[domain]
region = "rectangle((-1, -1), (1, 1)) - slit((0, 0), (1, 0))"
[definitions]
g = "where(x <= 0, sqrt((sqrt(x^2 + y^2) - x)/2), abs(y)/sqrt(2*(sqrt(x^2 + y^2) + x)))"
[[equation]]
form = "laplacian(u) = 0"
[[condition]]
where = "slit"
form = "u = 0"
[[condition]]
where = "not slit"
form = "u = g"
[reference]
exact = "laplace_slit"
)toml",
                                              "slit.toml");
  const double printed[] = {0.0079, 0.0072, 0.00647, 0.0057};
  std::vector<std::vector<std::string>> rows = {
      {"method", "blocks", "parameters", "error in the notes", "error here"}};
  for (int blocks = 3; blocks <= 6; ++blocks) {
    const double n = double(make_network(ResidualMlp{.width = 10, .blocks = blocks}, {"x", "y"},
                                         std::vector<std::string>{"u"})
                                .n_parameters());
    out.check(fmt::format("parameters of {} blocks: 151 + 220 (n - 1)", blocks), n,
              151 + 220 * (blocks - 1), 0);
    rows.push_back({"Deep Ritz", std::to_string(blocks), fmt::format("{:g}", n),
                    fmt::format("{}", printed[blocks - 3]), ""});
  }
  Ritz ritz{.trial = {.network = ResidualMlp{.width = 10, .blocks = 3},
                      .points = {.interior = 300, .boundary = 100, .redraw = 1},
                      .stages = {{AdamOptions{.learning_rate = 1e-2},
                                  1200,
                                  {.shape = ScheduleShape::cosine, .steps = 1200}}}},
            .essential = Essential::penalty};
  const Solution trained = solve(file.problem, ritz, {.threads = 1, .error_share = 0});
  rows[1][4] = fmt::format("{:.1e} (1,200 steps)", trained.error.relative_l2());
  out.check("3 blocks after a short training: relative L2 error", trained.error.relative_l2(), 0,
            0.15);
  std::vector<double> errors;
  for (const int cells : {24, 48}) {
    const Solution s = solve(file.problem, Fdm{.n = cells}, {.threads = 1});
    errors.push_back(s.error.relative_l2());
    rows.push_back({"differences", "", std::to_string((cells + 1) * (cells + 1)),
                    cells == 24 ? "0.0125" : "0.0063", fmt::format("{:.4f}", errors.back())});
  }
  out.table("errors", rows, "published errors are those of long trainings");
  out.check("differences: order, 1 because of the tip", std::log2(errors[0] / errors[1]), 1, 0.2);
  out.check("differences on 2,401 nodes, 0.0063 in the notes", errors[1], 0.0063, 0.004);
  // The energy of r^(1/2) sin(theta/2): |grad u|^2 / 2 = 1 / (8 r) over the square.
  double energy = 0;
  constexpr int n = 20'000;  // eight triangles up to r = 1 / cos(theta)
  for (int i = 0; i < n; ++i) energy += 1 / std::cos((i + 0.5) / n * pi / 4) * pi / 4 / n;
  out.check("energy of the solution: ln(1 + sqrt 2)", energy, 0.8813735870, 1e-8);
}

Artefact deep_ritz_table_entry() {
  return {.id = "deep-ritz-table",
          .kind = Kind::table,
          .lecture = 4,
          .lines = "4281-4312",
          .title = "Deep Ritz and differences on a square with a slit",
          .formula =
              "I(u) = \\int \\frac{1}{2} |\\nabla u|^2 dx + \\beta \\int_{\\partial \\Omega} "
              "(u - g)^2 ds, \\quad u = r^{1/2} \\sin \\frac{\\theta}{2}",
          .says =
              "Errors of networks with 3 to 6 residual blocks and of finite differences. Reduced: "
              "one network, 1,200 steps.",
          .truth =
              "The domain is never stated: the square (-1, 1)^2 without the segment from the "
              "origin to (1, 0), which is part of the boundary. The counts fit blocks of width 10, "
              "151 + 220 (n - 1); a skip adds the input of its block.",
          .page = "methods/variational.md",
          .seconds = 1.8,
          .file = "lecture_4/deep_ritz_table.cpp",
          .make = make_deep_ritz_table};
}

}  // namespace cauchy::notes
