// Empirical risks: numbers by hand, and the spread that their standard errors promise.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/sampling/risk.hpp>

namespace cauchy::test_risk {
namespace {

constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();

TEST(EmpiricalRisk, IsTheMeanOfPowers) {
  const double d[] = {3, -1, 2, 0};
  const Risk mse = empirical_risk(d), l1 = empirical_risk(d, 1), pairs = empirical_risk(d, 2, 2);
  EXPECT_NEAR(mse.risk.value, 14.0 / 4, rounding);
  EXPECT_NEAR(mse.distance.value, std::sqrt(3.5), rounding);
  EXPECT_NEAR(l1.risk.value, 1.5, rounding);
  EXPECT_NEAR(pairs.risk.value, 7, rounding) << "rows (3, -1) and (2, 0)";
  // Squares 9, 1, 4, 0: variance 49 / 3, of the mean 49 / 12.
  EXPECT_NEAR(mse.risk.error, std::sqrt(49.0 / 12), 4 * rounding);
  EXPECT_NEAR(mse.distance.error, mse.risk.error / (2 * std::sqrt(3.5)), rounding);
  EXPECT_THROW((void)empirical_risk(d, 0.5), Error);
  EXPECT_THROW((void)empirical_risk(std::span(d).first(1)), Error);
}

TEST(EmpiricalRisk, EstimatesTheIntegralWithinItsError) {
  // |x^2 - x|^2 over [0, 1] is 1/30; 400 repetitions of 200 points.
  double mean = 0, pull = 0;
  constexpr int repetitions = 400;
  for (int k = 0; k < repetitions; ++k) {
    Rng rng(7, static_cast<std::uint64_t>(k));
    std::vector<double> d(200);
    for (double& v : d) {
      const double x = rng.uniform();
      v = x * x - x;
    }
    const Risk r = empirical_risk(d);
    mean += r.risk.value / repetitions;
    const double off = (r.risk.value - 1.0 / 30) / r.risk.error;
    pull += off * off / repetitions;
  }
  // The variance of |x^2 - x|^2 is 1/630 - 1/900; four deviations of the mean of all.
  const double deviation = std::sqrt((1.0 / 630 - 1.0 / 900) / (200 * repetitions));
  EXPECT_LT(std::abs(mean - 1.0 / 30), 4 * deviation);
  EXPECT_LT(std::abs(pull - 1), 4 * std::sqrt(2.0 / repetitions)) << "errors are standard ones";
}

}  // namespace
}  // namespace cauchy::test_risk
