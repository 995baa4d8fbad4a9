#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <cauchy/applications/reservoir.hpp>

#include "applications/reservoir/flow_curves.hpp"

namespace cauchy::detail {

/// Between two neighbours; what flows from a to b is positive.
struct FlowFace {
  std::size_t a = 0, b = 0;
  double transmissibility = 0;  ///< m3/day cP/bar, harmonic mean of the permeabilities
  double drop = 0;              ///< depth of b below a, m
};

/// A model in the form that both schemes need: every number of every cell.
struct ReservoirGrid {
  /// The model must have been checked.
  explicit ReservoirGrid(const ReservoirModel& model);
  [[nodiscard]] std::size_t size() const noexcept { return volume.size(); }
  /// Pores of a cell at a pressure, m3.
  [[nodiscard]] double pores(std::size_t cell, double p) const {
    return volume[cell] * (1 + compressibility * (p - pressure[cell]));
  }

  std::vector<FlowFace> faces;
  std::vector<double> volume;  ///< of the pores at the beginning, m3
  double total_volume = 0;
  double compressibility = 0;
  std::vector<double> pressure;    ///< at the beginning
  std::vector<double> saturation;  ///< at the beginning
};

/// Multipliers of what flows from a column of cells to the next one along x and along y, [axis][i
/// ny
/// + j].
[[nodiscard]] std::array<std::vector<double>, 2> fault_multipliers(const ReservoirModel& model);

/// One number for every cell, where one for all of them may be given.
[[nodiscard]] std::vector<double> of_every_cell(const std::vector<double>& given, std::size_t n);

/// A cell that a well is open to.
struct Perforation {
  std::size_t cell = 0;
  double index = 0;  ///< m3/day cP/bar
  double depth = 0;  ///< below the uppermost one, m
};

struct WellColumn {
  WellKind kind = WellKind::injector;
  WellControl control = WellControl::rate;
  double target = 0;
  std::vector<Perforation> perforations;
};
/// The wells of a checked model, with Peaceman's indices 2 pi sqrt(k_x k_y) h / (ln(r / radius) +
/// skin).
[[nodiscard]] std::vector<WellColumn> well_columns(const ReservoirModel& model);

/// What a well does in a state. Rates are linear in the pressures while the open cells stay the
/// same: rate_p = weight_p (p - head_p - pressure).
struct WellFlow {
  double pressure = 0;  ///< in the well
  double density = 0;   ///< bar/m of the liquid in it
  std::vector<char> open;
  std::vector<double> weight, d_weight;  ///< index * total mobility of the cell; by saturation
  std::vector<double> rate;              ///< m3/day out of the cell
  double open_weight = 0;                ///< sum of weights that are open

  /// Pressures and rates of a state, and which cells are shut; the density of the liquid stays.
  void evaluate(const WellColumn& well, const FlowCurves& curves, const std::vector<double>& p,
                const std::vector<double>& s);
  /// Pressure and rates with the weights and the open cells that there are.
  void settle(const WellColumn& well, const std::vector<double>& p);
  /// Weights alone, with the cells that are open now.
  void weigh(const WellColumn& well, const FlowCurves& curves, const std::vector<double>& s);
  /// The liquid in the well, from what its cells give.
  void fill(const WellColumn& well, const FlowCurves& curves, const std::vector<double>& s);
};
[[nodiscard]] WellRates rates_of(const WellColumn& well, const WellFlow& flow,
                                 const FlowCurves& curves, const std::vector<double>& s);

}  // namespace cauchy::detail
