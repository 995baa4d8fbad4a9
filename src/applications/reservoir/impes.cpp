#include <algorithm>
#include <cmath>

#include "applications/reservoir/flow_state.hpp"
#include "applications/reservoir/pressure_system.hpp"

namespace cauchy::detail {
namespace {

constexpr int most_well_rounds = 10;

/// Pressure implicit, saturation explicit. The total fluxes of a step of pressure stay; steps of
/// saturation move water with them.
class Impes final : public ReservoirStepper {
 public:
  Impes(const FlowState& state, const ReservoirSchedule& schedule)
      : cfl_(schedule.cfl),
        system_(state.grid, state.columns),
        flux_(state.grid.faces.size(), 0.0),
        constant_(flux_.size()),
        slope_(flux_.size()),
        mobility_(state.grid.size()) {}

  ReservoirStep step(FlowState& state, double dt) override {
    ReservoirStep result;
    // The first pressures have no fluxes before them to say where fluids come from.
    for (int round = first_ ? 0 : 1; round < 2; ++round) {
      result.status = solve_pressure(state, dt);
      if (!succeeded(result.status)) return result;
    }
    first_ = false;
    const std::vector<double> before = state.s;
    move_water(state, dt, result);
    state.p = next_p_;
    for (std::size_t c = 0; c < before.size(); ++c) {
      result.change = std::max(result.change, std::abs(state.s[c] - before[c]));
      if (!std::isfinite(state.s[c]) || !std::isfinite(state.p[c])) {
        result.status = Status::not_finite;
      }
    }
    return result;
  }

 private:
  void find_mobilities(const FlowState& state) {
    for (std::size_t c = 0; c < mobility_.size(); ++c) mobility_[c] = state.curves.at(state.s[c]);
    if (!state.curves.has_capillary()) return;
    capillary_.resize(mobility_.size());
    for (std::size_t c = 0; c < mobility_.size(); ++c) {
      capillary_[c] = state.curves.capillary(state.s[c]);
    }
  }
  [[nodiscard]] double capillary_drop(const FlowFace& f) const {
    return capillary_.empty() ? 0 : capillary_[f.a] - capillary_[f.b];
  }
  /// What drives water more than oil, times the transmissibility.
  [[nodiscard]] double force(const FlowState& state, const FlowFace& f) const {
    const double weight = state.curves.water_weight() - state.curves.oil_weight();
    return f.transmissibility * (weight * f.drop - capillary_drop(f));
  }

  Status solve_pressure(FlowState& state, double dt) {
    const ReservoirGrid& grid = state.grid;
    find_mobilities(state);
    for (std::size_t i = 0; i < flux_.size(); ++i) {
      const FlowFace& f = grid.faces[i];
      const UpwindSides from = upwind_of(flux_[i], force(state, f), mobility_[f.a], mobility_[f.b]);
      const double water = mobility_[from.water_from_a ? f.a : f.b].water;
      const double oil = mobility_[from.oil_from_a ? f.a : f.b].oil;
      slope_[i] = f.transmissibility * (water + oil);
      constant_[i] =
          f.transmissibility *
          ((water * state.curves.water_weight() + oil * state.curves.oil_weight()) * f.drop -
           water * capillary_drop(f));
    }
    for (std::size_t w = 0; w < state.wells.size(); ++w) {
      state.wells[w].fill(state.columns[w], state.curves, state.s);
      state.wells[w].evaluate(state.columns[w], state.curves, state.p, state.s);
    }
    // After the last round the wells stay as the pressures were found with.
    for (int round = 1; round <= most_well_rounds; ++round) {
      if (!state.is_anchored()) open_all(state);
      if (!solve_linear(state, dt)) return Status::singular;
      for (std::size_t w = 0; w < state.wells.size(); ++w) {
        state.wells[w].settle(state.columns[w], next_p_);
      }
      if (round == most_well_rounds || !change_wells(state)) break;
    }
    for (std::size_t i = 0; i < flux_.size(); ++i) {
      const FlowFace& f = grid.faces[i];
      flux_[i] = slope_[i] * (next_p_[f.a] - next_p_[f.b]) + constant_[i];
    }
    return Status::converged;
  }

  bool solve_linear(FlowState& state, double dt) {
    const ReservoirGrid& grid = state.grid;
    system_.clear();
    std::vector<double>& b = system_.rhs();
    for (std::size_t i = 0; i < flux_.size(); ++i) {
      const FlowFace& f = grid.faces[i];
      system_.add_face(i, slope_[i]);
      b[f.a] -= constant_[i];
      b[f.b] += constant_[i];
    }
    if (grid.compressibility > 0) {
      for (std::size_t c = 0; c < grid.size(); ++c) {
        const double yield = grid.volume[c] * grid.compressibility / dt;
        system_.add_diagonal(c, yield);
        b[c] += yield * state.p[c];
      }
    }
    for (std::size_t w = 0; w < state.wells.size(); ++w) system_.add_well(w, state.wells[w]);
    return system_.prepare() && system_.solve_refined(next_p_);
  }

