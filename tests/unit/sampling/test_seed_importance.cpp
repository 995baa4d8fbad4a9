#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/sampling/seed_importance.hpp>

namespace cauchy::test_seed_importance {
namespace {

const std::vector<double> kPoints = {0, 0, 1, 0, 0.4, 0.1, 0.9, 0.9, 0.5, 0};
const std::vector<double> kSeeds = {0, 0, 1, 0, 1, 1};

TEST(SeedImportance, FindsTheNearestSeedAndTheFirstOfEquals) {
  EXPECT_EQ(nearest_seeds(kPoints, kSeeds, 2), (std::vector<std::size_t>{0, 1, 0, 2, 0}));
}

TEST(SeedImportance, ProbabilitiesFollowTheLossOfTheNearestSeed) {
  const std::vector<double> losses = {1, 4, 3};
  const auto q = seed_probabilities(kPoints, kSeeds, 2, losses, 0);
  const std::vector<double> expected = {0.1, 0.4, 0.1, 0.3, 0.1};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LT(std::abs(q[i] - expected[i]), 1e-16);
}

TEST(SeedImportance, UniformShareIsAFloor) {
  const std::vector<double> losses = {0, 1e-3, 1e300};
  for (const double share : {0.05, 0.5, 1.0}) {
    const auto q = seed_probabilities(kPoints, kSeeds, 2, losses, share);
    EXPECT_LT(std::abs(std::accumulate(q.begin(), q.end(), 0.0) - 1), 1e-15);
    for (const double p : q) EXPECT_GE(p, share / 5);
    EXPECT_EQ(q[0], share / 5);
  }
  const auto flat = seed_probabilities(kPoints, kSeeds, 2, std::vector{0.0, 0.0, 0.0}, 0.1);
  for (const double p : flat) EXPECT_EQ(p, 0.2);
}

TEST(SeedImportance, MisuseIsAnError) {
  const std::vector<double> losses = {1, 4, 3};
  EXPECT_THROW((void)nearest_seeds(kPoints, kSeeds, 0), Error);
  EXPECT_THROW((void)nearest_seeds({}, kSeeds, 2), Error);
  EXPECT_THROW((void)nearest_seeds(kPoints, {}, 2), Error);
  EXPECT_THROW((void)nearest_seeds(kPoints, kSeeds, 3), Error);
  EXPECT_THROW((void)nearest_seeds(std::vector<double>{NAN, 0}, kSeeds, 2), Error);
  EXPECT_THROW((void)seed_probabilities(kPoints, kSeeds, 2, std::vector{1.0}), Error);
  EXPECT_THROW((void)seed_probabilities(kPoints, kSeeds, 2, std::vector{1.0, -1.0, 0.0}), Error);
  EXPECT_THROW((void)seed_probabilities(kPoints, kSeeds, 2, losses, -0.1), Error);
  EXPECT_THROW((void)seed_probabilities(kPoints, kSeeds, 2, losses, NAN), Error);
  EXPECT_THROW((void)seed_probabilities(kPoints, kSeeds, 2, std::vector{0.0, 0.0, 0.0}, 0), Error);
}

}  // namespace
}  // namespace cauchy::test_seed_importance
