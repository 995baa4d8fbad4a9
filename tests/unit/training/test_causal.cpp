#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>

#include "support/point_weights_rig.hpp"
#include "training/point_weights/causal.hpp"

namespace cauchy::test_causal {
namespace {

const Coordinate t("t");
const Field u("u");

TEST(Causal, FactorsComeFromTheChunksBefore) {
  const std::vector<double> losses{0, 1, 2, 5};
  expect_near(detail::causal_factors(losses, 0.5), {1, std::exp(-0.5), std::exp(-1.5)});
  EXPECT_EQ(detail::causal_factors(std::vector<double>(5, 0.0), 100), std::vector<double>(4, 1.0));
  const std::vector<double> start{2, 1, 7};
  expect_near(detail::causal_factors(start, 1), {std::exp(-2.0), std::exp(-3.0)});
  Rng rng(2);
  std::vector<double> any(33);
  for (double& l : any) l = rng.uniform();
  const std::vector<double> w = detail::causal_factors(any, 3);
  EXPECT_TRUE(std::ranges::is_sorted(w, std::greater{}));
  EXPECT_EQ(w.size(), 32u);
}

TEST(Causal, ChunksAreOpenAtTheirBeginAndClosedAtTheirEnd) {
  EXPECT_EQ(detail::chunk_of(0, 4), 0u);
  EXPECT_EQ(detail::chunk_of(0.25, 4), 0u);
  EXPECT_EQ(detail::chunk_of(std::nextafter(0.25, 1), 4), 1u);
  EXPECT_EQ(detail::chunk_of(0.75, 4), 2u);
  EXPECT_EQ(detail::chunk_of(1, 4), 3u);
}

TEST(Causal, ManyChunksTendToTheIntegral) {
  // y(T) = int exp(-eps int_0^t L) L dt = (1 - exp(-eps int_0^T L)) / eps for L = 2 + sin(3 t).
  const double T = 2, e = 0.7, integral = 2 * T + (1 - std::cos(3 * T)) / 3;
  const double exact = (1 - std::exp(-e * integral)) / e;
  const auto sum = [&](std::size_t n) {
    const double dt = T / static_cast<double>(n);
    std::vector<double> losses{0};
    for (std::size_t i = 0; i < n; ++i) {
      losses.push_back(2 + std::sin(3 * dt * (static_cast<double>(i) + 0.5)));
    }
    const std::vector<double> w = detail::causal_factors(losses, e * dt);
    double y = 0;
    for (std::size_t i = 0; i < n; ++i) y += w[i] * losses[i + 1] * dt;
    return y;
  };
  // The factor of a chunk is that of its begin: first order, from above.
  const double coarse = sum(200) - exact, fine = sum(400) - exact;
  EXPECT_GT(fine, 0);
  EXPECT_NEAR(coarse / fine, 2, 0.02);
  EXPECT_LT(fine, 2 * T / 400);
}

TEST(Causal, WeighsEquationsByMeansOverTheirChunksAndTheStart) {
  Rig rig({{Rig::Kind::equation, {0.1, 0.5, 0.9, 1.3, 1.9}, {u + 1 + 0 * t}, 3},
           {Rig::Kind::equation, {0.2, 1.7}, {u + 2 * t}},
           {Rig::Kind::initial, {0}, {u + 0.5}, 2},
           {Rig::Kind::condition, {0.3, 1.5}, {u + 7}},
           {Rig::Kind::initial, {2}, {u + 9}}});  // at the end of time: gates nothing
  const auto w = rig.make(CausalWeights{.epsilon = {0.1}, .chunks = 4});
  EXPECT_TRUE(rig.update(*w, 0));
  // Chunks (0, 0.5], (0.5, 1], (1, 1.5], (1.5, 2]: 3 in each, by the second equation 0.16 in the
  // first, as much in those without points.
  const double L0 = 2 * 0.25, L1 = 3 + 0.16;
  const auto f = [&](double chunks) { return std::exp(-0.1 * (L0 + chunks * L1)); };
  expect_near(Rig::factors(*w, 0), {f(0), f(0), f(1), f(2), f(3)});
  expect_near(Rig::factors(*w, 1), {f(0), f(3)});
  for (std::size_t term = 2; term < 5; ++term) EXPECT_TRUE(w->factors(term).empty());
  EXPECT_FALSE(rig.update(*w, 1));
  EXPECT_FALSE(rig.update(*w, 10)) << "the same losses";
  // A balancer does not lead the gates.
  rig.loss.weigh(2, 100, WeightLayer::balancer);
  EXPECT_FALSE(rig.update(*w, 20));
  // Batches: chunks that are not seen keep what is known of them.
  const std::vector<std::size_t> rows{4, 0};
  rig.points.choose(0, rows);
  EXPECT_FALSE(rig.update(*w, 30, true));
  expect_near(Rig::factors(*w, 0), {f(3), f(0)});
}

TEST(Causal, AnnealsEpsilonAndOpensInTheEnd) {
  Rig rig({{Rig::Kind::equation, {0.5, 1.5}, {u + t}}});  // L_1 = 0.25 gates the second chunk
  const auto w = rig.make(CausalWeights{.epsilon = {0.01, 0.1, 1}, .chunks = 2, .stop = 0.9});
  rig.update(*w, 0);
  expect_near(Rig::factors(*w), {1, std::exp(-0.25)});  // 0.9975 and 0.975 exceed 0.9
  EXPECT_EQ(w->take_events(),
            (std::vector<std::string>{
                "causal weights: all times count more than 0.9, epsilon is now 0.1",
                "causal weights: all times count more than 0.9, epsilon is now 1"}));
  rig.points.set(0, Rig::at({0.25, 1.5}));  // L_1 = 0.0625
  rig.update(*w, 10, true);
  EXPECT_EQ(Rig::factors(*w), (std::vector<double>{1, 1}));
  EXPECT_EQ(w->take_events().size(), 1u);
  rig.points.set(0, Rig::at({1, 1.5}));
  rig.update(*w, 20, true);
  expect_near(Rig::factors(*w), {1, std::exp(-1.0)});
  EXPECT_TRUE(w->take_events().empty());
}

}  // namespace
}  // namespace cauchy::test_causal
