// Weights with a memory: attention and self-adaptive ones.
#include <algorithm>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>

#include "support/point_weights_rig.hpp"

namespace cauchy::test_attention {
namespace {

const Coordinate t("t");
const Field u("u");
constexpr double eps = std::numeric_limits<double>::epsilon();

// --- attention ---

TEST(Attention, ConvergesToItsBoundForAConstantResidualAndDoesNotAddUpTheOffset) {
  Rig rig({{Rig::Kind::equation, {0.5, 1, 2}, {u + t}}});
  // rate / (1 - decay) = 10, and 10.1 with the offset; once per step and once per 10 steps.
  for (const std::uint64_t period : {1u, 10u}) {
    const auto w = rig.make(AttentionWeights{
        .decay = 0.999, .rate = 0.01, .offset = 0.1, .start = 0, .period = period});
    for (std::uint64_t k = 0; k <= 40; ++k) {
      EXPECT_EQ(rig.update(*w, k), k % period == 0);
      if (k % period != 0) continue;
      const double lambda = 10 * (1 - std::pow(0.999, static_cast<double>(k + 1)));
      std::vector<double> expected;
      for (const double share : {0.25, 0.5, 1.0}) {
        expected.push_back(std::pow(share * lambda + 0.1, 2));
      }
      expect_near(Rig::factors(*w), expected, 1e-12);
    }
    rig.update(*w, 100'000'000);
    expect_near(Rig::factors(*w), {2.6 * 2.6, 5.1 * 5.1, 10.1 * 10.1}, 1e-12);
  }
}

TEST(Attention, StaysWithinItsBoundForAnyResiduals) {
  Rig rig({{Rig::Kind::equation, {0.1, 0.7, 1.3, 1.9}, {u - t * t}}});
  const auto w = rig.make(AttentionWeights{.decay = 0.9, .rate = 0.2, .period = 1});
  Rng rng(4);
  for (std::uint64_t k = 0; k < 100; ++k) {
    for (double& p : rig.theta) p = 3 * rng.normal();
    rig.update(*w, k);
    for (const double f : w->factors(0)) {
      EXPECT_TRUE(f >= 0 && f <= 4 * (1 + 64 * eps)) << f;  // (rate / (1 - decay))^2
    }
  }
}

TEST(Attention, TakesTheNormOfSeveralResidualsEachTermByItsOwnLargest) {
  Rig rig({{Rig::Kind::equation, {1, 2}, {u + 3 * t, u + 4 * t}},  // |r| = 5, 10
           {Rig::Kind::condition, {1, 2}, {u + 1000}},
           {Rig::Kind::initial, {0}, {u}}});  // no residual at all
  const auto w = rig.make(AttentionWeights{.decay = 0.5, .rate = 1, .start = 1});
  rig.update(*w, 0);
  expect_near(Rig::factors(*w, 0), {1.0, 2.25});
  expect_near(Rig::factors(*w, 1), {2.25, 2.25});
  expect_near(Rig::factors(*w, 2), {0.25});
}

TEST(Attention, KeepsItsWeightsWhereResidualsAreNoNumbers) {
  Rig rig({{Rig::Kind::equation, {1, 2}, {u + t}}});
  const auto w = rig.make(AttentionWeights{});
  rig.update(*w, 0);
  const std::vector<double> before = Rig::factors(*w);
  std::ranges::fill(rig.theta, std::numeric_limits<double>::quiet_NaN());
  rig.update(*w, 10);
  EXPECT_EQ(Rig::factors(*w), before);
}

TEST(Attention, PointsOutOfABatchCatchUpWhenTheyAreSeen) {
  const std::vector<Rig::Part> parts{{Rig::Kind::equation, {0.5, 1, 1.5, 2}, {u + 1}}};
  Rig whole(parts), batch(parts);
  const AttentionWeights options{.decay = 0.9, .rate = 1, .start = 0, .period = 1};
  const auto all = whole.make(options), some = batch.make(options);
  const std::vector<std::size_t> first{2, 0}, second{3, 2};
  batch.points.choose(0, first);
  for (std::uint64_t k = 0; k < 8; ++k) {
    whole.update(*all, k);
    if (k == 5) batch.points.choose(0, second);
    batch.update(*some, k, true);
  }
  const double f = all->factors(0)[0];
  expect_near(Rig::factors(*some), {f, f}, 1e-13);
  batch.points.use_all();
  batch.update(*some, 7, true);  // points 0 and 1 are behind until now
  expect_near(Rig::factors(*some), {f, f, f, f}, 1e-13);
}

TEST(Attention, GoesAlongWhenPointsMove) {
  Rig rig({{Rig::Kind::equation, {0.5, 1, 2}, {u + t}}});
  const auto w = rig.make(AttentionWeights{.decay = 0.5, .rate = 1, .start = 0});
  rig.update(*w, 0);
  expect_near(Rig::factors(*w), {0.0625, 0.25, 1});
  rig.points.set(0, Rig::at({2, 1.1, 0.5, 0.6}));
  EXPECT_TRUE(rig.update(*w, 1, true));
  expect_near(Rig::factors(*w), {1, 0.25, 0.0625, 0.0625});
  EXPECT_FALSE(rig.update(*w, 2));
}

// --- self-adaptive ---

TEST(SelfAdaptive, ClimbsWhereTheWeighedResidualIsLargeUpToItsBound) {
  Rig rig({{Rig::Kind::equation, {1, 2}, {u + t}},
           {Rig::Kind::initial, {0}, {u + 1}, 8},
           {Rig::Kind::condition, {1}, {u}}});
  const auto w = rig.make(SelfAdaptiveWeights{.rate = 0.5, .most = 3, .period = 2});
  rig.update(*w, 0);  // slopes 1, 4; 8; 0
  expect_near(Rig::factors(*w, 0), {std::pow(1 + 0.5 / 8, 2), std::pow(1 + 0.5 / 2, 2)});
  expect_near(Rig::factors(*w, 1), {2.25});
  expect_near(Rig::factors(*w, 2), {1});
  EXPECT_FALSE(rig.update(*w, 1));
  rig.update(*w, 2);  // two steps; slopes 1.0625, 5; 12
  expect_near(Rig::factors(*w, 0),
              {std::pow(1 + 0.5 / 8 + 1.0625 / 12, 2), std::pow(1 + 0.5 / 2 + 5.0 / 12, 2)});
  expect_near(Rig::factors(*w, 1), {6.25});
  for (std::uint64_t k = 4; k < 100; k += 2) rig.update(*w, k);
  expect_near(Rig::factors(*w, 1), {9});
  expect_near(Rig::factors(*w, 2), {1});
}

TEST(SelfAdaptive, RestsWhereEverythingIsSolved) {
  Rig rig({{Rig::Kind::equation, {1, 2}, {u * t}}});
  const auto w = rig.make(SelfAdaptiveWeights{});
  rig.update(*w, 0);
  EXPECT_EQ(Rig::factors(*w), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace cauchy::test_attention
