#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_exercise_reaction(Output& out) {
  const std::string text = R"toml(
name = "reaction_diffusion"
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = ["-pi", "pi"] }
[definitions]
f = "3/2*sin(2*x) + 8/3*sin(3*x) + 15/4*sin(4*x) + 63/8*sin(8*x)"
[[equation]]
form = "u_t = u_xx + exp(-t)*f"
[[condition]]
where = "t = 0"
form = "u = sin(x) + sin(2*x)/2 + sin(3*x)/3 + sin(4*x)/4 + sin(8*x)/8"
weight = 1000
[[condition]]
where = "boundary"
form = "u = 0"
weight = 1000
[reference]
exact = "reaction_diffusion_modes"
[method]
kind = "pinn"
network = { kind = "elm", features = 700, stretch = [0.15, 2] }
points = { interior = 1600, boundary = 80, initial = 200 }
stage = [{ optimizer = "gauss_newton", steps = 2 }]
)toml";
  // The program of the exercise has the source without exp(-t): another solution.
  std::vector<double> at, xs, exact;
  for (int i = 0; i <= 200; ++i) {
    const double x = -pi + 2 * pi * i / 200;
    xs.push_back(x), at.insert(at.end(), {1.0, x});
    exact.push_back(std::exp(-1) * (std::sin(x) + std::sin(2 * x) / 2 + std::sin(3 * x) / 3 +
                                    std::sin(4 * x) / 4 + std::sin(8 * x) / 8));
  }
  const auto distance = [&](const std::vector<double>& u) {
    double sum = 0, norm = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
      sum += std::pow(u[i] - exact[i], 2), norm += exact[i] * exact[i];
    return std::sqrt(sum / norm);
  };
  Plot plot({.title = "u at t = 1", .x = {.label = "x"}});
  plot.line(xs, exact, {.name = "stated solution", .color = black, .dashed = true});
  for (const bool printed : {false, true}) {
    const ProblemFile file =
        parse_problem_file(text, "reaction.toml", ".",
                           {printed ? "equation[0].form=\"u_t = u_xx + f\""
                                    : "equation[0].form=\"u_t = u_xx + exp(-t)*f\"",
                            "method={ kind = \"fdm\", n = 200 }"});
    const std::vector<double> u = solve(file.problem, file.method, {.threads = 1})("u", at);
    plot.line(xs, u, {.name = printed ? "without exp(-t)" : "with exp(-t), differences"});
    if (printed)
      out.require("without exp(-t) the solution is off by more than 50 %", distance(u) > 0.5);
    if (!printed)
      out.check("with exp(-t), differences: relative error at t = 1", distance(u), 0, 0.02);
  }
  const ProblemFile file = parse_problem_file(text, "reaction.toml");
  const Solution s = solve(file.problem, file.method, {.threads = 1, .error_share = 0});
  plot.line(xs, s("u", at), {.name = "network"});
  out.check("network: relative L2 error", s.error.relative_l2(), 0, 0.05);
  out.text(
      fmt::format("{} parameters, relative error {:.1e}.", s.n_unknowns, s.error.relative_l2()));
  out.picture("profiles", draw_figure({&plot}, {620, 340, 1}));
}

Artefact exercise_reaction_entry() {
  return {.id = "exercise-reaction",
          .kind = Kind::exercise,
          .lecture = 4,
          .lines = "4882-4905",
          .title = "Exercise: reaction and diffusion with five modes",
          .formula = "u_t = u_{xx} + e^{-t} f(x)",
          .says =
              "A network with adaptive activations for five modes, in a notebook. Here by 300 "
              "random features, whose weights are one linear least-squares problem.",
          .truth =
              "The program leaves out the factor e^(-t) of the source; its equation does not have "
              "the stated solution.",
          .page = "problems.md",
          .seconds = 0.4,
          .file = "lecture_4/exercise_reaction.cpp",
          .make = make_exercise_reaction};
}

}  // namespace cauchy::notes
