#include <cmath>

#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "lecture_3/labs.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_heat_pinn(Output& out) {
  // The R sequence, scaled to t in [0, 1], x in [-1, 1]; and as the notebook does it: column 0
  // becomes t and then x, column 1 is never scaled.
  const std::vector<double> unit = unit_points({.kind = SamplerKind::r_sequence}, 2, 400);
  std::vector<double> t, x, wrong_t, wrong_x;
  double left = 0, wrong_left = 0, before = 0;
  for (std::size_t i = 0; i < unit.size(); i += 2) {
    t.push_back(unit[i]);
    x.push_back(2 * unit[i + 1] - 1);
    wrong_t.push_back(2 * unit[i] - 1);
    wrong_x.push_back(unit[i + 1]);
    left += x.back() < 0 ? 1.0 / 400 : 0;
    wrong_left += wrong_x.back() < 0 ? 1.0 / 400 : 0;
    before += wrong_t.back() < 0 ? 1.0 / 400 : 0;
  }
  out.check("share of points in the left half", left, 0.5, 0.01);
  out.check("notebook: share of points in the left half", wrong_left, 0, 0);
  out.check("notebook: share of points before the start", before, 0.5, 0.01);
  Plot points({.title = "R sequence", .x = {.label = "x"}, .y = {.label = "t"}});
  points.scatter(x, t, {.name = "scaled", .radius = 1.6});
  points.scatter(wrong_x, wrong_t, {.name = "as in the notebook", .radius = 1.6});

  Pinn method;
  method.network = Mlp{.width = 32, .depth = 3};
  method.points = {.interior = 1024, .boundary = 256, .initial = 256, .batch = 128};
  Stage adam{AdamOptions{}, 1500};
  adam.schedule = {
      .shape = ScheduleShape::plateau, .drop_factor = 0.3, .plateau = {.patience = 200}};
  method.stages = {adam};
  Plot errors({.title = "relative error", .x = {.label = "step"}, .y = {.scale = AxisScale::log}});
  std::vector<std::vector<std::string>> rows = {{"", "relative error"}};
  const std::pair<const char*, SamplerKind> samplers[] = {
      {"Sobol", SamplerKind::sobol},
      {"R sequence", SamplerKind::r_sequence},
      {"SoftAdapt, no batches", SamplerKind::sobol}};
  Plot map({.title = "u(t, x)", .x = {.label = "x"}, .y = {.label = "t"}, .grid = false});
  for (std::size_t k = 0; k < 3; ++k) {
    method.points.sampler.kind = samplers[k].second;
    method.rules.balancer = FixedBalancer{};
    if (k == 2) {  // ratios of losses are noisy on batches
      method.rules.balancer = SoftAdaptBalancer{.period = 1};  // as in the lab: every step
      method.points.interior = 512;
      method.points.boundary = method.points.initial = 128;
      method.points.batch = 0;
    }
    const Solution s =
        solve(heat_lab(), method,
              {.threads = out.threads(), .error_share = 0.05, .progress = out.progress()});
    const LabHistory history(s);
    errors.line(history.error_steps, history.error, {.name = samplers[k].first});
    rows.push_back({samplers[k].first, fmt::format("{:.1e}", s.error.relative_l2())});
    out.check(fmt::format("relative error, {}", samplers[k].first), s.error.relative_l2(), 0, 0.02);
    if (k == 0) map.heat_map(lab_map(s, Field("u"), 60), {-1, 1}, {0, 1});
  }
  out.table("errors", rows, "1,500 steps of Adam");
  out.picture("heat", draw_figure({&map, &points, &errors}, {350, 310, 3}));
}

Artefact heat_pinn_entry() {
  return {.id = "ho2-heat",
          .kind = Kind::exercise,
          .lecture = 3,
          .lines = "2429-2452",
          .title = "Hands-on 2.2: the heated bar by a network",
          .formula = R"(u_t = D^2 u_{xx}, \quad D = 0.5)",
          .says =
              "Three layers of 32 tanh, Adam whose rate falls on plateaus, batches, SoftAdapt and "
              "quasi-random points as options.",
          .truth =
              "The branch for the R sequence scales column 0 twice and column 1 never: half of "
              "the bar is never seen, and half of the points lie before the start.",
          .page = "training/studies.md",
          .seconds = 3,
          .file = "lecture_3/heat_pinn.cpp",
          .make = make_heat_pinn};
}

}  // namespace cauchy::notes
