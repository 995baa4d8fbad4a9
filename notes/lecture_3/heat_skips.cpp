#include <cmath>

#include <cauchy/report/figure.hpp>

#include "lecture_3/labs.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_heat_skips(Output& out) {
  Pinn method;
  method.network =
      Mlp{.width = 32, .depth = 4, .activation = Activation::silu, .weight_norm = true, .skip = 2};
  method.points = {.interior = 512, .boundary = 128, .initial = 128};
  method.rules.point_weights = {DistanceWeights{}};  // the equation counts less near the boundary
  Stage adam{AdamOptions{.clip_norm = 0.5}, 1500};
  adam.schedule = {.shape = ScheduleShape::exponential, .steps = 500, .final_factor = 0.95};
  method.stages = {adam};
  const Solution s =
      solve(heat_lab(), method,
            {.threads = out.threads(), .error_share = 0.05, .progress = out.progress()});
  out.check("relative error", s.error.relative_l2(), 0, 1e-2);
  out.check("u(1, 0)", s("u", {1, 0}), 0.53964, 5e-3);
  // The panels of the lab's validator: true, predicted, difference.
  const Coordinate t("t"), x("x");
  const Expr exact = exp(-pi * pi / 16 * t) * cos(pi * x / 2), u = Field("u");
  std::vector<Plot> panels;
  for (const auto& [name, what] :
       {std::pair{"true", exact + 0 * u}, {"predicted", u}, {"difference", u - exact}}) {
    panels.emplace_back(
        PlotOptions{.title = name,
                    .x = {.label = "x"},
                    .y = {.label = "t"},
                    .color = {.map = panels.size() == 2 ? Colormap::diverging : Colormap::viridis},
                    .grid = false});
    panels.back().heat_map(lab_map(s, what, 61), {-1, 1}, {0, 1});
  }
  const LabHistory history(s);
  Plot loss({.title = "loss", .x = {.label = "step"}, .y = {.scale = AxisScale::log}});
  loss.line(history.steps, history.loss);
  out.picture("validator", draw_figure({&panels[0], &panels[1], &panels[2], &loss}, {420, 320, 2}));
  out.text(
      fmt::format("Loss {:.1e} after 1,500 steps of a network 16 times narrower; the lab reports "
                  "5.5e-8 after 10,000.",
                  history.loss.back()));
  out.require("the loss is below 1e-4", history.loss.back() < 1e-4);
}

Artefact heat_skips_entry() {
  return {
      .id = "ho3-heat",
      .kind = Kind::exercise,
      .lecture = 3,
      .lines = "2429-2452",
      .title = "Hands-on 3.1: the heated bar with skips, normalised weights and distance weights",
      .formula =
          R"(W = g\,\frac{v}{\|v\|}, \quad h_{l+2} \leftarrow h_{l+2} + h_l, \quad \lambda(x) = \text{dist}(x, \partial\Omega))",
      .says =
          "Four layers of 512 SiLU with skip connections and weight normalisation; residuals "
          "weighed by the distance to the boundary, clipped gradients, a rate that falls by 5 "
          "percent every 500 steps.",
      .truth = "",
      .page = "training/studies.md",
      .seconds = 3,
      .file = "lecture_3/heat_skips.cpp",
      .make = make_heat_skips};
}

}  // namespace cauchy::notes
