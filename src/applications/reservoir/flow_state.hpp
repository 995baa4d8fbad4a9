#pragma once

#include <memory>
#include <vector>

#include <cauchy/applications/reservoir.hpp>

#include "applications/reservoir/flow_grid.hpp"

namespace cauchy::detail {

/// What both schemes work on: a model, its state, and what has flown through the wells.
struct FlowState {
  explicit FlowState(const ReservoirModel& model);
  /// The pressures and rates of the wells in the present state.
  [[nodiscard]] std::vector<WellRates> rates() const;
  [[nodiscard]] ReservoirReport report(double time) const;
  /// Counts what has flown out of the rock for `dt` days: water, and all liquid, m3/day.
  void account(const WellColumn& well, double water, double all, double dt);
  /// Whether any well with a given pressure is open to the rock.
  [[nodiscard]] bool is_anchored() const;

  ReservoirGrid grid;
  FlowCurves curves;
  std::vector<WellColumn> columns;
  std::vector<WellFlow> wells;
  std::vector<double> p, s;
  double injected = 0, produced_water = 0, produced_oil = 0;
  double water_at_start = 0;
};

/// Where the fluids of a face come from.
struct UpwindSides {
  bool water_from_a = true, oil_from_a = true;
};
/// For a total flux u and the difference g of the driving forces of water and oil times the
/// transmissibility: F_w = w (u + o g) / (w + o), F_o = o (u - w g) / (w + o) (Brenier, Jaffre).
[[nodiscard]] inline UpwindSides upwind_of(double u, double g, const Mobility& a,
                                           const Mobility& b) {
  if (g >= 0) {
    if (u >= 0) return {true, u - a.water * g >= 0};
    return {u + b.oil * g >= 0, false};
  }
  if (u >= 0) return {u + a.oil * g >= 0, true};
  return {false, u - b.water * g >= 0};
}

/// One step of a scheme; what it says about the length of the next one.
struct ReservoirStep {
  Status status = Status::converged;
  double change = 0;      ///< largest change of a saturation
  std::size_t inner = 0;  ///< steps or iterations inside
  bool hard = false;      ///< it took many iterations
};

/// A scheme of time.
class ReservoirStepper {
 public:
  virtual ~ReservoirStepper() = default;
  /// From the state now to `dt` days later. A step that fails leaves the state as it was.
  virtual ReservoirStep step(FlowState& state, double dt) = 0;
};
[[nodiscard]] std::unique_ptr<ReservoirStepper> make_impes(const FlowState& state,
                                                           const ReservoirSchedule& schedule);
[[nodiscard]] std::unique_ptr<ReservoirStepper> make_implicit(const FlowState& state,
                                                              const ReservoirSchedule& schedule);

}  // namespace cauchy::detail
