#include <cauchy/applications/reservoir_proxy.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/io_support.hpp"

namespace cauchy::test_reservoir_proxy {
namespace {

/// One layer, two wells that may move, simulated in a few milliseconds.
ReservoirSimulator tiny(int placement) {
  ReservoirSimulator s;
  s.cells = {9, 9, 1};
  s.field = "gaussian(length = 0.3)";
  s.wells = {{.name = "I", .target = 15, .i = 2, .j = 2},
             {.name = "P",
              .kind = WellKind::producer,
              .control = WellControl::pressure,
              .target = 150,
              .i = 6,
              .j = 6}};
  s.placement = placement;
  s.days = 900;
  s.reports = 4;
  return s;
}

TEST(ReservoirProxy, RecoveredOilIsWhatTheProducersGave) {
  const ReservoirSource source(tiny(0));
  const ReservoirModel m = source.model(1, 0);
  const ReservoirRun run = simulate(m, source.simulator().schedule);
  const std::vector<double> out = simulator_proxy(source)(source.inputs_of(m));
  // Inputs hold the logarithm of the permeability: rounding, 1e-15, and what it does in 4 reports.
  EXPECT_NEAR(recovered_oil(source, m, out), run.reports.back().produced_oil,
              1e-9 * run.reports.back().produced_oil);
  EXPECT_NE(error_of([&] { (void)recovered_oil(source, m, {}); }), "no error");
}

TEST(ReservoirProxy, WellsMoveToWhereTheSimulatorFindsMoreOil) {
  const ReservoirSource source(tiny(1));
  const ReservoirModel m = source.model(4, 0);
  std::size_t asked = 0;
  const ReservoirProxy exact = simulator_proxy(source);
  const ReservoirProxy counting = [&](std::span<const double> in) {
    asked += in.size() / (3 * 81);
    return exact(in);
  };
  const std::vector<PlacedWells> placed =
      place_wells(source, counting, m, {.candidates = 12, .rounds = 2, .checked = 2});
  ASSERT_EQ(placed.size(), 3u);
  EXPECT_GE(asked, 12u + 8u);
  // The proxy is the simulator: both see the same, and the best is better than what there was.
  for (const PlacedWells& p : placed) {
    EXPECT_NEAR(p.by_proxy, p.by_simulator, 1e-6 * p.by_simulator);
    for (std::size_t w = 0; w < 2; ++w) {
      EXPECT_LE(std::abs(p.wells[w].i - source.simulator().wells[w].i), 1);
      EXPECT_LE(std::abs(p.wells[w].j - source.simulator().wells[w].j), 1);
    }
  }
  EXPECT_GE(placed[0].by_simulator, placed[1].by_simulator);
  EXPECT_GT(placed[0].by_simulator, placed[2].by_simulator);
  const ReservoirSource fixed(tiny(0));
  EXPECT_NE(error_of([&] { (void)place_wells(fixed, counting, m); }).find("do not move"),
            std::string::npos);
}

TEST(ReservoirProxy, MultipliersOfThePermeabilityAreFoundFromTheCurvesOfWells) {
  const ReservoirSource source(tiny(0));
  const ReservoirModel m = source.model(2, 1);
  std::vector<int> regions;  // the half with the injector, and that with the producer
  for (int c = 0; c < 81; ++c) regions.push_back(c / 9 < 4 ? 0 : 1);
  ReservoirModel truth = m;
  for (std::size_t c = 0; c < 81; ++c) truth.permeability_x[c] *= regions[c] == 0 ? 2 : 0.5;
  truth.permeability_z = truth.permeability_x;
  for (double& k : truth.permeability_z) k *= source.simulator().vertical;
  const std::vector<double> in = source.inputs_of(truth);
  const ReservoirProxy exact = simulator_proxy(source);
  const std::vector<SampleCurve> observed = source.curves(in, exact(in));
  const MatchedHistory found =
      match_history(source, exact, m, regions, observed, {.prior = 1e-4, .step = 0.01});
  ASSERT_EQ(found.multipliers.size(), 2u);
  // The differences of 1 % make the last steps short, not wrong.
  EXPECT_NEAR(found.multipliers[0], 2, 0.02);
  EXPECT_NEAR(found.multipliers[1], 0.5, 0.005);
  EXPECT_LT(found.misfit, 1e-4 * found.first_misfit);
  EXPECT_NEAR(found.checked_misfit, found.misfit, 1e-12);
  EXPECT_GT(found.calls, 5u);
  EXPECT_NE(error_of([&] { (void)match_history(source, exact, m, {0, 1}, observed); }), "no error");
  EXPECT_NE(error_of([&] { (void)match_history(source, exact, m, regions, {}); }), "no error");
}

}  // namespace
}  // namespace cauchy::test_reservoir_proxy
