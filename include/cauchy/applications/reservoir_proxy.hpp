#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/operators/trained_operator.hpp>

namespace cauchy {

/// Outputs of a reservoir from its inputs, as ReservoirSource has them; several samples stand one
/// after the other.
using ReservoirProxy = std::function<std::vector<double>(std::span<const double> inputs)>;

/// A learnt operator as a proxy.
///   error    throws Error when it was learnt from other channels
[[nodiscard]] ReservoirProxy proxy_of(const ReservoirSource& source,
                                      std::shared_ptr<const TrainedOperator> model,
                                      int threads = 0);
/// The simulator in the place of a proxy: what a proxy is compared with.
[[nodiscard]] ReservoirProxy simulator_proxy(const ReservoirSource& source);

/// Oil that has left the pores by the last report, m3: the water that has come in its place.
///   outputs  of one sample
[[nodiscard]] double recovered_oil(const ReservoirSource& source, const ReservoirModel& model,
                                   std::span<const double> outputs);

// --- where wells should stand ---

struct PlacementSearch {
  std::size_t candidates = 200;  ///< drawn at random
  std::size_t rounds = 3;        ///< of moves of every well by one cell, from the best candidate
  std::size_t checked = 3;       ///< of the best ones, by the simulator
  std::uint64_t seed = 1;
};
struct PlacedWells {
  std::vector<ReservoirWell> wells;
  double by_proxy = 0, by_simulator = 0;  ///< recovered oil, m3
};
/// Moves the wells of a model within the placement of the source, so that most oil is recovered:
/// candidates by the proxy, the best of them by the simulator. The best one first, as the simulator
/// sees it; the last entry is the model as it was.
///   error    throws Error when the wells of the source do not move
[[nodiscard]] std::vector<PlacedWells> place_wells(const ReservoirSource& source,
                                                   const ReservoirProxy& proxy,
                                                   const ReservoirModel& model,
                                                   const PlacementSearch& search = {});

// --- what rock the wells have seen ---

struct HistorySearch {
  std::size_t iterations = 20;
  double prior = 0.05;  ///< weight of |ln multiplier|^2 against the misfit
  double step = 0.05;   ///< of ln multiplier, for differences
};
/// Multipliers of the permeability that were found.
///   misfit   mean square of what curves are off, each in units of the range of its quantity
struct MatchedHistory {
  std::vector<double> multipliers;
  double first_misfit = 0, misfit = 0;  ///< by the proxy, with multipliers 1 and with those found
  double checked_misfit = 0;            ///< by the simulator, with those found
  std::size_t calls = 0;                ///< samples that the proxy was asked for
};
/// Fits multipliers of the permeability of regions to the curves of wells, by the method of
/// Levenberg and Marquardt through the proxy; the answer is checked by the simulator.
///   regions   of every cell, 0, 1, ...; the largest number decides how many there are
///   observed  as ReservoirSource::curves gives them
///   error     throws Error for other numbers of cells or curves
[[nodiscard]] MatchedHistory match_history(const ReservoirSource& source,
                                           const ReservoirProxy& proxy, const ReservoirModel& model,
                                           const std::vector<int>& regions,
                                           const std::vector<SampleCurve>& observed,
                                           const HistorySearch& search = {});

}  // namespace cauchy
