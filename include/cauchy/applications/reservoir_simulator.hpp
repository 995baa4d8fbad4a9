#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/applications/reservoir.hpp>
#include <cauchy/data/sample_source.hpp>

namespace cauchy {

/// A kind of rock.
struct Lithofacies {
  double permeability = 500;  ///< mD, along x and y
  double porosity = 0.25;
};
void visit_options(Lithofacies& facies, OptionVisitor& visitor);

/// Random reservoirs of two kinds of rock, and water that pushes oil out of them.
///   facies   sand where a random function over the box, each side of length 1, lies in its upper
///            `share`; shale elsewhere
///   within   log k has the deviation `spread` around that of its facies, the porosity
///            `porosity_spread` of its own, at most three times that
struct ReservoirSimulator {
  std::array<int, 3> cells = {40, 40, 3};
  std::array<double, 3> cell_size = {20, 20, 5};  ///< m
  /// As make_random_field reads it, over x, y and depth (of one layer: x and y).
  std::string field = "gaussian(length = [0.3, 0.12, 0.8])";
  double share = 0.5;  ///< of the sand
  Lithofacies sand = {500, 0.25}, shale = {50, 0.15};
  double spread = 0.25, porosity_spread = 0.05;
  double vertical = 0.1;  ///< permeability along the depth over that along x
  int placement = 0;      ///< cells by which every well is moved at random along x and y
  double compressibility = 0;
  double pressure = 200, saturation = 0.2;  ///< at the beginning
  ReservoirFluids fluids = {};
  /// Empty: four injectors with a rate and four producers with a pressure, see five_spot_wells().
  std::vector<ReservoirWell> wells = {};
  std::vector<ReservoirFault> faults = {};
  double fault_spread = 0;  ///< deviation of ln multiplier, drawn for every fault and sample
  double days = 2340;
  int reports = 13;  ///< equally spaced, the last one at the end
  ReservoirSchedule schedule = {};
  /// Outputs hold the flux of both fluids between cells as well.
  bool fluxes = false;
};
void visit_options(ReservoirSimulator& simulator, OptionVisitor& visitor);

/// Four injectors I1 ... I4 towards the corners, four producers P1 ... P4 between them.
[[nodiscard]] std::vector<ReservoirWell> five_spot_wells(const std::array<int, 3>& cells,
                                                         double rate = 120, double pressure = 150);

/// Samples of a reservoir. Inputs over x and y are k1, k2, ... (log10 of the permeability of the
/// layers from above, mD), phi1, ... (porosity), where wells move `wells` (1 at injectors, -1 at
/// producers), and where the multipliers of faults vary `mx` and `my` (log10 of the multiplier
/// between a column of cells and the next one); outputs are p1, ... (bar) and s1, ... at the times
/// of the reports, and behind them all, where they are asked for, fx1, ..., fy1, ..., fz1, ...
/// (face_fluxes; of the lowest layer no fz). Nodes are the centres of the cells.
class ReservoirSource final : public SampleSource {
 public:
  ///   error    throws Error for a simulator that makes no sense, with the key that it is about
  explicit ReservoirSource(ReservoirSimulator simulator);
  ~ReservoirSource() override;

  [[nodiscard]] std::string_view kind() const noexcept override { return "reservoir"; }
  [[nodiscard]] std::string identity() const override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] FieldGrid grid() const override;
  [[nodiscard]] std::vector<std::string> inputs() const override;
  [[nodiscard]] std::vector<std::string> outputs() const override;
  [[nodiscard]] std::vector<double> times() const override { return simulator_.schedule.times; }
  [[nodiscard]] Sample make(std::uint64_t seed, std::uint64_t number,
                            const Progress* progress) const override;
  /// Maps that carry every well into one that is the same but for its name, and equal sides of
  /// cells into each other where they exchange axes: rock is as conductive along y as along x.
  [[nodiscard]] bool is_symmetric(const std::vector<std::size_t>& axis,
                                  const std::vector<bool>& flipped) const override;
  /// Fluxes are vectors: they change their sign, their axis and the cell that they are kept with.
  [[nodiscard]] std::vector<std::int32_t> carried_outputs(
      const std::vector<std::size_t>& axis, const std::vector<bool>& flipped) const override;
  [[nodiscard]] bool has_equations() const noexcept override { return true; }
  [[nodiscard]] std::vector<double> draw(std::uint64_t seed, std::uint64_t number) const override;
  /// The balances of the cells, with the fluxes and the wells of the simulator at its reports:
  ///   flux        where fluxes are outputs: they less those of the pressures, as drops of
  ///               pressure, bar; everything else then is of the outputs
  ///   total flow  div F + rates = 0 (and what pores yield), m3/day
  ///   water       V phi (S - S at the beginning) + the integral of div F_w + rates of water = 0,
  ///               m3, by a quadrature between the reports that looks more at the later one where
  ///               pores are filled several times; pressures begin as they are at the first one
  ///   error       throws Error (unsupported) for wells that move, faults that vary, and sealed
  ///               faults beside fluxes
  [[nodiscard]] std::vector<SampleResidual> add_residuals(TensorGraph& graph, int in,
                                                          int out) const override;
  /// Pressures of the injectors, then oil, water and water cut of the producers.
  [[nodiscard]] std::vector<SampleCurve> curves(std::span<const double> in,
                                                std::span<const double> out) const override;

  /// The model of a sample, and the one that inputs stand for.
  [[nodiscard]] ReservoirModel model(std::uint64_t seed, std::uint64_t number) const;
  [[nodiscard]] ReservoirModel model_of(std::span<const double> in) const;
  /// The outputs of a run of all reports.
  [[nodiscard]] std::vector<double> outputs_of(const ReservoirModel& model,
                                               const ReservoirRun& run) const;
  /// The inputs of a model.
  [[nodiscard]] std::vector<double> inputs_of(const ReservoirModel& model) const;
  [[nodiscard]] const ReservoirSimulator& simulator() const noexcept { return simulator_; }

 private:
  [[nodiscard]] ReservoirModel base() const;
  [[nodiscard]] bool has_random_faults() const noexcept {
    return simulator_.fault_spread > 0 && !simulator_.faults.empty();
  }

  ReservoirSimulator simulator_;
  struct Fields;
  std::unique_ptr<const Fields> fields_;
};

}  // namespace cauchy
