#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/progress.hpp>
#include <cauchy/base/status.hpp>

namespace cauchy {

class OptionVisitor;

// Flow of water and oil through a porous rock, by finite volumes on boxes of equal size.
//   phi dS/dt + div F_w = q_w,  -phi dS/dt + div F_o = q_o,
//   F_a = -K k_ra(S) / mu_a (grad p_a - rho_a g grad z),  p_o - p_w = p_c(S),  z the depth
// Units: m, day, m3, bar, mD, cP, kg/m3. S is the saturation of water, p that of oil. Nothing flows
// through the sides. Cell (i, j, k) along x, y and depth has the number (k nx + i) ny + j: a layer
// is a field over x and y, row-major. Counted from 0.

/// Relative permeabilities by powers of the saturation that can move (Corey),
///   s = (S - connate_water) / (1 - connate_water - residual_oil), kept in [0, 1]:
///   k_rw = water_end s^water_exponent,  k_ro = oil_end (1 - s)^oil_exponent
struct CoreyCurves {
  double connate_water = 0.2, residual_oil = 0.2;
  double water_end = 0.4, oil_end = 0.9;
  double water_exponent = 2, oil_exponent = 2;  ///< 1 or more
};
void visit_options(CoreyCurves& curves, OptionVisitor& visitor);

struct ReservoirFluids {
  CoreyCurves curves = {};
  double water_viscosity = 0.5, oil_viscosity = 2;  ///< cP
  double water_density = 1000, oil_density = 850;   ///< kg/m3
  bool gravity = false;
  /// Capillary pressure of Brooks and Corey, entry_pressure s^(-1 / pore_index) in bar, straight
  /// on below s = 0.05; 0: none.
  double entry_pressure = 0, pore_index = 2;
};
void visit_options(ReservoirFluids& fluids, OptionVisitor& visitor);

enum class WellKind : std::uint8_t { injector, producer };
enum class WellControl : std::uint8_t { rate, pressure };

/// A vertical well through the layers first_layer to last_layer of a column of cells (Peaceman).
///   injector   of water; a rate is positive
///   rate       m3/day of liquid in the rock over all its layers; they share one pressure, with the
///              weight of the liquid in the well between them
///   pressure   bar, at the centre of its uppermost cell
/// A cell from which a producer would inject, or into which an injector would not, is shut.
struct ReservoirWell {
  std::string name = {};
  WellKind kind = WellKind::injector;
  WellControl control = WellControl::rate;
  double target = 0;
  int i = 0, j = 0;
  int first_layer = 0, last_layer = -1;  ///< -1: the lowest
  double radius = 0.1, skin = 0;         ///< radius in m
};
void visit_options(ReservoirWell& well, OptionVisitor& visitor);

enum class FaultAxis : std::uint8_t { x, y };

/// A vertical fault through all layers, between two rows of cells: what flows across it is
/// multiplied.
///   across      the axis that it is perpendicular to
///   at          between cells `at` and `at` + 1 along that axis
///   from, to    cells along the other axis, both included; -1: the last one
///   multiplier  of the transmissibility; 0: sealed
struct ReservoirFault {
  std::string name = {};
  FaultAxis across = FaultAxis::x;
  int at = 0, from = 0, to = -1;
  double multiplier = 0.1;
};
void visit_options(ReservoirFault& fault, OptionVisitor& visitor);

/// Rock, fluids, wells and the state at the beginning.
struct ReservoirModel {
  std::array<int, 3> cells = {40, 40, 1};
  std::array<double, 3> cell_size = {20, 20, 5};  ///< m
  std::vector<double> permeability_x = {};        ///< mD, of every cell, or one number for all
  std::vector<double> permeability_y = {};        ///< empty: as along x
  std::vector<double> permeability_z = {};        ///< empty: as along x
  std::vector<double> porosity = {0.2};           ///< of every cell, or one number
  /// Of the pores, 1/bar: their volume is V (1 + compressibility (p - p at the beginning)). The
  /// fluids have none.
  double compressibility = 0;
  ReservoirFluids fluids = {};
  std::vector<ReservoirWell> wells = {};
  std::vector<ReservoirFault> faults = {};  ///< where some meet, their multipliers do too
  std::vector<double> pressure = {200};     ///< at the beginning, of every cell, or one number
  std::vector<double> saturation = {0.2};   ///< likewise

