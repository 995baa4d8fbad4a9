#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_fast_waves(Output& out) {
  const std::string text = R"toml(
name = "advection"
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [-1, 1] }
[parameters]
c = 1
[[equation]]
form = "u_t + c*u_x = 0"
[[condition]]
where = "t = 0"
form = "u = -sin(pi*x)"
weight = 10
[[condition]]
periodic = "x"
[reference]
exact = "advection_periodic"
[method]
kind = "pinn"
network = { width = 16, depth = 3 }
points = { interior = 300, initial = 60 }
stage = [{ optimizer = "adam", steps = 200, learning_rate = 2e-3 }, { optimizer = "ssbroyden", steps = 300 }]
)toml";
  const std::string windows =
      "method.network={ kind = \"windows\", windows = [12, 1, 1], inner = { kind = \"elm\", "
      "features = 60 } }";
  std::vector<std::vector<std::string>> rows = {
      {"beta", "speed on [-1, 1]", "network", "relative L2 error"}};
  std::vector<Plot> plots;
  std::vector<double> plain, mended;
  for (const int beta : {1, 10, 30}) {
    for (const bool fixed : {false, true}) {
      std::vector<std::string> overrides = {fmt::format("parameters.c={}", beta / pi)};
      if (fixed) {
        overrides.push_back(windows);
        overrides.push_back("method.points.interior=2500");
        overrides.push_back("method.stage=[{ optimizer = \"gauss_newton\", steps = 2 }]");
      }
      const ProblemFile file = parse_problem_file(text, "advection.toml", ".", overrides);
      const Solution s = solve(file.problem, file.method, {.threads = 1, .error_share = 0});
      (fixed ? mended : plain).push_back(s.error.relative_l2());
      rows.push_back({std::to_string(beta), fmt::format("{:.2f}", beta / pi),
                      fixed ? "random features in 12 windows" : "16 x 3 tanh, 500 steps",
                      fmt::format("{:.1e}", s.error.relative_l2())});
      if (fixed && beta < 30) continue;
      constexpr std::size_t n = 60;
      std::vector<double> at;
      for (std::size_t i = 0; i < n * n; ++i) {
        at.push_back((double(i % n) + 0.5) / n);
        at.push_back(2 * (double(i / n) + 0.5) / n - 1);
      }
      const std::vector<double> u = s("u", at);
      plots.emplace_back(
          PlotOptions{.title = fmt::format("beta = {}{}", beta, fixed ? ", windows" : ""),
                      .x = {.label = "t"},
                      .y = {.label = "x"},
                      .color = {.limits = Limits{-1, 1}, .map = Colormap::diverging},
                      .grid = false});
      plots.back().heat_map(MatrixView<const double>(u.data(), n, n), {0, 1}, {-1, 1});
    }
  }
  out.table("errors", rows, "beta in units of x in [0, 2 pi]; on [-1, 1] the speed is beta / pi");
  out.check("beta = 1: relative error of the plain network", plain[0], 0, 0.01);
  out.require("beta = 30: the plain network is wrong by more than 30 %", plain[2] > 0.3);
  out.check("beta = 30: random features in windows of time", mended[2], 0, 0.01);
  // sin(pi b t) cos(pi x) - cos(pi b t) sin(pi x) is the travelling sine.
  double off = 0;
  for (int i = 0; i < 100; ++i) {
    const double t = 0.0107 * i, x = std::sin(2.3 * i), b = 9.55;
    off = std::max(off,
                   std::abs(std::sin(pi * b * t) * std::cos(pi * x) -
                            std::cos(pi * b * t) * std::sin(pi * x) + std::sin(pi * (x - b * t))));
  }
  out.check("the product form of the exact solution", off, 0, 1e-13);
  out.picture("waves", draw_figure({&plots[0], &plots[1], &plots[2], &plots[3]}, {300, 250, 4}));
}

Artefact fast_waves_entry() {
  return {.id = "fast-waves",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "5089-5125",
          .title = "Where plain networks lose a wave",
          .formula = "u_t + \\beta u_x = 0, \\quad u(0, x) = -\\sin \\pi x",
          .says =
              "A sine that travels around a ring: plain networks solve it for slow waves and fail "
              "for fast ones. Reduced: 300 points, 500 steps.",
          .truth =
              "To which units the hard speeds belong is not said: beta > 30 means x in [0, 2 pi]; "
              "on [-1, 1] the same wave has the speed beta / pi.",
          .page = "training/studies.md",
          .seconds = 1.5,
          .file = "lecture_4/fast_waves.cpp",
          .make = make_fast_waves};
}

}  // namespace cauchy::notes
