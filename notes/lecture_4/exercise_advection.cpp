#include <cmath>
#include <vector>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_exercise_advection(Output& out) {
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
points = { interior = 300, initial = 60 }
stage = [{ optimizer = "adam", steps = 400, learning_rate = 4e-3, schedule = "exponential", final_factor = 0.1 }]
)toml";
  const std::vector<std::pair<const char*, const char*>> networks = {
      {"fully connected", "{ kind = \"mlp\", width = 24, depth = 3 }"},
      {"Fourier", "{ kind = \"fourier\", width = 24, depth = 3, features = 8 }"},
      {"modified Fourier", "{ kind = \"modified_fourier\", width = 24, depth = 3, features = 8 }"},
      {"sinusoidal", "{ kind = \"siren\", width = 24, depth = 3, w0 = 8 }"}};
  std::vector<std::vector<std::string>> rows = {{"network", "beta = 1", "beta = 30", "beta = 180"}};
  double best = 1, fastest = 10;
  for (const auto& [name, network] : networks) {
    rows.push_back({name});
    for (const int beta : {1, 30, 180}) {
      const ProblemFile file = parse_problem_file(
          text, "advection.toml", ".",
          {fmt::format("parameters.c={}", beta / pi), std::string("method.network=") + network});
      const double error =
          solve(file.problem, file.method, {.threads = 1, .error_share = 0}).error.relative_l2();
      rows.back().push_back(fmt::format("{:.1e}", error));
      if (beta == 1) best = std::min(best, error);
      if (beta == 180) fastest = std::min(fastest, error);
    }
  }
  out.table("errors", rows,
            "relative L2 errors after 400 steps of Adam; beta in units of x in [0, 2 pi]");
  out.check("beta = 1: the best network", best, 0, 0.05);
  out.require("beta = 180: all of them fail, errors above 50 %", fastest > 0.5);
  // Which speed is which: a wave that goes once around [0, 2 pi] with beta goes around [-1, 1] with
  // beta / pi.
  out.check("rounds in unit time, beta = 30: of 2 pi and of 2", 30 / (2 * pi), (30 / pi) / 2,
            1e-15);
  out.check("beta / (2 pi), as in the program, on [-1, 1]: rounds, half as many", 30 / (2 * pi) / 2,
            15 / (2 * pi), 1e-15);
}

Artefact exercise_advection_entry() {
  return {.id = "exercise-advection",
          .kind = Kind::exercise,
          .lecture = 4,
          .lines = "5089-5106",
          .title = "Exercise: advection with four networks and three speeds",
          .formula = "u_t + \\frac{\\beta}{\\pi} u_x = 0",
          .says =
              "Fully connected, Fourier, modified Fourier and sinusoidal networks for a wave of "
              "three speeds; losses from 5e-8 to 0.6. Reduced: 24 x 3, 400 steps.",
          .truth =
              "The program divides beta by 2 pi where x in [-1, 1] needs beta / pi: its beta = 30 "
              "is the 15 of the literature.",
          .page = "training/studies.md",
          .seconds = 1.9,
          .file = "lecture_4/exercise_advection.cpp",
          .make = make_exercise_advection};
}

}  // namespace cauchy::notes