  static void open_all(FlowState& state) {
    for (std::size_t w = 0; w < state.wells.size(); ++w) {
      if (state.columns[w].control != WellControl::pressure) continue;
      std::ranges::fill(state.wells[w].open, char{1});
      state.wells[w].weigh(state.columns[w], state.curves, state.s);
    }
  }

  /// Shuts and opens cells of wells as the pressures that were found ask for; false: as they are.
  bool change_wells(FlowState& state) {
    bool changed = false;
    for (std::size_t w = 0; w < state.wells.size(); ++w) {
      WellFlow other = state.wells[w];
      other.evaluate(state.columns[w], state.curves, next_p_, state.s);
      if (other.open == state.wells[w].open) continue;
      state.wells[w] = std::move(other);
      changed = true;
    }
    return changed;
  }

  /// The longest step for which new saturations are means of old ones (Coats): no cell loses more
  /// water by a change of its saturation than its pores hold.
  [[nodiscard]] double stable_step(const FlowState& state) {
    const ReservoirGrid& grid = state.grid;
    loss_.assign(grid.size(), 0.0);
    const double fraction = state.curves.steepest_fraction();
    const double weight = std::abs(state.curves.water_weight() - state.curves.oil_weight());
    for (std::size_t i = 0; i < flux_.size(); ++i) {
      const FlowFace& f = grid.faces[i];
      loss_[flux_[i] > 0 ? f.a : f.b] += fraction * std::abs(flux_[i]);
      const double sinking = f.transmissibility * (weight * f.drop + std::abs(capillary_drop(f))) *
                             state.curves.steepest_mobility();
      const double spreading = f.transmissibility * state.curves.largest_diffusion();
      loss_[f.a] += sinking + spreading;
      loss_[f.b] += sinking + spreading;
    }
    for (std::size_t w = 0; w < state.wells.size(); ++w) {
      for (std::size_t k = 0; k < state.wells[w].rate.size(); ++k) {
        const double out = state.wells[w].rate[k];
        if (out > 0) loss_[state.columns[w].perforations[k].cell] += fraction * out;
      }
    }
    double step = 1e300;
    for (std::size_t c = 0; c < loss_.size(); ++c) {
      const double pores = std::min(grid.pores(c, state.p[c]), grid.pores(c, next_p_[c]));
      if (loss_[c] > 0) step = std::min(step, pores / loss_[c]);
    }
    return cfl_ * step;
  }

  void move_water(FlowState& state, double dt, ReservoirStep& result) {
    const ReservoirGrid& grid = state.grid;
    find_mobilities(state);
    const double n = std::max(1.0, std::ceil(dt / stable_step(state)));
    result.inner = static_cast<std::size_t>(n);
    const double step = dt / n;
    std::vector<double> water(grid.size());  // volumes
    for (std::size_t c = 0; c < grid.size(); ++c) {
      water[c] = grid.pores(c, state.p[c]) * state.s[c];
    }
    for (std::size_t k = 0; k < result.inner; ++k) {
      if (k > 0) find_mobilities(state);
      for (std::size_t i = 0; i < flux_.size(); ++i) {
        const FlowFace& f = grid.faces[i];
        const double g = force(state, f);
        const UpwindSides from = upwind_of(flux_[i], g, mobility_[f.a], mobility_[f.b]);
        const double w = mobility_[from.water_from_a ? f.a : f.b].water;
        const double o = mobility_[from.oil_from_a ? f.a : f.b].oil;
        if (w == 0) continue;
        const double moved = step * w * (flux_[i] + o * g) / (w + o);
        water[f.a] -= moved;
        water[f.b] += moved;
      }
      for (std::size_t v = 0; v < state.wells.size(); ++v) {
        const WellColumn& column = state.columns[v];
        for (std::size_t q = 0; q < column.perforations.size(); ++q) {
          const std::size_t c = column.perforations[q].cell;
          const double all = state.wells[v].rate[q];
          const double share = column.kind == WellKind::injector ? 1 : mobility_[c].fraction();
          water[c] -= step * share * all;
          state.account(column, share * all, all, step);
        }
      }
      const double done = static_cast<double>(k + 1) / n;
      for (std::size_t c = 0; c < grid.size(); ++c) {
        const double p = state.p[c] + done * (next_p_[c] - state.p[c]);
        state.s[c] = water[c] / grid.pores(c, p);
      }
    }
  }

  double cfl_;
  bool first_ = true;
  PressureSystem system_;
  std::vector<double> flux_, constant_, slope_;  // of faces: total flux, slope dp + constant
  std::vector<Mobility> mobility_;
  std::vector<double> capillary_, next_p_, loss_;
};

}  // namespace

std::unique_ptr<ReservoirStepper> make_impes(const FlowState& state,
                                             const ReservoirSchedule& schedule) {
  return std::make_unique<Impes>(state, schedule);
}

}  // namespace cauchy::detail
