#include <cmath>

#include <cauchy/report/figure.hpp>

#include "lecture_3/labs.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_burgers_lbfgs(Output& out) {
  Pinn method;
  method.network =
      Mlp{.width = 32, .depth = 4, .activation = Activation::silu, .weight_norm = true, .skip = 2};
  method.points = {.interior = 800, .boundary = 128, .initial = 128};
  Plot plot({.title = "relative error", .x = {.label = "step"}, .y = {.scale = AxisScale::log}});
  std::vector<std::vector<std::string>> rows = {{"", "loss", "relative error"}};
  std::vector<double> errors;
  for (const bool adam_first : {false, true}) {
    method.rules.balancer = FixedBalancer{};
    if (!adam_first) method.rules.balancer = RelobraloBalancer{};
    method.stages = {{LbfgsOptions{}, 1000}};
    if (adam_first) method.stages = {{AdamOptions{}, 500}, {LbfgsOptions{}, 1000}};
    const Solution s =
        solve(burgers_lab(), method,
              {.threads = out.threads(), .error_share = 0.05, .progress = out.progress()});
    const LabHistory history(s);
    const char* name = adam_first ? "Adam 500, then L-BFGS" : "L-BFGS from scratch, ReLoBRaLo";
    plot.line(history.error_steps, history.error, {.name = name});
    errors.push_back(s.error.relative_l2());
    rows.push_back(
        {name, fmt::format("{:.1e}", history.loss.back()), fmt::format("{:.1e}", errors.back())});
  }
  out.table("runs", rows, "the lab reports a loss of 1.7 for the first");
  out.check("relative error, Adam first: on its way", errors[1], 0, 0.35);
  out.require("from scratch with moving weights it is at least 1.3 times as wrong",
              errors[0] > 1.3 * errors[1]);
  out.text(
      "With a line search that keeps both of Wolfe's conditions the first run does not fail as "
      "badly as the lab's; it stands still.");
  out.picture("lbfgs", draw_figure({&plot}, {560, 360, 1}));
}

Artefact burgers_lbfgs_entry() {
  return {.id = "ho3-burgers-lbfgs",
          .kind = Kind::exercise,
          .lecture = 3,
          .lines = "2942-2954",
          .title = "Hands-on 3.3: Burgers' equation, L-BFGS from scratch",
          .formula = "",
          .says =
              "L-BFGS without Adam before it and with weights that ReLoBRaLo moves: the loss stays "
              "large. A control for the usual order, Adam first.",
          .truth = "",
          .page = "training/studies.md",
          .seconds = 11,
          .file = "lecture_3/burgers_lbfgs.cpp",
          .make = make_burgers_lbfgs};
}

}  // namespace cauchy::notes
