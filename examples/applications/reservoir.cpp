// Runs:    reservoir [PICTURE.svg]
// Expects: 2,340 days of water that pushes oil out of random rock of two kinds, 40 x 40 x 3 cells
//          and 8 wells, by both schemes; volumes balance to 1e-9, the schemes agree; exit code 0.
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

int main(int argc, char** argv) {
  using namespace cauchy;
  ReservoirSimulator settings;
  settings.fluids.gravity = true;
  const ReservoirSource source(settings);
  const ReservoirModel model = source.model(/*seed=*/1, /*number=*/0);
  ReservoirSchedule schedule = source.simulator().schedule;
  const ReservoirRun run = simulate(model, schedule);
  schedule.scheme = ReservoirScheme::implicit;
  const ReservoirRun other = simulate(model, schedule);
  if (!succeeded(run.status) || !succeeded(other.status)) return 1;
  const ReservoirReport &end = run.reports.back(), &by_newton = other.reports.back();
  fmt::print("impes    {} steps, {} of saturation, balance {:.1e}, oil {:.0f} m3\n", run.steps,
             run.inner, end.balance, end.produced_oil);
  fmt::print("implicit {} steps, {} of Newton's method, balance {:.1e}, oil {:.0f} m3\n",
             other.steps, other.inner, by_newton.balance, by_newton.produced_oil);
  const auto map = [&](const std::string& title, const std::vector<double>& values) {
    Matrix m(40, 40);  // the uppermost layer
    for (std::size_t c = 0; c < 1600; ++c) m(c % 40, c / 40) = values[c];
    Plot plot({.title = title, .x = {"x, m"}, .y = {"y, m"}, .equal_aspect = true, .grid = false});
    plot.heat_map(m, {0, 800}, {0, 800});
    return plot;
  };
  std::vector<double> log_k = model.permeability_x;
  for (double& k : log_k) k = std::log10(k);
  const Plot rock = map("log10 permeability, mD", log_k), pressure = map("pressure", end.pressure),
             early = map("water after 540 days", run.reports[2].saturation),
             late = map("water after 2,340 days", end.saturation);
  Plot oil({.title = "oil, m3/day", .x = {"days"}}), cut({.title = "water cut", .x = {"days"}});
  for (std::size_t w = 4; w < 8; ++w) {
    std::vector<double> t, q, c;
    for (const ReservoirReport& r : run.reports) {
      t.push_back(r.time);
      q.push_back(r.wells[w].oil);
      c.push_back(r.wells[w].water_cut());
    }
    oil.line(t, q, {.name = model.wells[w].name, .markers = true});
    cut.line(t, c, {.name = model.wells[w].name, .markers = true});
  }
  if (argc > 1) {
    save_picture(argv[1],
                 draw_figure({&rock, &early, &late, &pressure, &oil, &cut}, {420, 340, 3}));
  }
  const double off = std::abs(end.produced_oil / by_newton.produced_oil - 1);
  return std::max(end.balance, by_newton.balance) < 1e-9 && off < 0.02 ? 0 : 1;
}
