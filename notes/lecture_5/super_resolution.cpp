#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_super_resolution(Output& out) {
  const std::string ring = R"toml(
name = "ring"
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [0, 1] }
[[equation]]
form = "u_t = 0.005*u_xx"
[[condition]]
where = "t = 0"
form = "u = a"
[[condition]]
periodic = "x"
[operator]
inputs = { a = { field = "grf(alpha = 3, tau = 5)" } }
grid = 32
samples = 80
validation = 10
test = 16
[train]
epochs = 25
batch = 8
)toml";
  Plot errors({.title = "trained on 32 nodes",
               .x = {.label = "nodes", .scale = AxisScale::log},
               .y = {.label = "mean relative L2 error", .scale = AxisScale::log}});
  Plot answers(
      {.title = "one answer on 256 nodes", .x = {.label = "x"}, .y = {.label = "u(1, x)"}});
  std::vector<double> growth;
  for (const std::string network :
       {"kind = \"fno\", width = 12, depth = 2, modes = [12]", "kind = \"cnn\", width = 16"}) {
    const OperatorFile file =
        parse_operator_file(ring, "ring.toml", ".", {"train.network={ " + network + " }"});
    const OperatorResult learnt =
        learn(file.problem, make_data(file.problem), file.method, {.threads = 1});
    const std::size_t first = file.problem.samples + file.problem.validation;
    std::vector<double> nodes, values;
    for (const int n : {32, 64, 128, 256}) {
      OperatorProblem finer = file.problem;  // the same functions on more nodes
      finer.grid = {n};
      const DataSet data = make_data(finer, IndexRange{first, first + finer.test});
      nodes.push_back(n);
      values.push_back(measure(*learnt.model, data, 1).mean_l2());
      if (n < 256) continue;
      std::vector<double> x, truth(data.out.begin(), data.out.begin() + 256);
      for (int i = 0; i < n; ++i) x.push_back(double(i) / n);
      const std::vector<double> all = learnt.model->predict(data, 1);
      if (growth.empty()) answers.line(x, truth, {.name = "exact", .color = black, .dashed = true});
      answers.line(x, std::span(all).first(256), {.name = growth.empty() ? "FNO" : "CNN"});
    }
    errors.line(nodes, values, {.name = growth.empty() ? "FNO" : "CNN", .markers = true});
    out.text(fmt::format("{}: errors {:.1e} on 32, 64, 128 and 256 nodes.",
                         growth.empty() ? "FNO" : "CNN", fmt::join(values, ", ")));
    if (growth.empty()) out.check("FNO: error on 32 nodes", values[0], 0, 0.1);
    growth.push_back(values.back() / values.front());
  }
  out.check("FNO: error on 256 nodes over that on 32", growth[0], 1, 0.3);
  out.require("CNN: that ratio exceeds 2", growth[1] > 2);
  out.picture("resolutions", draw_figure({&errors, &answers}, {460, 340, 2}));
}

Artefact super_resolution_entry() {
  return {.id = "super-resolution",
          .kind = Kind::figure,
          .lecture = 5,
          .lines = "7307-7331",
          .title = "Trained on a coarse grid, asked on a fine one",
          .formula = "\\frac{|G_\\theta(a) - u|}{|u|} \\quad \\text{on grids 8 times as fine}",
          .says =
              "A Fourier operator that learned turbulence on 64 x 64 x 20 nodes answers on 256 x "
              "256 x 80 without further training. Reduced: how a ring cools, from 32 to 256 nodes, "
              "beside a convolutional network that cannot do it.",
          .truth = "",
          .page = "operators/networks.md",
          .seconds = 0.3,
          .file = "lecture_5/super_resolution.cpp",
          .make = make_super_resolution};
}

}  // namespace cauchy::notes
