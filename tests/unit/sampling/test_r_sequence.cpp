#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "sampling/samplers/r_sequence.hpp"

namespace cauchy::test_r_sequence {
namespace {

double value(const detail::Fixed128& f) {
  return std::ldexp(static_cast<double>(f.high), -64) +
         std::ldexp(static_cast<double>(f.low), -128);
}

TEST(RSequence, MultipliersAreInversePowersOfTheGeneralisedGoldenRatio) {
  EXPECT_LT(std::abs(1 / value(detail::r_sequence_multipliers(1)[0]) - 1.6180339887498948), 5e-16);
  EXPECT_LT(std::abs(1 / value(detail::r_sequence_multipliers(2)[0]) - 1.3247179572447460), 5e-16);
  EXPECT_LT(std::abs(1 / value(detail::r_sequence_multipliers(3)[0]) - 1.2207440846057595), 5e-16);
  for (const std::size_t d : {1, 2, 3, 10, 100, 10'000}) {
    double x = 2;  // x <- (1 + x)^{1/(d+1)} contracts
    for (int i = 0; i < 100; ++i) x = std::pow(1 + x, 1 / static_cast<double>(d + 1));
    const auto g = detail::r_sequence_multipliers(d);
    ASSERT_EQ(g.size(), d);
    EXPECT_LT(std::abs(value(g[0]) * x - 1), 1e-15) << d;
    EXPECT_LT(std::abs(value(g[d - 1]) * (1 + value(g[0])) - 1), 1e-15) << d;
  }
}

// Reference values from 70-digit arithmetic; coordinates are rounded down to 2^-53.
TEST(RSequence, StaysExactForLargeIndices) {
  struct Case {
    std::size_t d;
    std::uint64_t i;
    std::size_t k;
    double x;
  };
  for (const Case& c : std::vector<Case>{{1, 1'000'000'000'000'000, 1, 0.96623857558426048632},
                                         {2, 1'000'000'000'000'000, 2, 0.33575169095617283456},
                                         {3, std::uint64_t{1} << 52, 3, 0.91473925186628498355},
                                         {10, 1'000'000'000'000, 7, 0.062553844230811797037},
                                         {100, 1'000'000'000'000, 100, 0.095957172605613675044}}) {
    std::vector<double> x(c.d);
    make_sampler({.kind = SamplerKind::r_sequence}, c.d, 0)->fill(c.i, 1, x.data());
    EXPECT_LT(std::abs(x[c.k - 1] - c.x), 2 * 0x1p-53) << c.d;
  }
}

TEST(RSequence, BeginsWithOneStepFromOneHalf) {
  const auto x = unit_points({.kind = SamplerKind::r_sequence}, 1, 3);
  EXPECT_LT(std::abs(x[0] - 0.1180339887498949), 3e-16);
  EXPECT_LT(std::abs(x[1] - 0.7360679774997898), 3e-16);
  EXPECT_LT(std::abs(x[2] - 0.3541019662496847), 3e-16);
}

// Three gaps: n points of the golden rotation leave gaps of at least 1 / (sqrt(5) n) (1 - o(1)).
TEST(RSequence, GoldenRotationKeepsItsPointsApart) {
  auto x = unit_points({.kind = SamplerKind::r_sequence}, 1, 1000);
  std::sort(x.begin(), x.end());
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_GT(x[i] - x[i - 1], 0.38 / 1000);
}

TEST(RSequence, RefusesTooManyDimensionsAndPoints) {
  EXPECT_THROW((void)make_sampler({.kind = SamplerKind::r_sequence}, 10'001, 0), Error);
  double x;
  const auto sampler = make_sampler({.kind = SamplerKind::r_sequence}, 1, 0);
  EXPECT_NO_THROW(sampler->fill((std::uint64_t{1} << 63) - 1, 1, &x));
  EXPECT_THROW(sampler->fill(std::uint64_t{1} << 63, 1, &x), Error);
}

}  // namespace
}  // namespace cauchy::test_r_sequence