  [[nodiscard]] std::size_t n_cells() const noexcept;
};

///   impes     pressure implicit, saturation explicit: steps of pressure, each with as many steps
///             of saturation as its stability asks for
///   implicit  both at once by Newton's method; steps are repeated with half the length where it
///             fails
enum class ReservoirScheme : std::uint8_t { impes, implicit };

struct ReservoirSchedule {
  std::vector<double> times = {};  ///< of the reports, days, ascending
  ReservoirScheme scheme = ReservoirScheme::impes;
  double max_step = 60;      ///< days, of pressure
  double max_change = 0.1;   ///< of a saturation in a step; the length of steps follows it
  double cfl = 0.9;          ///< share of the longest stable step of saturation
  double tolerance = 1e-10;  ///< of Newton's method: volume that is left of a cell's pores
};
/// Without `times`.
void visit_options(ReservoirSchedule& schedule, OptionVisitor& visitor);

struct WellRates {
  double pressure = 0;        ///< in the well, bar, at the centre of its uppermost cell
  double water = 0, oil = 0;  ///< m3/day out of the rock; an injector has negative ones
  [[nodiscard]] double water_cut() const noexcept {
    return water + oil > 0 ? water / (water + oil) : 0;
  }
};

struct ReservoirReport {
  double time = 0;
  std::vector<double> pressure, saturation;  ///< of every cell
  std::vector<WellRates> wells;
  double injected = 0, produced_water = 0, produced_oil = 0;  ///< m3 since the beginning
  /// Volume of water or oil (the larger one) that is in the rock without having come, or gone
  /// without having left, as a share of the pores.
  double balance = 0;
};

///   status   converged; interrupted; step_underflow: Newton's method fails for any step; singular;
///            not_finite. Reports are those up to there.
struct ReservoirRun {
  Status status = Status::converged;
  std::vector<ReservoirReport> reports = {};
  std::size_t steps = 0;     ///< of pressure, or of both
  std::size_t inner = 0;     ///< steps of saturation, or iterations of Newton's method
  std::size_t repeated = 0;  ///< steps that were taken again with half the length
};

/// Throws Error with the place for a model that makes no sense: sizes, negative permeability,
/// saturations outside of [0, 1], end points that leave nothing to move, a well outside of the
/// grid, rates alone in rock that cannot yield.
void check(const ReservoirModel& model);
void check(const ReservoirSchedule& schedule);

/// Simulates a model. One thread.
///   progress  asked for a wish to stop alone; may be null
///   error     as check()
[[nodiscard]] ReservoirRun simulate(const ReservoirModel& model, const ReservoirSchedule& schedule,
                                    const Progress* progress = nullptr);

/// What the wells give in a state: of a simulator or of a network.
///   error    as check(), and for fields of another length
[[nodiscard]] std::vector<WellRates> well_rates(const ReservoirModel& model,
                                                std::span<const double> pressure,
                                                std::span<const double> saturation);

/// What both fluids together flow through the faces of cells in a state, m3/day, positive towards
/// larger numbers: of each cell through its upper face along x, y and depth, [axis][cell]; 0 where
/// it has no neighbour.
///   error    as well_rates
[[nodiscard]] std::array<std::vector<double>, 3> face_fluxes(const ReservoirModel& model,
                                                             std::span<const double> pressure,
                                                             std::span<const double> saturation);

/// The distance from a well at which the pressure is that of its cell (Peaceman 1983),
///   e^-gamma / 2 sqrt(sqrt(k_y / k_x) dx^2 + sqrt(k_x / k_y) dy^2) /
///                ((k_y / k_x)^(1/4) + (k_x / k_y)^(1/4)); often 0.28 for the first factor
[[nodiscard]] double peaceman_radius(double k_x, double k_y, double dx, double dy);

/// mD m bar / cP as m3/day.
inline constexpr double darcy_unit = 9.869232667160130e-16 * 1e5 * 86'400 / 1e-3;
/// kg/m3 m as bar.
inline constexpr double gravity_unit = 9.80665e-5;

}  // namespace cauchy
