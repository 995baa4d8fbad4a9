#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/math/special.hpp>
#include <cauchy/sampling/inverse_cdf.hpp>

#include "support/kolmogorov_smirnov.hpp"

namespace cauchy::test_inverse_cdf {
namespace {

TEST(InverseCdf, InvertsAFunctionToRounding) {
  const auto law = InverseCdf::from_function([](double x) { return 1 - std::exp(-x); }, 0, 40);
  for (const double p : {0.0, 1e-6, 0.1, 0.5, 0.9, 0.999}) {
    // The function itself is known to 1e-16, the quantile to that over the density 1 - p.
    EXPECT_LT(std::abs(law.quantile(p) + std::log1p(-p)), 4e-14 + 4e-16 / (1 - p)) << p;
  }
  EXPECT_EQ(law.quantile(0), 0);
  EXPECT_EQ(law.quantile(1), 40);
}

TEST(InverseCdf, RestrictsTheLawToTheInterval) {
  const auto law = InverseCdf::from_function([](double x) { return normal_cdf(x); }, -1, 2);
  const double low = normal_cdf(-1), high = normal_cdf(2);
  for (const double p : {0.01, 0.3, 0.5, 0.99}) {
    EXPECT_LT(std::abs(law.quantile(p) - normal_quantile(low + (high - low) * p)), 1e-14);
  }
}

TEST(InverseCdf, SamplesFollowTheLaw) {
  Rng rng(1);
  const std::size_t n = 5000;
  const auto cubic = [](double x) { return x * x * x; };
  const auto x = InverseCdf::from_function(cubic, 0, 1).sample(n, rng);
  ASSERT_EQ(x.size(), n);
  EXPECT_LT(ks_distance(x, cubic), ks_limit(n));
  EXPECT_GT(ks_distance(x, [](double t) { return t; }), ks_limit(n));
  const auto y = InverseCdf::normal(3, 2).sample(n, rng);
  EXPECT_LT(ks_distance(y, [](double t) { return normal_cdf((t - 3) / 2); }), ks_limit(n));
}

TEST(InverseCdf, StepsAndFlatPiecesOfAFunctionAreInvertedToo) {
  // Mass 1/2 at 0.3, the rest uniform on [0.6, 1].
  const auto cdf = [](double x) {
    return (x >= 0.3 ? 0.5 : 0.0) + (x > 0.6 ? (x - 0.6) / 0.8 : 0.0);
  };
  const auto law = InverseCdf::from_function(cdf, 0, 1);
  EXPECT_LT(std::abs(law.quantile(0.25) - 0.3), 2e-15);
  EXPECT_LT(std::abs(law.quantile(0.75) - 0.8), 2e-15);
}

TEST(InverseCdf, InvertsATabulatedDensityExactly) {
  // f = x on [0, 1], 1 on [1, 2], falling to 0 on [2, 4]: masses 1/2, 1, 1 of 5/2.
  const std::vector<double> x = {0, 1, 2, 4}, f = {0, 1, 1, 0};
  const auto law = InverseCdf::from_density(x, f);
  EXPECT_EQ(law.quantile(0), 0);
  EXPECT_EQ(law.quantile(1), 4);
  EXPECT_LT(std::abs(law.quantile(0.05) - 0.5), 1e-15);  // x^2 / 2 = 1/8
  EXPECT_LT(std::abs(law.quantile(0.2) - 1), 1e-15);
  EXPECT_LT(std::abs(law.quantile(0.4) - 1.5), 1e-15);
  EXPECT_LT(std::abs(law.quantile(0.9) - 3), 2e-15);  // (4 - x)^2 / 4 = 1/4
  // The root form keeps small quantiles of a rising density to full relative precision.
  EXPECT_LT(std::abs(law.quantile(1e-20) / std::sqrt(5e-20) - 1), 4e-16);
  Rng rng(2);
  const auto sample = law.sample(5000, rng);
  EXPECT_LT(ks_distance(sample,
                        [](double t) {
                          if (t < 1) return t * t / 5;
                          if (t < 2) return 0.2 + (t - 1) / 2.5;
                          return 1 - (4 - t) * (4 - t) / 10;
                        }),
            ks_limit(5000));
}

TEST(InverseCdf, NeverEntersCellsWithoutMass) {
  const std::vector<double> x = {0, 1, 2, 3, 4, 5}, f = {0, 0, 1, 0, 0, 0};
  const auto law = InverseCdf::from_density(x, f);
  EXPECT_EQ(law.quantile(0), 1);
  EXPECT_EQ(law.quantile(1), 3);
  EXPECT_EQ(law.quantile(0.5), 2);
}

TEST(InverseCdf, MisuseIsAnError) {
  const auto line = [](double x) { return x; };
  EXPECT_THROW((void)InverseCdf::from_function(line, 1, 1), Error);
  EXPECT_THROW((void)InverseCdf::from_function(line, 0, INFINITY), Error);
  EXPECT_THROW((void)InverseCdf::from_function([](double x) { return -x; }, 0, 1), Error);
  EXPECT_THROW((void)InverseCdf::from_function([](double) { return 0.5; }, 0, 1), Error);
  EXPECT_THROW((void)InverseCdf::from_function([](double x) { return x > 0.5 ? NAN : x; }, 0, 1),
               Error);
  EXPECT_THROW((void)InverseCdf::from_function({}, 0, 1), Error);
  const std::vector<double> x = {0, 1}, f = {1, 1};
  EXPECT_THROW((void)InverseCdf::from_density(std::vector{0.0}, std::vector{1.0}), Error);
  EXPECT_THROW((void)InverseCdf::from_density(x, std::vector{1.0}), Error);
  EXPECT_THROW((void)InverseCdf::from_density(x, std::vector{0.0, 0.0}), Error);
  EXPECT_THROW((void)InverseCdf::from_density(x, std::vector{0.0, -1.0}), Error);
  EXPECT_THROW((void)InverseCdf::from_density(std::vector{1.0, 1.0}, f), Error);
  EXPECT_THROW((void)InverseCdf::from_density(std::vector<double>{0, INFINITY}, f), Error);
  EXPECT_THROW((void)InverseCdf::normal(0, 0), Error);
  EXPECT_THROW((void)InverseCdf::normal(NAN, 1), Error);
  const auto law = InverseCdf::from_density(x, f);
  EXPECT_THROW((void)law.quantile(-0.1), Error);
  EXPECT_THROW((void)law.quantile(1.1), Error);
  EXPECT_THROW((void)law.quantile(std::numeric_limits<double>::quiet_NaN()), Error);
}

}  // namespace
}  // namespace cauchy::test_inverse_cdf
