#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "sampling/samplers/radical_inverse.hpp"

namespace cauchy::test_faure {
namespace {

SamplerOptions options(Randomize randomize = Randomize::none, std::uint64_t seed = 0) {
  return {.kind = SamplerKind::faure, .randomize = randomize, .seed = seed};
}

/// Coordinate k (from 0) of point n by the definition, with binomials as exact integers.
double plain_faure(std::uint64_t n, std::uint64_t k, std::uint64_t b) {
  std::vector<std::uint64_t> a;
  for (; n != 0; n /= b) a.push_back(n % b);
  double x = 0, weight = 1 / static_cast<double>(b);
  for (std::size_t j = 0; j < a.size(); ++j, weight /= static_cast<double>(b)) {
    std::uint64_t y = 0, binomial = 1, power = 1;
    for (std::size_t l = j; l < a.size(); ++l) {
      y += binomial % b * power % b * a[l];
      binomial = binomial * (l + 1) / (l + 1 - j);
      power = power * k % b;
    }
    x += static_cast<double>(y % b) * weight;
  }
  return x;
}

/// The cell of x among b^m equal ones. Coordinates are multiples of b^-L that may lie a rounding
/// error below the border of a cell.
std::size_t cell(double x, double cells) { return static_cast<std::size_t>((x + 1e-13) * cells); }

TEST(Faure, UsesTheSmallestPrimeBaseFromTheDimensionOn) {
  for (const auto& [d, base] : std::vector<std::pair<std::size_t, double>>{
           {1, 2}, {2, 2}, {3, 3}, {4, 5}, {5, 5}, {6, 7}, {8, 11}, {100, 101}}) {
    const auto x = unit_points(options(), d, 2);
    for (std::size_t k = 0; k < d; ++k) {
      EXPECT_EQ(x[k], 0);
      EXPECT_EQ(x[d + k], 1 / base);
    }
  }
}

TEST(Faure, MatchesTheDefinition) {
  for (const std::size_t d : {1, 2, 3, 7, 13}) {
    const std::uint32_t b = detail::prime_from(static_cast<std::uint32_t>(d < 2 ? 2 : d));
    const auto sampler = make_sampler(options(), d, 0);
    for (const std::uint64_t first :
         {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1} << 33}) {
      std::vector<double> x(200 * d);
      sampler->fill(first, 200, x.data());
      for (std::size_t p = 0; p < 200; ++p) {
        for (std::size_t k = 0; k < d; ++k) {
          // The plain sum rounds once per digit, at most 34 of them.
          ASSERT_LT(std::abs(x[p * d + k] - plain_faure(first + p, k, b)), 34 * 0x1p-53)
              << d << ' ' << first + p << ' ' << k;
        }
      }
    }
  }
}

TEST(Faure, First27PointsInBase3FillAll27Cells) {
  for (const Randomize randomize : {Randomize::none, Randomize::scramble}) {
    for (const std::uint64_t first : {0, 27, 27 * 11}) {
      std::vector<double> x(27 * 3);
      make_sampler(options(randomize, 8), 3, 0)->fill(first, 27, x.data());
      std::set<std::size_t> cells;
      for (std::size_t p = 0; p < 27; ++p) {
        cells.insert(9 * cell(x[3 * p], 3) + 3 * cell(x[3 * p + 1], 3) + cell(x[3 * p + 2], 3));
      }
      EXPECT_EQ(cells.size(), 27u);
    }
  }
}

TEST(Faure, EveryElementaryIntervalOf16PointsInBase2HasOnePoint) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto x =
        unit_points(options(seed == 0 ? Randomize::none : Randomize::scramble, seed), 2, 16);
    for (int i = 0; i <= 4; ++i) {
      std::set<std::size_t> cells;
      for (std::size_t p = 0; p < 16; ++p) {
        cells.insert((cell(x[2 * p], std::ldexp(1, i)) << 8) +
                     cell(x[2 * p + 1], std::ldexp(1, 4 - i)));
      }
      EXPECT_EQ(cells.size(), 16u) << "seed " << seed << ", split " << i;
    }
  }
}

TEST(Faure, FiveDimensionsAreA0m5NetAlsoWhenScrambled) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto x =
        unit_points(options(seed == 0 ? Randomize::none : Randomize::scramble, seed), 5, 125);
    for (std::size_t a = 0; a < 5; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        std::set<std::size_t> cells;
        for (std::size_t p = 0; p < 125; ++p) {
          cells.insert(1000 * cell(x[5 * p + a], 25) + cell(x[5 * p + b], 5));
        }
        EXPECT_EQ(cells.size(), 125u);
      }
    }
  }
}

TEST(Faure, ScrambledPointsDoNotDependOnWhereFillStarts) {
  const auto sampler = make_sampler(options(Randomize::scramble, 3), 4, 0);
  std::vector<double> all(500 * 4), part(4);
  sampler->fill(0, 500, all.data());
  for (std::size_t p = 0; p < 500; ++p) {
    sampler->fill(p, 1, part.data());
    for (std::size_t k = 0; k < 4; ++k) ASSERT_EQ(part[k], all[4 * p + k]);
  }
}

// Five standard deviations of the mean of 2048 uniform numbers.
TEST(Faure, ScramblingMakesEachPointUniformOverTheSeeds) {
  const int seeds = 2048;
  std::vector<double> sum(3, 0.0);
  for (int s = 0; s < seeds; ++s) {
    const auto x = unit_points(options(Randomize::scramble, static_cast<std::uint64_t>(s)), 3, 8);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += x[7 * 3 + k];
  }
  for (const double s : sum) EXPECT_LT(std::abs(s / seeds - 0.5), 5 / std::sqrt(12.0 * seeds));
}

TEST(Faure, EndsWithAnError) {
  const auto sampler = make_sampler(options(), 2, 0);
  double x[4];
  const std::uint64_t end = std::uint64_t{1} << 53;
  EXPECT_NO_THROW(sampler->fill(end - 2, 2, x));
  EXPECT_LT(x[3], 1);
  EXPECT_THROW(sampler->fill(end - 1, 2, x), Error);
  EXPECT_THROW((void)make_sampler(options(), 2040, 0), Error);
  EXPECT_NO_THROW(unit_points(options(), 2039, 2));
}

}  // namespace
}  // namespace cauchy::test_faure
