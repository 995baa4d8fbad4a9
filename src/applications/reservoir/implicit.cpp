#include <algorithm>
#include <cmath>
#include <numeric>

#include <cauchy/math/iterative.hpp>

#include "applications/reservoir/flow_state.hpp"
#include "applications/reservoir/pressure_system.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_newton = 12, many_newton = 6;
constexpr double longest_change = 0.2;  // of a saturation in one iteration
constexpr std::size_t most_krylov = 200;
constexpr double krylov_tolerance = 1e-5;

/// Derivatives of the two balances of a cell or between two cells: of all liquid and of water, by
/// pressure and saturation.
struct Block {
  double all_p = 0, all_s = 0, water_p = 0, water_s = 0;
};

/// Both unknowns at once: for every cell the balance of all liquid and that of water, Newton's
/// method, fluids from where their own potential is higher. Linear systems by BiCGSTAB; the
/// preconditioner has two stages (CPR): the pressures, with the symmetric part of the balance of
/// all liquid; then both unknowns of every cell by a sweep from high to low pressure, the way that
/// fluids go.
class Implicit final : public ReservoirStepper {
 public:
  Implicit(const FlowState& state, const ReservoirSchedule& schedule)
      : tolerance_(schedule.tolerance),
        system_(state.grid, state.columns),
        n_(state.grid.size()),
        order_(n_),
        diagonal_(n_),
        to_b_(state.grid.faces.size()),
        to_a_(to_b_.size()),
        residual_(2 * n_),
        around_(n_) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = 0; i < to_b_.size(); ++i) {
      around_[state.grid.faces[i].a].push_back(i);
      around_[state.grid.faces[i].b].push_back(i);
    }
  }

  ReservoirStep step(FlowState& state, double dt) override {
    ReservoirStep result;
    const std::vector<double> p = state.p, s = state.s;
    const auto [least, most] = std::ranges::minmax(s);
    // Pores that yield make room around water that cannot move: its share falls below the connate.
    const bool yields = state.grid.compressibility > 0;
    low_ = yields ? 0 : std::min(state.curves.lowest(), least);
    high_ = yields ? 1 : std::max(state.curves.highest(), most);
    for (std::size_t w = 0; w < state.wells.size(); ++w) {
      state.wells[w].fill(state.columns[w], state.curves, s);
    }
    bool solved = false;
    while (result.inner < most_newton) {
      const double left = linearise(state, p, s, dt);
      if (!std::isfinite(left)) break;
      if (result.inner > 0 && left <= tolerance_) {
        solved = true;
        break;
      }
      ++result.inner;
      if (!improve(state)) break;
    }
    if (!solved) {
      state.p = p;
      state.s = s;
      result.status = Status::stalled;
      return result;
    }
    for (std::size_t c = 0; c < n_; ++c) {
      result.change = std::max(result.change, std::abs(state.s[c] - s[c]));
    }
    for (std::size_t w = 0; w < state.wells.size(); ++w) {
      const WellRates r = rates_of(state.columns[w], state.wells[w], state.curves, state.s);
      state.account(state.columns[w], r.water, r.water + r.oil, dt);
    }
    result.hard = result.inner > many_newton;
    return result;
  }

 private:
  /// Residuals and derivatives; the largest residual as a share of a cell's pores.
  double linearise(FlowState& state, const std::vector<double>& p, const std::vector<double>& s,
                   double dt) {
    const ReservoirGrid& grid = state.grid;
    system_.clear();
    for (std::size_t c = 0; c < n_; ++c) {
      const double now = grid.pores(c, state.p[c]), before = grid.pores(c, p[c]);
      const double yield = grid.volume[c] * grid.compressibility / dt;
      residual_[c] = (now - before) / dt;
      residual_[n_ + c] = (now * state.s[c] - before * s[c]) / dt;
      diagonal_[c] = {yield, 0, yield * state.s[c], now / dt};
      system_.add_diagonal(c, yield);
    }
    for (std::size_t i = 0; i < to_b_.size(); ++i) add_face(state, i);
    for (std::size_t w = 0; w < state.wells.size(); ++w) {
      WellFlow& flow = state.wells[w];
      flow.evaluate(state.columns[w], state.curves, state.p, state.s);
    }
    if (!state.is_anchored()) {
      for (std::size_t w = 0; w < state.wells.size(); ++w) {
        if (state.columns[w].control != WellControl::pressure) continue;
        std::ranges::fill(state.wells[w].open, char{1});
        state.wells[w].weigh(state.columns[w], state.curves, state.s);
        state.wells[w].settle(state.columns[w], state.p);
      }
    }
    for (std::size_t w = 0; w < state.wells.size(); ++w) add_well(state, w);
    double largest = 0;
    for (std::size_t c = 0; c < n_; ++c) {
      const double share = dt / grid.volume[c];
      const double left = share * std::max(std::abs(residual_[c]), std::abs(residual_[n_ + c]));
      if (!(left <= largest)) largest = left;
    }
    return largest;
  }

  void add_face(const FlowState& state, std::size_t i) {
    const FlowFace& f = state.grid.faces[i];
    const FlowCurves& curves = state.curves;
    const double dp = state.p[f.a] - state.p[f.b], t = f.transmissibility;
    const double dc = curves.capillary(state.s[f.a]) - curves.capillary(state.s[f.b]);
    const double water_drop = dp - dc + curves.water_weight() * f.drop;
    const double oil_drop = dp + curves.oil_weight() * f.drop;
    const bool water_a = water_drop >= 0, oil_a = oil_drop >= 0;
    const Mobility w = curves.at(state.s[water_a ? f.a : f.b]);
    const Mobility o = curves.at(state.s[oil_a ? f.a : f.b]);
    const double water = t * w.water * water_drop, oil = t * o.oil * oil_drop;
    residual_[f.a] += water + oil;
    residual_[f.b] -= water + oil;
    residual_[n_ + f.a] += water;
    residual_[n_ + f.b] -= water;
    // By the saturations of a and b.
    double water_sa = -t * w.water * curves.d_capillary(state.s[f.a]);
    double water_sb = t * w.water * curves.d_capillary(state.s[f.b]);
    (water_a ? water_sa : water_sb) += t * w.d_water * water_drop;
    double all_sa = water_sa, all_sb = water_sb;
    (oil_a ? all_sa : all_sb) += t * o.d_oil * oil_drop;
    const double water_p = t * w.water, all_p = t * (w.water + o.oil);
    const auto add = [](Block& b, const Block& d) {
      b.all_p += d.all_p;
      b.all_s += d.all_s;
      b.water_p += d.water_p;
      b.water_s += d.water_s;
    };
    add(diagonal_[f.a], {all_p, all_sa, water_p, water_sa});
    add(diagonal_[f.b], {all_p, -all_sb, water_p, -water_sb});
    to_b_[i] = {-all_p, all_sb, -water_p, water_sb};    // row a, column b
    to_a_[i] = {-all_p, -all_sa, -water_p, -water_sa};  // row b, column a
    system_.add_face(i, all_p);
  }

  /// The rates of a well; the coupling of its cells through its pressure is kept for products.
  void add_well(const FlowState& state, std::size_t w) {
    const WellColumn& column = state.columns[w];
    const WellFlow& flow = state.wells[w];
    for (std::size_t k = 0; k < flow.rate.size(); ++k) {
      if (flow.open[k] == 0) continue;
      const std::size_t c = column.perforations[k].cell;
      const Mobility m = state.curves.at(state.s[c]);
      const double share = column.kind == WellKind::injector ? 1 : m.fraction();
      const double d_share = column.kind == WellKind::injector ? 0 : m.d_fraction();
      residual_[c] += flow.rate[k];
      residual_[n_ + c] += share * flow.rate[k];
      const double by_weight = flow.d_weight[k] * flow.rate[k] / flow.weight[k];
      diagonal_[c].all_p += flow.weight[k];
      diagonal_[c].all_s += by_weight;
      diagonal_[c].water_p += share * flow.weight[k];
      diagonal_[c].water_s += share * by_weight + d_share * flow.rate[k];
    }
    system_.add_well(w, flow);
  }

  /// y = J x; x and y hold pressures (balances of all liquid) first.
  void multiply(const FlowState& state, std::span<const double> x, std::span<double> y) const {
    for (std::size_t c = 0; c < n_; ++c) {
      const Block& d = diagonal_[c];
      y[c] = d.all_p * x[c] + d.all_s * x[n_ + c];
      y[n_ + c] = d.water_p * x[c] + d.water_s * x[n_ + c];
    }
    for (std::size_t i = 0; i < to_b_.size(); ++i) {
      const FlowFace& f = state.grid.faces[i];
      y[f.a] += to_b_[i].all_p * x[f.b] + to_b_[i].all_s * x[n_ + f.b];
      y[n_ + f.a] += to_b_[i].water_p * x[f.b] + to_b_[i].water_s * x[n_ + f.b];
      y[f.b] += to_a_[i].all_p * x[f.a] + to_a_[i].all_s * x[n_ + f.a];
      y[n_ + f.b] += to_a_[i].water_p * x[f.a] + to_a_[i].water_s * x[n_ + f.a];
    }
    for (std::size_t w = 0; w < state.wells.size(); ++w) {
      const WellColumn& column = state.columns[w];
      const WellFlow& flow = state.wells[w];
      if (column.control != WellControl::rate) continue;
      // The pressure in the well follows those of its cells.
      double change = 0;
      for (std::size_t k = 0; k < flow.rate.size(); ++k) {
        if (flow.open[k] == 0) continue;
        const std::size_t c = column.perforations[k].cell;
        change +=
            flow.weight[k] * x[c] + flow.d_weight[k] * flow.rate[k] / flow.weight[k] * x[n_ + c];
      }
      change /= flow.open_weight;
      for (std::size_t k = 0; k < flow.rate.size(); ++k) {
        if (flow.open[k] == 0) continue;
        const std::size_t c = column.perforations[k].cell;
        const double share =
            column.kind == WellKind::injector ? 1 : state.curves.at(state.s[c]).fraction();
        y[c] -= flow.weight[k] * change;
        y[n_ + c] -= share * flow.weight[k] * change;
      }
    }
  }

  /// Pressures first, then both unknowns of every cell for what is left, from high to low pressure.
  void precondition(const FlowState& state, std::span<const double> r, std::span<double> z) {
    r_p_.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(n_));
    if (!system_.solve(r_p_, z_p_)) z_p_.assign(n_, 0.0);
    std::ranges::copy(z_p_, z.begin());
    for (std::size_t c = 0; c < n_; ++c) z[n_ + c] = 0;
    for (const std::size_t c : order_) {
      const Block& d = diagonal_[c];
      double all = r[c] - d.all_p * z[c];
      double water = r[n_ + c] - d.water_p * z[c];
      for (const std::size_t i : around_[c]) {
        const FlowFace& f = state.grid.faces[i];
        const bool is_a = f.a == c;
        const Block& b = is_a ? to_b_[i] : to_a_[i];
        const std::size_t other = is_a ? f.b : f.a;
        all -= b.all_p * z[other] + b.all_s * z[n_ + other];
        water -= b.water_p * z[other] + b.water_s * z[n_ + other];
      }
      const double det = d.all_p * d.water_s - d.all_s * d.water_p;
      z[c] += (d.water_s * all - d.all_s * water) / det;
      z[n_ + c] = (d.all_p * water - d.water_p * all) / det;
    }
  }

  /// One step of Newton's method, with changes of saturation cut.
  bool improve(FlowState& state) {
    if (!system_.prepare()) return false;
    std::ranges::stable_sort(order_,
                             [&](std::size_t a, std::size_t b) { return state.p[a] > state.p[b]; });
    std::vector<double> b(2 * n_), x(2 * n_, 0.0);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = -residual_[i];
    const IterationResult r = bicgstab(
        [&](std::span<const double> in, std::span<double> out) { multiply(state, in, out); },
        [&](std::span<const double> in, std::span<double> out) { precondition(state, in, out); }, b,
        x, {.tolerance = krylov_tolerance, .max_iterations = most_krylov});
    if (!r.converged()) return false;
    for (std::size_t c = 0; c < n_; ++c) {
      state.p[c] += x[c];
      const double change = std::clamp(x[n_ + c], -longest_change, longest_change);
      state.s[c] = std::clamp(state.s[c] + change, low_, high_);
    }
    return true;
  }

  double tolerance_, low_ = 0, high_ = 1;
  PressureSystem system_;
  std::size_t n_;
  std::vector<std::size_t> order_;  // cells from high to low pressure
  std::vector<Block> diagonal_, to_b_, to_a_;
  std::vector<double> residual_, r_p_, z_p_;
  std::vector<std::vector<std::size_t>> around_;  // faces of every cell
};

}  // namespace

std::unique_ptr<ReservoirStepper> make_implicit(const FlowState& state,
                                                const ReservoirSchedule& schedule) {
  return std::make_unique<Implicit>(state, schedule);
}

}  // namespace cauchy::detail
