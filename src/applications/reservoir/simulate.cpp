#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "applications/reservoir/flow_state.hpp"

namespace cauchy {
namespace detail {

FlowState::FlowState(const ReservoirModel& model)
    : grid(model),
      curves(model.fluids),
      columns(well_columns(model)),
      wells(columns.size()),
      p(grid.pressure),
      s(grid.saturation) {
  for (std::size_t c = 0; c < grid.size(); ++c) water_at_start += grid.volume[c] * s[c];
  for (std::size_t w = 0; w < wells.size(); ++w) wells[w].weigh(columns[w], curves, s);
}

std::vector<WellRates> FlowState::rates() const {
  std::vector<WellRates> all;
  for (std::size_t w = 0; w < wells.size(); ++w) {
    WellFlow flow = wells[w];
    flow.fill(columns[w], curves, s);
    flow.evaluate(columns[w], curves, p, s);
    all.push_back(rates_of(columns[w], flow, curves, s));
  }
  return all;
}

void FlowState::account(const WellColumn& well, double water, double all, double dt) {
  if (well.kind == WellKind::injector) {
    injected -= all * dt;
    return;
  }
  produced_water += water * dt;
  produced_oil += (all - water) * dt;
}

bool FlowState::is_anchored() const {
  if (grid.compressibility > 0) return true;
  for (std::size_t w = 0; w < wells.size(); ++w) {
    if (columns[w].control == WellControl::pressure && wells[w].open_weight > 0) return true;
  }
  return false;
}

ReservoirReport FlowState::report(double time) const {
  ReservoirReport r{.time = time,
                    .pressure = p,
                    .saturation = s,
                    .wells = rates(),
                    .injected = injected,
                    .produced_water = produced_water,
                    .produced_oil = produced_oil};
  double water = 0, oil = 0;
  for (std::size_t c = 0; c < grid.size(); ++c) {
    const double pores = grid.pores(c, p[c]);
    water += pores * s[c];
    oil += pores * (1 - s[c]);
  }
  const double of_water = water - water_at_start - (injected - produced_water);
  const double of_oil = oil - (grid.total_volume - water_at_start) + produced_oil;
  r.balance = std::max(std::abs(of_water), std::abs(of_oil)) / grid.total_volume;
  return r;
}

}  // namespace detail

namespace {

constexpr double first_share = 0.01;    // of the longest step: the first one
constexpr double shortest_step = 1e-6;  // days
constexpr double most_growth = 2;

}  // namespace

ReservoirRun simulate(const ReservoirModel& model, const ReservoirSchedule& schedule,
                      const Progress* progress) {
  check(model);
  check(schedule);
  detail::FlowState state(model);
  const bool explicit_s = schedule.scheme == ReservoirScheme::impes;
  const auto scheme =
      explicit_s ? detail::make_impes(state, schedule) : detail::make_implicit(state, schedule);
  ReservoirRun run;
  double time = 0, length = first_share * schedule.max_step;
  for (const double target : schedule.times) {
    while (time < target) {
      if (progress != nullptr && progress->stop_requested()) {
        run.status = Status::interrupted;
        return run;
      }
      // Equal steps up to the report, none of them tiny.
      const double n = std::ceil((target - time) / length - 1e-9);
      const double dt = n <= 1 ? target - time : (target - time) / n;
      const detail::ReservoirStep step = scheme->step(state, dt);
      run.inner += step.inner;
      if (step.status == Status::stalled) {
        length = dt / 2;
        ++run.repeated;
        if (length >= shortest_step) continue;
        run.status = Status::step_underflow;
        return run;
      }
      if (!succeeded(step.status)) {
        run.status = step.status;
        return run;
      }
      ++run.steps;
      time = n <= 1 ? target : time + dt;
      const double wish = schedule.max_change / std::max(step.change, 1e-12);
      const double factor = std::clamp(wish, 0.5, step.hard ? 0.7 : most_growth);
      length = std::min(dt * factor, schedule.max_step);
    }
    run.reports.push_back(state.report(target));
  }
  return run;
}

namespace {

detail::FlowState state_of(const ReservoirModel& model, std::span<const double> pressure,
                           std::span<const double> saturation) {
  check(model);
  if (pressure.size() != model.n_cells() || saturation.size() != model.n_cells()) {
    throw Error(fmt::format("{} pressures and {} saturations for {} cells", pressure.size(),
                            saturation.size(), model.n_cells()),
                "[applications.reservoir]", "give one of each per cell");
  }
  detail::FlowState state(model);
  state.p.assign(pressure.begin(), pressure.end());
  state.s.assign(saturation.begin(), saturation.end());
  return state;
}

}  // namespace

std::vector<WellRates> well_rates(const ReservoirModel& model, std::span<const double> pressure,
                                  std::span<const double> saturation) {
  return state_of(model, pressure, saturation).rates();
}

std::array<std::vector<double>, 3> face_fluxes(const ReservoirModel& model,
                                               std::span<const double> pressure,
                                               std::span<const double> saturation) {
  const detail::FlowState state = state_of(model, pressure, saturation);
  std::array<std::vector<double>, 3> flux;
  for (std::vector<double>& f : flux) f.assign(state.grid.size(), 0.0);
  const detail::FlowCurves& curves = state.curves;
  for (const detail::FlowFace& f : state.grid.faces) {
    const double drive = state.p[f.a] - state.p[f.b];
    const double water = drive - curves.capillary(state.s[f.a]) + curves.capillary(state.s[f.b]) +
                         curves.water_weight() * f.drop;
    const double oil = drive + curves.oil_weight() * f.drop;
    // Each fluid comes from where it is driven away.
    const double mobile = curves.at(state.s[water >= 0 ? f.a : f.b]).water * water +
                          curves.at(state.s[oil >= 0 ? f.a : f.b]).oil * oil;
    const std::size_t step = f.b - f.a;
    const std::size_t axis = f.drop > 0 ? 2 : step == 1 ? 1 : 0;
    flux[axis][f.a] = f.transmissibility * mobile;
  }
  return flux;
}

}  // namespace cauchy
