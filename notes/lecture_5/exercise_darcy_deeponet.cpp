#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_exercise_darcy_deeponet(Output& out) {
  const OperatorFile file = parse_operator_file(R"toml(
name = "darcy"
fields = ["u"]
[domain]
space = { x = [0, 1], y = [0, 1] }
[[equation]]
form = "-div(a*grad(u)) = 1"
[[condition]]
where = "boundary"
form = "u = 0"
hard = true
[operator]
inputs = { a = { field = "grf(alpha = 2, tau = 3)", map = "where(g > 0, 12, 3)" } }
grid = [16, 16]
refine = 2
samples = 150
validation = 10
test = 20
[train]
kind = "deeponet"
width = 32
batch = 15
sensors = [16, 16]
branch = { kind = "cnn", width = 6, depth = 2, levels = 2 }
trunk = { kind = "fourier", width = 32, depth = 2 }
stage = [{ optimizer = "adam", steps = 400, learning_rate = 3e-3, schedule = "cosine" }]
)toml",
                                                "darcy.toml");
  const DataSet data = make_data(file.problem);
  const OperatorResult learnt = learn(file.problem, data, file.method, {.threads = 1});
  out.check("mean relative error on rocks that were not seen", learnt.test.mean_l2(), 0, 0.3);
  out.text(fmt::format("Mean relative error {:.3f}, {} parameters.", learnt.test.mean_l2(),
                       learnt.model->n_parameters()));
  const DataSet test = data.part(160, 1);
  // The trunk answers anywhere: on the boundary 0, and between the nodes.
  std::vector<double> points;
  for (int i = 0; i <= 20; ++i) points.insert(points.end(), {0.05 * i, 0.0, 0.05 * i, 0.5});
  const std::vector<double> u =
      learnt.model->predict_at(test, std::vector<Expr>{Field("u")}, points, 1);
  double edge = 0, middle = 0;
  for (std::size_t i = 0; i < u.size(); ++i)
    (i % 2 == 0 ? edge : middle) = std::max(i % 2 == 0 ? edge : middle, std::abs(u[i]));
  out.check("on the boundary, where it is built in", edge, 0, 1e-9);
  out.require("not 0 inside", middle > 1e-3);
  const std::vector<double> made = learnt.model->predict(test, 1);
  std::vector<double> error(256);
  for (std::size_t i = 0; i < 256; ++i) error[i] = std::abs(made[i] - test.out[i]);
  std::vector<Plot> plots;
  const double* parts[] = {test.in.data(), made.data(), test.out.data(), error.data()};
  const char* titles[] = {"permeability", "DeepONet", "pressure", "absolute error"};
  for (std::size_t k = 0; k < 4; ++k) {
    plots.emplace_back(PlotOptions{.title = titles[k], .equal_aspect = true, .grid = false});
    plots.back().heat_map(MatrixView<const double>(parts[k], 16, 16), {0, 1}, {0, 1});
  }
  out.picture("sample", draw_figure({&plots[0], &plots[1], &plots[2], &plots[3]}, {250, 220, 4}));
}

Artefact exercise_darcy_deeponet_entry() {
  return {.id = "exercise-darcy-deeponet",
          .kind = Kind::exercise,
          .lecture = 5,
          .lines = "6341-6369",
          .title = "Exercise: Darcy flow by a DeepONet",
          .formula = "G(a)(y) = \\sum_k b_k(a(x_1), \\dots, a(x_m)) t_k(y)",
          .says =
              "A convolutional branch sees the rock, a trunk of Fourier features the point. "
              "Reduced: 150 samples of 16 x 16 nodes, 400 steps.",
          .truth =
              "The panel called relative error shows the absolute one, and the branch is an "
              "encoder with residual blocks, not a U-Net.",
          .page = "operators/deeponet.md",
          .seconds = 2.2,
          .file = "lecture_5/exercise_darcy_deeponet.cpp",
          .make = make_exercise_darcy_deeponet};
}

}  // namespace cauchy::notes
