#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/sampling/discrepancy.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy::test_discrepancy {
namespace {

const std::vector<double> kPlane = {0.1, 0.2, 0.4, 0.9, 0.75, 0.35, 0.6, 0.6, 0.95, 0.05};
const std::vector<double> kSpace = {0.125, 0.5, 0.875, 0.25, 0.0,  0.625,
                                    0.9,   0.7, 0.1,   0.3,  0.45, 1.0};

// Values of an independent program for the same sets; the centered one is squared there. D^2 is a
// difference of terms of size at most (13/12)^3: error 1e-15.
TEST(Discrepancy, MatchesKnownValues) {
  const double tolerance = 1e-14;
  EXPECT_LT(std::abs(l2_star_discrepancy(kPlane, 2) - 0.09292395337646346), tolerance);
  EXPECT_LT(std::abs(l2_star_discrepancy(kSpace, 3) - 0.12222555024519284), tolerance);
  EXPECT_LT(std::abs(std::pow(centered_l2_discrepancy(kPlane, 2), 2) - 0.030484861111110595),
            tolerance);
  EXPECT_LT(std::abs(std::pow(centered_l2_discrepancy(kSpace, 3), 2) - 0.14851770207609927),
            tolerance);
}

// One number x: D^2 = int_0^1 (1[x < y] - y)^2 dy = x^3 / 3 + (1 - x)^3 / 3.
TEST(Discrepancy, OfOneNumberIsTheIntegralOfItsDefinition) {
  for (const double x : {0.0, 0.25, 0.5, 0.7, 1.0}) {
    const double exact = std::sqrt((x * x * x + std::pow(1 - x, 3)) / 3);
    EXPECT_LT(std::abs(l2_star_discrepancy(std::vector{x}, 1) - exact), 1e-15);
  }
}

// Independent points: E D^2 = (2^-d - 3^-d) / n. The mean over 200 sets of a positive quantity with
// a standard deviation below its mean is within 5 / sqrt(200) = 35 %.
TEST(Discrepancy, OfIndependentPointsHasTheKnownMean) {
  double mean = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto x = unit_points({.kind = SamplerKind::uniform, .seed = seed}, 3, 50);
    mean += std::pow(l2_star_discrepancy(x, 3), 2) / 200;
  }
  const double expected = (1. / 8 - 1. / 27) / 50;
  EXPECT_LT(std::abs(mean / expected - 1), 0.35);
}

TEST(Discrepancy, CenteredOneDoesNotChangeUnderReflection) {
  std::vector<double> mirrored = kPlane;
  for (std::size_t i = 0; i < mirrored.size(); i += 2) mirrored[i] = 1 - mirrored[i];
  EXPECT_LT(std::abs(centered_l2_discrepancy(mirrored, 2) - centered_l2_discrepancy(kPlane, 2)),
            1e-14);
  EXPECT_GT(std::abs(l2_star_discrepancy(mirrored, 2) - l2_star_discrepancy(kPlane, 2)), 1e-3);
}

TEST(Discrepancy, StarDiscrepancyOfNumbersIsExact) {
  EXPECT_EQ(star_discrepancy_1d(std::vector{0.125, 0.375, 0.625, 0.875}), 0.125);
  EXPECT_EQ(star_discrepancy_1d(std::vector{0.75, 0.0, 0.5, 0.25}), 0.25);
  EXPECT_EQ(star_discrepancy_1d(std::vector{1.0}), 1.0);
  // By definition: the largest deviation occurs at a point, counted with or without it.
  Rng rng(6);
  std::vector<double> x(40);
  rng.fill_uniform(x);
  double largest = 0;
  for (const double y : x) {
    double below = 0, upto = 0;
    for (const double v : x) {
      below += v < y ? 1.0 / 40 : 0;
      upto += v <= y ? 1.0 / 40 : 0;
    }
    largest = std::max({largest, std::abs(below - y), std::abs(upto - y)});
  }
  EXPECT_LT(std::abs(star_discrepancy_1d(x) - largest), 1e-14);
}

TEST(Discrepancy, RefusesWhatIsNotASetInTheCube) {
  EXPECT_THROW((void)l2_star_discrepancy({}, 2), Error);
  EXPECT_THROW((void)l2_star_discrepancy(kPlane, 0), Error);
  EXPECT_THROW((void)l2_star_discrepancy(kPlane, 3), Error);
  EXPECT_THROW((void)centered_l2_discrepancy(std::vector{0.5, 1.5}, 2), Error);
  EXPECT_THROW((void)centered_l2_discrepancy(std::vector<double>{0.5, NAN}, 1), Error);
  EXPECT_THROW((void)star_discrepancy_1d(std::vector{-0.1}), Error);
}

}  // namespace
}  // namespace cauchy::test_discrepancy
