#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// How a ring cools (nu) and turns (c), by a small FNO.
OperatorFile gap_task(double nu, double c, int steps = 160, double rate = 2e-3) {
  const std::string text = fmt::format(R"toml(
name = "ring"
fields = ["u"]
[domain]
time = {{ t = [0, 1] }}
space = {{ x = [0, 1] }}
[[equation]]
form = "u_t + {}*u_x = {}*u_xx"
[[condition]]
where = "t = 0"
form = "u = a"
[[condition]]
periodic = "x"
[operator]
inputs = {{ a = {{ field = "grf(alpha = 3, tau = 5)" }} }}
grid = 32
samples = 64
validation = 8
test = 16
[train]
batch = 8
network = {{ kind = "fno", width = 12, depth = 2, modes = [10] }}
stage = [{{ optimizer = "adam", steps = {}, learning_rate = {} }}]
)toml",
                                       c, nu, steps, rate);
  return parse_operator_file(text, "ring.toml");
}

}  // namespace

void make_gap_closure(Output& out) {
  const auto gcr = [](double pretrained, double scratch, double naive) {
    return (1 - pretrained / naive) / (1 - scratch / naive);
  };
  out.check("as good as from scratch", gcr(0.1, 0.1, 1), 1, 1e-15);
  out.check("no better than at random", gcr(1, 0.1, 1), 0, 0);
  // Learned on one task, asked on others without training; from scratch; at random.
  const OperatorFile first = gap_task(0.005, 0);
  const OperatorResult learnt =
      learn(first.problem, make_data(first.problem), first.method, {.threads = 1});
  std::vector<std::vector<std::string>> rows = {
      {"task", "zero-shot", "from scratch", "at random", "GCR"}};
  std::vector<double> numbers, ratios;
  const std::pair<double, double> tasks[] = {{0.01, 0}, {0.002, 0}, {0.005, 0.05}, {0.005, 0.5}};
  for (const auto& [nu, c] : tasks) {
    const OperatorFile task = gap_task(nu, c);
    const DataSet data = make_data(task.problem), test = data.part(72, 16);
    const double zero_shot = measure(*learnt.model, test, 1).mean_l2();
    const double scratch = learn(task.problem, data, task.method, {.threads = 1}).test.mean_l2();
    const OperatorFile random = gap_task(nu, c, 1, 1e-12);
    const double naive = learn(random.problem, data, random.method, {.threads = 1}).test.mean_l2();
    ratios.push_back(gcr(zero_shot, scratch, naive));
    numbers.push_back(double(numbers.size() + 1));
    rows.push_back({fmt::format("nu = {}, c = {}", nu, c), fmt::format("{:.2f}", zero_shot),
                    fmt::format("{:.2f}", scratch), fmt::format("{:.2f}", naive),
                    fmt::format("{:.2f}", ratios.back())});
  }
  out.table("tasks", rows, "trained on nu = 0.005, c = 0");
  out.require("tasks near the first one: the ratio is positive",
              ratios[0] > 0 && ratios[1] > 0 && ratios[2] > 0);
  out.require("a ring that turns by half a round is another task: a smaller ratio",
              ratios[3] < ratios[0]);
  Plot plot({.title = "gap-closure ratio of four tasks", .x = {.label = "task"}});
  const std::vector<double> ends = {0.5, 4.5}, zero = {0, 0}, one = {1, 1};
  plot.line(ends, zero, {.color = Color{150, 150, 150}})
      .line(ends, one, {.color = Color{150, 150, 150}, .dashed = true});
  plot.scatter(numbers, ratios, {.color = palette_color(0), .radius = 6});
  out.picture("ratios", draw_figure({&plot}, {520, 300, 1}),
              "1: as good as a training of its own; 0: as bad as none.");
}

Artefact gap_closure_entry() {
  return {.id = "gap-closure",
          .kind = Kind::figure,
          .lecture = 5,
          .lines = "8014-8027",
          .title = "How much of a task is known already",
          .formula = "GCR = \\frac{1 - E_{PT} / E_{NB}}{1 - E_{SC} / E_{NB}}",
          .says =
              "The gap between an untrained and a trained network that a network trained on "
              "another task closes without further training. Reduced: small Fourier operators on "
              "four rings that cool and turn, in place of a foundation model on six flows.",
          .truth = "",
          .page = "operators/training.md",
          .seconds = 0.4,
          .file = "lecture_5/gap_closure.cpp",
          .make = make_gap_closure};
}

}  // namespace cauchy::notes
