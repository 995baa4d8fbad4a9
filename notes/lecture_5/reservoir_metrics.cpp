#include <cmath>
#include <vector>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_reservoir_metrics(Output& out) {
  // A tiny proxy: an FNO from permeability and porosity to pressure and water at six times.
  const OperatorFile file = parse_operator_file(R"toml(
name = "reservoir"
[simulator]
kind = "reservoir"
cells = [12, 12, 1]
cell_size = [60, 60, 10]
field = "gaussian(length = [0.4, 0.2])"
reports = 6
[operator]
samples = 60
validation = 8
test = 12
[train]
epochs = 40
batch = 10
normalization = "point"
[train.network]
kind = "fno"
width = 12
depth = 2
modes = [4, 4]
projection = 32
)toml",
                                                "reservoir.toml");
  const DataSet data = make_data(file.problem);
  const OperatorResult learnt = learn(file.problem, data, file.method, {.threads = 1});
  const DataSet test = data.part(68, 12);
  const std::vector<double> made = learnt.model->predict(test, 1);
  Plot r2({.title = "R2 over time", .x = {.label = "days"}});
  Plot l2({.title = "relative L2 error over time", .x = {.label = "days"}});
  for (const FieldCourse& course : measure_over_time(made, test)) {
    r2.line(course.times, course.r2, {.name = course.field, .markers = true});
    l2.line(course.times, course.relative_l2, {.name = course.field, .markers = true});
    // R2 by hand, for the last time: 1 - sum of squares / variance.
    std::size_t channel = test.outputs.size();
    for (std::size_t c = 0; c < test.outputs.size(); ++c) {
      if (test.outputs[c].starts_with(course.field + "(")) channel = c;
    }
    double mean = 0, off = 0, spread = 0;
    const std::size_t n = test.grid.n_points();
    for (const int pass : {0, 1}) {
      for (std::size_t s = 0; s < test.size(); ++s) {
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t at = s * test.out_size() + channel * n + i;
          if (pass == 0) mean += test.out[at] / double(n * test.size());
          if (pass == 1)
            off += std::pow(made[at] - test.out[at], 2), spread += std::pow(test.out[at] - mean, 2);
        }
      }
    }
    out.check(fmt::format("{}: R2 at the last time, by hand", course.field), 1 - off / spread,
              course.r2.back(), 1e-9);
    out.require(fmt::format("{}: R2 above 0.3 at the end", course.field), course.r2.back() > 0.3);
  }
  out.picture("courses", draw_figure({&r2, &l2}, {440, 320, 2}),
              "12 reservoirs that the network has not seen.");
}

Artefact reservoir_metrics_entry() {
  return {.id = "reservoir-metrics",
          .kind = Kind::figure,
          .lecture = 5,
          .lines = "7901-7915",
          .title = "How good a proxy is, in the course of time",
          .formula = "R^2 = 1 - \\frac{\\sum (v - u)^2}{\\sum (u - \\bar u)^2}",
          .says =
              "Coefficient of determination and relative error of pressure and saturation over "
              "time; above 0.95 with 500 samples. Reduced: 60 samples of 12 x 12 cells, 40 epochs.",
          .truth = "",
          .page = "applications/reservoir.md",
          .seconds = 0.4,
          .file = "lecture_5/reservoir_metrics.cpp",
          .make = make_reservoir_metrics};
}

}  // namespace cauchy::notes
