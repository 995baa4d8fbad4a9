#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_exercise_darcy_pino(Output& out) {
  const std::string text = R"toml(
name = "darcy"
fields = ["u"]
[domain]
space = { x = [0, 1], y = [0, 1] }
[[equation]]
form = "-div(a*grad(u)) = 1"
[[condition]]
where = "boundary"
form = "u = 0"
[operator]
inputs = { a = { field = "grf(alpha = 2, tau = 3)", map = "3 + 9/(1 + exp(-4*g))" } }
grid = [16, 16]
refine = 2
samples = 24
validation = 8
test = 16
[train]
batch = 6
epochs = 30
network = { kind = "fno", width = 10, depth = 2, modes = [5, 5], projection = 24 }
)toml";
  const OperatorFile plain = parse_operator_file(text, "darcy.toml");
  const DataSet data = make_data(plain.problem);
  std::vector<std::vector<std::string>> rows = {{"loss", "mean relative error on 16 new rocks"}};
  std::vector<double> errors;
  for (const char* physics : {"", "{ weight = 0.1 }", "{ weight = 0.1, samples = 96 }"}) {
    std::vector<std::string> overrides;
    if (*physics != 0) overrides.push_back(std::string("train.physics=") + physics);
    const OperatorFile file = parse_operator_file(text, "darcy.toml", ".", overrides);
    errors.push_back(learn(file.problem, data, file.method, {.threads = 1}).test.mean_l2());
    rows.push_back({*physics == 0        ? "24 answers alone"
                    : errors.size() == 2 ? "answers and the equation on the same rocks"
                                         : "answers, and the equation on 96 rocks",
                    fmt::format("{:.3f}", errors.back())});
  }
  out.table("errors", rows);
  for (const double e : errors) out.check("mean relative error", e, 0, 0.3);
  // The spacing of n nodes with both ends is 1 / (n - 1): differences with 1 / n are off by 2 / n.
  const auto second = [](double h, double true_h) {
    const auto u = [](double x) { return x * (1 - x) / 2; };
    return (u(0.5 + true_h) - 2 * u(0.5) + u(0.5 - true_h)) / (h * h);
  };
  out.check("u_xx of x (1 - x) / 2 on 241 nodes with h = 1 / 240", second(1.0 / 240, 1.0 / 240), -1,
            1e-9);
  out.check("with h = 1 / 241, as programmed", second(1.0 / 241, 1.0 / 240), -1.00835, 1e-5);
  out.check("that error, about 2 / n", -second(1.0 / 241, 1.0 / 240) - 1, 2.0 / 240, 1e-4);
}

Artefact exercise_darcy_pino_entry() {
  return {.id = "exercise-darcy-pino",
          .kind = Kind::exercise,
          .lecture = 5,
          .lines = "7606-7667",
          .title = "Exercise: Darcy flow with the equation in the loss",
          .formula = "L = L_{data} + \\lambda \\lVert \\nabla \\cdot (a \\nabla u) + 1 \\rVert^2",
          .says =
              "The same operator with a loss of data and equation, derivatives by differences or "
              "Fourier series. Reduced: 24 smooth rocks of 16 x 16 nodes.",
          .truth =
              "The residual is -div(a grad u) - f, with minus; the program takes 1 / n in place of "
              "1 / (n - 1) for the spacing, and exchanges the derivatives of the coefficient.",
          .page = "operators/physics.md",
          .seconds = 1.7,
          .file = "lecture_5/exercise_darcy_pino.cpp",
          .make = make_exercise_darcy_pino};
}

}  // namespace cauchy::notes
