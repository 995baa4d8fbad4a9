#include <algorithm>
#include <vector>

#include <cauchy/report/box_plot.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_sampler_errors(Output& out) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem bar;
  bar.name = "heated bar";
  bar.fields = {"u"};
  bar.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  bar.equation = {d(u, t) == 0.25 * d(u, x, x)};
  bar.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  bar.reference.formulas["u"] = exp(-pi * pi / 16 * t) * cos(pi * x / 2);
  Pinn method{.network = Mlp{.width = 10, .depth = 2},
              .points = {.interior = 30, .boundary = 10, .initial = 10},
              .stages = {{AdamOptions{.learning_rate = 5e-3}, 100}, {LbfgsOptions{}, 200}}};
  BoxPlot plot({.label = "relative L2 error", .scale = AxisScale::log},
               "30 points inside, 7 seeds");
  std::vector<std::vector<std::string>> rows = {{"points", "median", "worst"}};
  std::vector<double> medians;
  for (const char* name : {"uniform", "grid", "latin_hypercube", "halton", "hammersley", "sobol",
                           "faure", "r_sequence"}) {
    std::vector<double> errors;
    for (std::uint64_t seed = 1; seed <= 7; ++seed) {
      method.seed = seed;
      // A random shift makes the sets of the seeds different.
      method.points.sampler = {
          .kind = sampler_kind(name), .randomize = Randomize::shift, .seed = seed};
      errors.push_back(solve(bar, method, {.threads = 1, .error_share = 0}).error.relative_l2());
    }
    plot.row(name, errors);
    std::ranges::sort(errors);
    medians.push_back(errors[3]);
    rows.push_back({name, fmt::format("{:.1e}", errors[3]), fmt::format("{:.1e}", errors.back())});
  }
  out.table("errors", rows);
  out.picture("boxes", draw_figure({&plot}, {640, plot.good_height(), 1}),
              "Median, quartiles and all runs.");
  std::vector<double> quasi(medians.begin() + 3, medians.end());
  std::ranges::sort(quasi);
  out.require("the middle quasi-random set has a smaller median error than random points",
              quasi[2] < medians[0]);
  out.require("every set solves the bar to 20 %", std::ranges::max(medians) < 0.2);
}

Artefact sampler_errors_entry() {
  return {.id = "sampler-errors",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "3870-3880",
          .title = "Does the choice of points matter?",
          .formula = "u_t = D^2 u_{xx}, \\quad u(0, x) = \\cos(\\pi x / 2)",
          .says =
              "Errors of a network for the heat equation over eight kinds of points, with medians "
              "and outliers. Reduced: 30 points, 300 steps and 7 seeds per set.",
          .truth = "",
          .page = "training/studies.md",
          .seconds = 1.5,
          .file = "lecture_4/sampler_errors.cpp",
          .make = make_sampler_errors};
}

}  // namespace cauchy::notes
