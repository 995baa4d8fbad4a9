#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_exercise_allen_cahn(Output& out) {
  const std::string text = R"toml(
name = "allen_cahn"
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [-1, 1] }
[parameters]
nu = 1e-4
[[equation]]
form = "u_t = nu*u_xx + 5*(u - u^3)"
[[condition]]
where = "t = 0"
form = "u = x^2*cos(pi*x)"
[[condition]]
periodic = "x"
[method]
kind = "spectral"
)toml";
  // The truth by Fourier series, with the start of the data and with that of the programs.
  std::vector<double> at, xs;
  for (int i = 0; i <= 200; ++i) xs.push_back(-1 + 0.01 * i), at.insert(at.end(), {1.0, xs.back()});
  const ProblemFile file = parse_problem_file(text, "allen_cahn.toml");
  const ProblemFile printed = parse_problem_file(text, "allen_cahn.toml", ".",
                                                 {"condition[0].form=\"u = x^2*cos(pi*x/2)\""});
  const Solution truth = solve(file.problem, file.method, {.threads = 1});
  const Solution other = solve(printed.problem, printed.method, {.threads = 1});
  out.check("u(1, 0)", truth("u", {1.0, 0.0}), 0.0295797, 2e-5);
  out.check("u(1, -1)", truth("u", {1.0, -1.0}), -0.9999989, 1e-4);
  out.require(
      "the start of the programs leads to another solution: u(1, -1) differs by more than 0.5",
      std::abs(other("u", {1.0, -1.0}) - truth("u", {1.0, -1.0})) > 0.5);
  Plot plot({.title = "u at t = 1", .x = {.label = "x"}});
  plot.line(xs, truth("u", at), {.name = "x^2 cos(pi x)", .color = black});
  plot.line(xs, other("u", at), {.name = "x^2 cos(pi x / 2), as programmed", .dashed = true});
  // The ladder, reduced: viscosity 1e-3 and the first third of the time.
  const std::vector<std::string> base = {
      "domain.time.t=[0, 0.3]", "parameters.nu=1e-3",
      "method={ kind = \"pinn\", network = { width = 16, depth = 2 }, points = { interior = 300, "
      "initial = 60 }, "
      "stage = [{ optimizer = \"adam\", steps = 150, learning_rate = 3e-3 }, { optimizer = "
      "\"ssbroyden\", steps = 200 }] }"};
  const std::vector<std::pair<const char*, std::vector<std::string>>> ladder = {
      {"(a) plain", {}},
      {"(b) causal", {"method.point_weights=[{ kind = \"causal\", epsilon = [1], chunks = 16 }]"}},
      {"(c) modified Fourier",
       {"method.network={ kind = \"modified_fourier\", width = 16, depth = 2, features = 6 }"}},
      {"(d) experts",
       {"method.network={ kind = \"experts\", expert = [{ kind = \"mlp\", width = 8, depth = 2 }, "
        "{ kind = \"mlp\", width = 8, depth = 2, activation = \"sin\" }, { kind = \"mlp\", width = "
        "16, depth = 2 }] }",
        "method.point_weights=[{ kind = \"linear-time\", factor = 15 }]"}},
      {"(e) experts, kernel traces",
       {"method.network={ kind = \"experts\", expert = [{ kind = \"mlp\", width = 8, depth = 2 }, "
        "{ kind = \"fourier\", width = 8, depth = 2, features = 4 }, { kind = \"siren\", width = "
        "8, depth = 2, w0 = 5 }] }",
        "method.balancer={ kind = \"ntk\", period = 100 }"}}};
  const ProblemFile easy = parse_problem_file(text, "allen_cahn.toml", ".", {base[0], base[1]});
  std::vector<double> end;
  for (const double x : xs) end.insert(end.end(), {0.3, x});
  const std::vector<double> exact = solve(easy.problem, easy.method, {.threads = 1})("u", end);
  std::vector<std::vector<std::string>> rows = {
      {"recipe", "parameters", "relative error at t = 0.3"}};
  for (const auto& [name, extra] : ladder) {
    std::vector<std::string> overrides = base;
    overrides.insert(overrides.end(), extra.begin(), extra.end());
    const ProblemFile one = parse_problem_file(text, "allen_cahn.toml", ".", overrides);
    const Solution s = solve(one.problem, one.method, {.threads = 1, .error_share = 0});
    const std::vector<double> u = s("u", end);
    double sum = 0, norm = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
      sum += std::pow(u[i] - exact[i], 2), norm += exact[i] * exact[i];
    rows.push_back(
        {name, std::to_string(s.n_unknowns), fmt::format("{:.1e}", std::sqrt(sum / norm))});
    out.check(fmt::format("{}: relative error", name), std::sqrt(sum / norm), 0, 0.5);
  }
  out.table("ladder", rows);
  out.picture("ends", draw_figure({&plot}, {600, 320, 1}));
}

Artefact exercise_allen_cahn_entry() {
  return {.id = "exercise-allen-cahn",
          .kind = Kind::exercise,
          .lecture = 4,
          .lines = "5268-5337",
          .title = "Exercise: Allen-Cahn, five recipes",
          .formula = "u_t + \\rho u (u^2 - 1) - \\nu u_{xx} = 0, \\quad u(0, x) = x^2 \\cos \\pi x",
          .says =
              "Plain, causal, modified Fourier, five and eight experts for a hard equation. "
              "Reduced: the recipes at viscosity 1e-3, up to t = 0.3, 350 steps.",
          .truth =
              "All programs start from x^2 cos(pi x / 2), the data from x^2 cos(pi x); one of them "
              "also holds u = 0 at the ends, where the solution is -1, and gates have no softmax.",
          .page = "training/studies.md",
          .seconds = 0.8,
          .file = "lecture_4/exercise_allen_cahn.cpp",
          .make = make_exercise_allen_cahn};
}

}  // namespace cauchy::notes
