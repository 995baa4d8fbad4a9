#include <cmath>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_inverse_pinn(Output& out) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Parameter D("D"), c("c");
  Problem bar;  // D u_xx = c u_t; D is unknown
  bar.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  bar.fields = {"u"};
  bar.unknowns = {{.name = "D", .initial = 1, .lower = 0.0, .truth = 0.25}};
  bar.equation = {d(u, t) == D * d(u, x, x)};
  bar.condition = {on_boundary(u == 0)};
  // 200 measurements inside, with noise of one percent.
  Table data{{"t", "x", "temperature"}, {}, "thermometers"};
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const double a = rng.uniform(), b = rng.uniform(-1, 1);
    const double exact = std::exp(-pi * pi / 16 * a) * std::cos(pi * b / 2);
    data.values.insert(data.values.end(), {a, b, exact + 0.01 * rng.normal()});
  }
  bar.observation = {
      {.name = "thermometers", .quantity = u, .column = "temperature", .table = data}};
  Pinn method;
  method.network = Mlp{.width = 16, .depth = 2};
  method.points = {.interior = 500, .boundary = 60};
  method.stages = {{AdamOptions{}, 300}, {LbfgsOptions{}, 700}};
  const Solution s = solve(bar, method, {.threads = out.threads()});
  out.check("D from noisy measurements", s.unknowns.at("D"), 0.25, 0.02 * 0.25);

  // With two constants, c u_t = D u_xx, the data know their ratio alone.
  bar.equation = {c * d(u, t) == D * d(u, x, x)};
  double ratio[2], found[2];
  for (const std::size_t k : {0u, 1u}) {
    bar.unknowns = {{.name = "D", .initial = k == 0 ? 1 : 0.3, .lower = 0.0},
                    {.name = "c", .initial = k == 0 ? 2 : 0.6, .lower = 0.0}};
    const Solution two = solve(bar, method, {.threads = out.threads()});
    found[k] = two.unknowns.at("D");
    ratio[k] = found[k] / two.unknowns.at("c");
  }
  out.table("two",
            {{"start", "D", "c", "D / c"},
             {"D = 1, c = 2", fmt::format("{:.3f}", found[0]),
              fmt::format("{:.3f}", found[0] / ratio[0]), fmt::format("{:.4f}", ratio[0])},
             {"D = 0.3, c = 0.6", fmt::format("{:.3f}", found[1]),
              fmt::format("{:.3f}", found[1] / ratio[1]), fmt::format("{:.4f}", ratio[1])}},
            "two unknown constants that only their ratio matters of");
  out.check("two constants: D / c from one start", ratio[0], 0.25, 0.05 * 0.25);
  out.check("two constants: D / c from another start", ratio[1], 0.25, 0.05 * 0.25);
  out.require("but D itself is another one from every start",
              std::abs(found[0] - found[1]) > 0.2 * found[1]);
  std::vector<double> steps, values;
  for (const HistoryEntry& h : s.training->history) {
    steps.push_back(double(h.step));
    values.push_back(h.unknowns[0]);
  }
  Plot plot({.title = "the unknown constant", .x = {.label = "step"}, .y = {.label = "D"}});
  plot.line(steps, values, {.name = "trained"});
  const std::vector<double> ends{0, steps.back()}, truth{0.25, 0.25};
  plot.line(ends, truth, {.name = "truth", .dashed = true});
  out.picture("constant", draw_figure({&plot}, {560, 340, 1}));
}

Artefact inverse_pinn_entry() {
  return {
      .id = "inverse-pinn",
      .kind = Kind::recipe,
      .lecture = 3,
      .lines = "2604-2672",
      .title = "An inverse problem: constants as parameters of the network",
      .formula =
          R"(\mathcal{L} = \mathcal{L}_{PDE}(\theta, \gamma) + \mathcal{L}_{BC}(\theta) + \frac{1}{N}\sum_i |u_\theta(x_i) - u_i^*|^2)",
      .says =
          "Unknown constants are trained together with the network; a term for the data is "
          "added to the loss. That they can be trained does not mean that they can be found.",
      .truth = "",
      .page = "solving.md",
      .seconds = 1.2,
      .file = "lecture_3/inverse_pinn.cpp",
      .make = make_inverse_pinn};
}

}  // namespace cauchy::notes
