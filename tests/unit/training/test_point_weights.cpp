#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>

#include "support/message_of.hpp"
#include "support/point_weights_rig.hpp"

namespace cauchy::test_point_weights {
namespace {

const Coordinate t("t");
const Field u("u");
constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(PointWeights, OfLineSearchesChangeSeldom) {
  for (const PointWeightsOptions& options :
       {PointWeightsOptions(AttentionWeights{}), PointWeightsOptions(SelfAdaptiveWeights{})}) {
    Rig rig({{Rig::Kind::equation, {0.5, 1.5}, {u + t}}});
    const auto w = rig.make(options);
    EXPECT_TRUE(rig.update(*w, 0, false, false));
    for (std::uint64_t k = 1; k < 100; ++k) EXPECT_FALSE(rig.update(*w, k, false, false)) << k;
    EXPECT_TRUE(rig.update(*w, 100, false, false));
  }
}

// --- time and distance ---

TEST(LinearTime, FallsFromItsFactorToOne) {
  Rig rig({{Rig::Kind::equation, {0, 0.5, 2}, {u}}, {Rig::Kind::initial, {0}, {u}}});
  const auto w = rig.make(LinearTimeWeights{.factor = 4});
  EXPECT_TRUE(rig.update(*w, 0));
  EXPECT_EQ(Rig::factors(*w), (std::vector<double>{5, 4, 1}));
  EXPECT_TRUE(w->factors(1).empty());
  EXPECT_FALSE(rig.update(*w, 1));
  const std::vector<std::size_t> rows{2, 1};
  rig.points.choose(0, rows);
  EXPECT_TRUE(rig.update(*w, 2, true));
  EXPECT_EQ(Rig::factors(*w), (std::vector<double>{1, 4}));
}

TEST(Distance, GrowsFromTheBoundaryInUnitsOfItsLargest) {
  Rig rig({{Rig::Kind::equation, {0, 0.5, 1}, {u}}, {Rig::Kind::condition, {2}, {u}}});
  const auto w = rig.make(DistanceWeights{});
  rig.update(*w, 0);
  EXPECT_EQ(Rig::factors(*w), (std::vector<double>{0, 0.5, 1}));
  EXPECT_TRUE(w->factors(1).empty());
  const auto other = rig.make(DistanceWeights{.power = 2, .floor = 0.5});
  const std::vector<std::size_t> rows{1, 0};
  rig.points.choose(0, rows);
  rig.update(*other, 0, true);
  EXPECT_EQ(Rig::factors(*other), (std::vector<double>{0.5625, 0.25}));
}

// --- all of them ---

TEST(PointWeights, RefuseWhatTheyCannotDo) {
  const Rig still({{Rig::Kind::equation, {0.5}, {u}}}, "");
  EXPECT_EQ(message_of([&] { (void)still.make(CausalWeights{}); }),
            "[training.point_weights]: causal weights need a time, and the problem has none; give "
            "the domain a time, or choose other weights");
  EXPECT_NE(message_of([&] { (void)still.make(LinearTimeWeights{}); }).find("need a time"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)make_point_weights(DistanceWeights{}, TrainingPoints({PointSource{}}, {}));
            }).find("need space"),
            std::string::npos);
  const Rig rig({{Rig::Kind::equation, {0.5}, {u}}});
  for (const PointWeightsOptions& bad :
       {PointWeightsOptions(AttentionWeights{.decay = 1}),
        {AttentionWeights{.rate = -1}},
        {AttentionWeights{.period = 0}},
        {CausalWeights{.epsilon = {}}},
        {CausalWeights{.epsilon = {0.0}}},
        {CausalWeights{.chunks = 0}},
        {CausalWeights{.stop = 1}},
        {LinearTimeWeights{.factor = -1}},
        {DistanceWeights{.power = -1}},
        {DistanceWeights{.floor = 1}},
        {SelfAdaptiveWeights{.most = 0.5}},
        {SelfAdaptiveWeights{.rate = std::numeric_limits<double>::quiet_NaN()}}}) {
    EXPECT_THROW((void)rig.make(bad), Error) << bad.index();
  }
}

TEST(PointWeights, LossGradientRowsAndJacobianAreOneFunction) {
  for (const PointWeightsEntry& entry : all_point_weights()) {
    Rig rig({{Rig::Kind::equation, {0.1, 0.5, 0.9, 1.3, 1.9}, {u + t, u * u - t}, 3},
             {Rig::Kind::initial, {0}, {u + 0.5}, 2}});
    rig.theta = initial_parameters(rig.executor->graph().parameters(), Rng(3));
    const auto w = rig.make(entry.options);
    // Weights of noise need noise, which these points do not have.
    EXPECT_EQ(w == nullptr, entry.name == "none" || entry.name == "noise");
    double plain = rig.loss.value(rig.theta);
    if (w) {
      rig.update(*w, 0);
      for (std::size_t k = 0; k < 2; ++k) rig.points.weigh(k, w->factors(k));
      EXPECT_NE(rig.loss.value(rig.theta), plain) << entry.name;
    }
    const std::size_t P = rig.loss.size(), R = rig.loss.n_residuals();
    std::vector<double> g(P), r(R), j(R * P);
    const double value = rig.loss.gradient(rig.theta, g);
    rig.loss.jacobian(rig.theta, r, j);
    double sum = 0, largest = 0;
    for (const double v : r) sum += v * v;
    for (const double v : g) largest = std::max(largest, std::abs(v));
    EXPECT_LE(std::abs(sum - value), 100 * eps * value) << entry.name;
    EXPECT_LE(std::abs(rig.loss.value(rig.theta) - value), 100 * eps * value) << entry.name;
    for (std::size_t p = 0; p < P; ++p) {
      double slope = 0;
      for (std::size_t i = 0; i < R; ++i) slope += 2 * j[i * P + p] * r[i];
      EXPECT_LE(std::abs(slope - g[p]), 200 * eps * largest) << entry.name;
      // Central differences: 1e-10 of truncation and rounding of a loss of order 1 to 1000.
      std::vector<double> up = rig.theta, down = rig.theta;
      up[p] += 1e-5;
      down[p] -= 1e-5;
      const double quotient = (rig.loss.value(up) - rig.loss.value(down)) / 2e-5;
      EXPECT_LE(std::abs(quotient - g[p]), 1e-7 * (largest + value)) << entry.name;
    }
  }
}

}  // namespace
}  // namespace cauchy::test_point_weights
