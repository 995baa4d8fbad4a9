#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_exercise_darcy_fno(Output& out) {
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
[operator]
inputs = { a = { field = "grf(alpha = 2, tau = 3)", map = "where(g > 0, 12, 3)" } }
grid = [16, 16]
refine = 2
samples = 80
validation = 10
test = 20
[train]
batch = 10
epochs = 12
network = { kind = "fno", width = 12, depth = 3, modes = [6, 6], projection = 32 }
)toml",
                                                "darcy.toml");
  const DataSet data = make_data(file.problem);
  double high = 0, low = 0, most = 0;
  for (const double a : data.in) (a > 6 ? high : low) += 1.0 / double(data.in.size());
  for (const double u : data.out) most = std::max(most, u);
  out.check("share of the permeability 12 over all samples", high, 0.5, 0.15);
  // Between the squares of one material: u = u_1 / a, and u_1 has the maximum 0.0736714.
  out.require("largest pressure between those of uniform rocks, 0.0737 / 12 and 0.0737 / 3",
              most > 0.0736714 / 12 && most < 0.0736714 / 3 * 1.001);
  const OperatorResult learnt = learn(file.problem, data, file.method, {.threads = 1});
  out.check("mean relative error on rocks that were not seen", learnt.test.mean_l2(), 0, 0.2);
  out.text(fmt::format("Mean relative error {:.3f} on {} new rocks, {} parameters.",
                       learnt.test.mean_l2(), learnt.test.size(), learnt.model->n_parameters()));
  const DataSet test = data.part(90, 3);
  const std::vector<double> made = learnt.model->predict(test, 1);
  std::vector<Plot> plots;
  for (std::size_t s = 0; s < 3; ++s) {
    const double* parts[] = {&test.in[s * 256], &test.out[s * 256], &made[s * 256]};
    const char* titles[] = {"permeability", "pressure", "FNO"};
    for (std::size_t k = 0; k < 3; ++k) {
      plots.emplace_back(PlotOptions{.title = titles[k], .equal_aspect = true, .grid = false});
      plots.back().heat_map(MatrixView<const double>(parts[k], 16, 16), {0, 1}, {0, 1});
    }
  }
  std::vector<const Panel*> panels;
  for (const Plot& plot : plots) panels.push_back(&plot);
  out.picture("samples", draw_figure(panels, {240, 210, 3}));
}

Artefact exercise_darcy_fno_entry() {
  return {.id = "exercise-darcy-fno",
          .kind = Kind::exercise,
          .lecture = 5,
          .lines = "7379-7430",
          .title = "Exercise: Darcy flow by a Fourier operator",
          .formula = "-\\nabla \\cdot (a \\nabla u) = 1, \\quad u = 0 \\text{ on the boundary}",
          .says =
              "From the permeability of a rock of two materials to the pressure; 1,000 samples of "
              "241 x 241 nodes. Reduced: 80 samples of 16 x 16 nodes, made here, 12 epochs.",
          .truth = "",
          .page = "operators.md",
          .seconds = 0.9,
          .file = "lecture_5/exercise_darcy_fno.cpp",
          .make = make_exercise_darcy_fno};
}

}  // namespace cauchy::notes
