#include <cmath>

#include <cauchy/report/figure.hpp>

#include "lecture_3/labs.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_burgers_adam(Output& out) {
  Pinn method;
  method.network =
      Mlp{.width = 32, .depth = 4, .activation = Activation::silu, .weight_norm = true, .skip = 2};
  method.points = {.interior = 800, .boundary = 128, .initial = 128};
  Stage adam{AdamOptions{.clip_norm = 0.5}, 2000};
  adam.schedule = {.shape = ScheduleShape::exponential, .steps = 500, .final_factor = 0.95};
  method.stages = {adam};
  const Solution s =
      solve(burgers_lab(), method,
            {.threads = out.threads(), .error_share = 0.05, .progress = out.progress()});
  const LabHistory history(s);
  out.text(
      fmt::format("Loss {:.1e}, relative error {:.2f} after 2,000 steps; the lab reports a loss of "
                  "5.6e-3 after 10,000 and no error.",
                  history.loss.back(), s.error.relative_l2()));
  out.require("the loss has fallen at least tenfold",
              history.loss.back() < history.loss.front() / 10);
  out.check("u(0.25, 0.5), before the front", s("u", {0.25, 0.5}), -0.8031984208, 0.15);
  out.require("but the front is not there yet: the error is above 10 percent",
              s.error.relative_l2() > 0.1 && s.error.relative_l2() < 1);
  Plot field({.title = "u(t, x)",
              .x = {.label = "x"},
              .y = {.label = "t"},
              .color = {.map = Colormap::diverging},
              .grid = false});
  field.heat_map(lab_map(s, Field("u"), 121), {-1, 1}, {0, 1});
  Plot loss({.title = "loss and error", .x = {.label = "step"}, .y = {.scale = AxisScale::log}});
  loss.line(history.steps, history.loss, {.name = "loss"});
  loss.line(history.error_steps, history.error, {.name = "relative error"});
  out.picture("adam", draw_figure({&field, &loss}, {440, 340, 2}));
}

Artefact burgers_adam_entry() {
  return {.id = "ho3-burgers-adam",
          .kind = Kind::exercise,
          .lecture = 3,
          .lines = "2429-2452",
          .title = "Hands-on 3.2: Burgers' equation, Adam and the sum of the losses",
          .formula = R"(\mathcal{L} = \mathcal{L}_{PDE} + \mathcal{L}_{IC} + \mathcal{L}_{BC})",
          .says = "The network of the lab before, trained by Adam alone on the plain sum.",
          .truth = "",
          .page = "networks/fully-connected.md",
          .seconds = 7,
          .file = "lecture_3/burgers_adam.cpp",
          .make = make_burgers_adam};
}

}  // namespace cauchy::notes
