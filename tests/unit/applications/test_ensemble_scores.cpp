#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/applications/ensemble_scores.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy::test_ensemble_scores {
namespace {

TEST(Crps, OfOneMemberIsTheAbsoluteError) {
  EXPECT_EQ(crps(std::vector<double>{1.5}, 4), 2.5);
  EXPECT_EQ(crps(std::vector<double>{1.5}, 4, false), 2.5);
}

TEST(Crps, HasTheNumbersOfItsDefinition) {
  // 0, 1, 4 for 2: mean of 2, 1, 2 is 5/3; |differences| 1, 4, 3 twice: 16 / 18 and 16 / 12.
  const std::vector<double> x = {4, 0, 1};
  EXPECT_NEAR(crps(x, 2, false), 5.0 / 3 - 16.0 / 18, 1e-15);
  EXPECT_NEAR(crps(x, 2), 5.0 / 3 - 16.0 / 12, 1e-15);
  EXPECT_EQ(crps(std::vector<double>{3, 3, 3}, 1), 2);
  EXPECT_THROW((void)crps({}, 1), Error);
}

TEST(Crps, FairOneDoesNotDependOnTheNumberOfMembers) {
  // Members and observation standard normal: E|X - Y| - E|X - X'| / 2 = 1 / sqrt(pi), for any M;
  // the plain one is larger by E|X - X'| / (2 M) = 1 / (M sqrt(pi)).
  Rng rng(1);
  const double limit = 1 / std::sqrt(std::numbers::pi);
  for (const std::size_t M : {2u, 8u}) {
    double fair = 0, plain = 0;
    const int n = 40'000;
    for (int k = 0; k < n; ++k) {
      std::vector<double> x(M);
      rng.fill_normal(x);
      const double y = rng.normal();
      fair += crps(x, y) / n;
      plain += crps(x, y, false) / n;
    }
    EXPECT_NEAR(fair, limit, 0.02) << M;  // deviation of a mean: 0.9 / 200
    EXPECT_NEAR(plain, limit * (1 + 1 / static_cast<double>(M)), 0.02) << M;
  }
}

TEST(EnsembleScore, OfAnObservationThatMightBeAMember) {
  const std::size_t points = 20'000, M = 8;
  std::vector<double> x(M * points), y(points);
  Rng rng(2);
  rng.fill_normal(x);
  rng.fill_normal(y);
  const EnsembleScore s = ensemble_score(x, y);
  EXPECT_NEAR(s.spread, 1, 0.02);
  EXPECT_NEAR(s.rmse, std::sqrt(1 + 1.0 / M), 0.03);
  EXPECT_NEAR(s.spread_skill, 1, 0.03);
  ASSERT_EQ(s.ranks.size(), M + 1);
  double sum = 0;
  for (const double r : s.ranks) {
    EXPECT_NEAR(r, 1.0 / (M + 1), 0.012);
    sum += r;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(EnsembleScore, WeighsPoints) {
  const std::vector<double> members = {0, 0, 2, 4}, observed = {3, 1}, weights = {0.25, 0.75};
  // Means 1 and 2, errors 2 and 1; variances 2 and 8; CRPS 2 - 1 and 2 - 2.
  const EnsembleScore s = ensemble_score(members, observed, weights);
  EXPECT_NEAR(s.rmse, std::sqrt(0.25 * 4 + 0.75), 1e-14);
  EXPECT_NEAR(s.spread, std::sqrt(0.25 * 2 + 0.75 * 8), 1e-14);
  EXPECT_NEAR(s.crps, 0.25, 1e-14);
  EXPECT_EQ(s.ranks, (std::vector<double>{0, 0.75, 0.25}));
  EXPECT_THROW((void)ensemble_score(members, std::vector<double>(3), {}), Error);
}

}  // namespace
}  // namespace cauchy::test_ensemble_scores
