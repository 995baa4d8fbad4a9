#include <cmath>
#include <vector>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_reservoir_profiles(Output& out) {
  ReservoirSimulator settings;
  settings.cells = {20, 20, 1};
  settings.cell_size = {40, 40, 5};
  settings.field = "gaussian(length = [0.3, 0.12])";
  const ReservoirSource source(settings);
  const ReservoirModel model = source.model(1, 0);
  ReservoirSchedule schedule = source.simulator().schedule;
  const ReservoirRun run = simulate(model, schedule);
  schedule.scheme = ReservoirScheme::implicit;  // another scheme, as an independent answer
  const ReservoirRun other = simulate(model, schedule);
  out.require("both simulations reach their end", succeeded(run.status) && succeeded(other.status));
  out.check("oil produced, implicit / IMPES",
            other.reports.back().produced_oil / run.reports.back().produced_oil, 1, 0.03);
  Plot bhp({.title = "pressure of the injectors, bar", .x = {"days"}}),
      oil({.title = "oil, m3/day", .x = {"days"}}),
      water({.title = "water, m3/day", .x = {"days"}}), cut({.title = "water cut", .x = {"days"}});
  bool grows = true;
  for (std::size_t w = 0; w < model.wells.size(); ++w) {
    std::vector<double> t, pressure, q_oil, q_water, share;
    for (const ReservoirReport& r : run.reports) {
      t.push_back(r.time);
      pressure.push_back(r.wells[w].pressure);
      q_oil.push_back(r.wells[w].oil), q_water.push_back(r.wells[w].water);
      share.push_back(r.wells[w].water_cut());
    }
    const LineStyle style{.name = model.wells[w].name, .markers = true};
    if (model.wells[w].kind == WellKind::injector) {
      bhp.line(t, pressure, style);
      out.check(fmt::format("{}: water injected, 120 m3/day", model.wells[w].name), -q_water.back(),
                120, 1e-6);
    } else {
      oil.line(t, q_oil, style), water.line(t, q_water, style), cut.line(t, share, style);
      grows = grows && share.back() >= share.front();
    }
  }
  out.require("the water cut of every producer grows", grows);
  const ReservoirReport& end = run.reports.back();
  double in = 0, taken = 0;
  for (const WellRates& w : end.wells) (w.water < 0 ? in : taken) += w.water + w.oil;
  out.check("liquid out / liquid in, in the state of the end", -taken / in, 1, 0.02);
  out.picture("profiles", draw_figure({&bhp, &oil, &water, &cut}, {400, 280, 2}));
}

Artefact reservoir_profiles_entry() {
  return {.id = "reservoir-profiles",
          .kind = Kind::figure,
          .lecture = 5,
          .lines = "7916-7929",
          .title = "What the wells give",
          .formula = "\\text{water cut} = \\frac{q_w}{q_w + q_o}",
          .says =
              "Pressures of injectors, oil, water and water cut of producers over 2,340 days. "
              "Reduced: 20 x 20 cells in one layer; the curves of the simulator by two schemes.",
          .truth = "",
          .page = "applications/reservoir.md",
          .seconds = 0.1,
          .file = "lecture_5/reservoir_profiles.cpp",
          .make = make_reservoir_profiles};
}

}  // namespace cauchy::notes
