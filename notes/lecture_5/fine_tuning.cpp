#include <cmath>
#include <vector>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_fine_tuning(Output& out) {
  const auto task = [](double nu, int samples, const std::string& start) {
    std::vector<std::string> overrides;
    if (!start.empty()) overrides.push_back("train.start=\"" + start + "\"");
    return parse_operator_file(fmt::format(R"toml(
name = "ring"
fields = ["u"]
[domain]
time = {{ t = [0, 1] }}
space = {{ x = [0, 1] }}
[[equation]]
form = "u_t = {}*u_xx + u - u^3"
[[condition]]
where = "t = 0"
form = "u = a"
[[condition]]
periodic = "x"
[operator]
inputs = {{ a = {{ field = "grf(alpha = 3, tau = 5)" }} }}
grid = 32
samples = {}
validation = 8
test = 24
[train]
batch = 4
network = {{ kind = "fno", width = 12, depth = 2, modes = [10] }}
stage = [{{ optimizer = "adam", steps = 160, learning_rate = 2e-3, schedule = "cosine" }}]
)toml",
                                           nu, samples),
                               "ring.toml", ".", overrides);
  };
  const OperatorFile before = task(0.01, 64, "");
  const OperatorResult general =
      learn(before.problem, make_data(before.problem), before.method, {.threads = 1});
  Checkpoint checkpoint;
  general.model->save(checkpoint);
  const std::filesystem::path file = out.folder() / "pretrained.bin";
  save_checkpoint(file, checkpoint);
  std::vector<double> numbers, tuned, scratch;
  for (const int samples : {4, 8, 16, 32, 64}) {
    numbers.push_back(samples);
    for (const bool pretrained : {true, false}) {
      const OperatorFile after =
          task(0.004, samples, pretrained ? std::filesystem::absolute(file).string() : "");
      const OperatorResult r =
          learn(after.problem, make_data(after.problem), after.method, {.threads = 1});
      (pretrained ? tuned : scratch).push_back(r.test.mean_l2());
    }
  }
  std::filesystem::remove(file);
  std::vector<std::vector<std::string>> rows = {{"samples", "fine-tuned", "from scratch"}};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    rows.push_back({fmt::format("{:g}", numbers[k]), fmt::format("{:.3f}", tuned[k]),
                    fmt::format("{:.3f}", scratch[k])});
  }
  out.table("errors", rows, "mean relative error on 24 new functions, 160 steps each");
  out.require("with 4 samples the fine-tuned operator is better", tuned[0] < scratch[0]);
  out.require("a quarter of the samples, fine-tuned, is as good as all of them from scratch",
              tuned[2] < scratch[4]);
  Plot plot({.title = "a new task, nu = 0.004 after 0.01",
             .x = {.label = "samples", .scale = AxisScale::log},
             .y = {.label = "mean relative error", .scale = AxisScale::log}});
  plot.line(numbers, tuned, {.name = "fine-tuned", .markers = true});
  plot.line(numbers, scratch, {.name = "from scratch", .markers = true});
  out.picture("errors", draw_figure({&plot}, {540, 340, 1}));
}

Artefact fine_tuning_entry() {
  return {.id = "fine-tuning",
          .kind = Kind::figure,
          .lecture = 5,
          .lines = "8029-8046",
          .title = "Fine-tuning needs fewer samples",
          .formula = "u_t = \\nu u_{xx} + u - u^3",
          .says =
              "Errors against the number of trajectories, for a pre-trained model and for one that "
              "begins at random. Reduced: a small Fourier operator, trained for one diffusivity "
              "and tuned for another.",
          .truth = "",
          .page = "operators/training.md",
          .seconds = 0.8,
          .file = "lecture_5/fine_tuning.cpp",
          .make = make_fine_tuning};
}

}  // namespace cauchy::notes
