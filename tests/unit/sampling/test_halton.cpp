#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "sampling/samplers/radical_inverse.hpp"

namespace cauchy::test_halton {
namespace {

using detail::first_primes;
using detail::radical_inverse;

TEST(RadicalInverse, MirrorsTheDigits) {
  EXPECT_EQ(radical_inverse(0, 2), 0);
  const std::vector<double> base2 = {1. / 2, 1. / 4, 3. / 4, 1. / 8, 5. / 8, 3. / 8, 7. / 8};
  const std::vector<double> base3 = {1. / 3, 2. / 3, 1. / 9, 4. / 9, 7. / 9, 2. / 9, 5. / 9};
  for (std::uint64_t n = 1; n <= 7; ++n) {
    EXPECT_EQ(radical_inverse(n, 2), base2[n - 1]);
    EXPECT_EQ(radical_inverse(n, 3), base3[n - 1]);
  }
  // Exact powers of the base have one digit more than the rounded logarithm says.
  EXPECT_EQ(radical_inverse(243, 3), 1. / 729);
  EXPECT_EQ(radical_inverse(1000 * 1000, 10), 1e-7);
}

TEST(RadicalInverse, KnowsThePrimes) {
  const std::vector<std::uint32_t> p = first_primes(2048);
  EXPECT_EQ(p[0], 2u);
  EXPECT_EQ(p[9], 29u);
  EXPECT_EQ(p[999], 7919u);
  EXPECT_EQ(p[2047], 17863u);
}

TEST(Halton, BeginsWithOneHalfAndOneThird) {
  const auto x = unit_points({.kind = SamplerKind::halton}, 3, 4);
  const std::vector<double> expected = {1. / 2, 1. / 3, 1. / 5, 1. / 4, 2. / 3, 2. / 5,
                                        3. / 4, 1. / 9, 3. / 5, 1. / 8, 4. / 9, 4. / 5};
  EXPECT_EQ(x, expected);
}

TEST(Halton, FillMatchesThePlainFormulaFromAnyIndex) {
  const std::size_t d = 60;
  const auto primes = first_primes(d);
  const auto sampler = make_sampler({.kind = SamplerKind::halton}, d, 0);
  // Below 2^53 / 281 quotients are correctly rounded and must agree in every bit.
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{255}, std::uint64_t{999'983}, std::uint64_t{1} << 44}) {
    std::vector<double> x(600 * d);
    sampler->fill(first, 600, x.data());
    for (std::size_t p = 0; p < 600; ++p) {
      for (std::size_t k = 0; k < d; ++k) {
        ASSERT_EQ(x[p * d + k], radical_inverse(first + p + 1, primes[k])) << first << ' ' << k;
      }
    }
  }
  // Beyond, within 2 ulp.
  const std::uint64_t last = (std::uint64_t{1} << 48) - 3;
  std::vector<double> x(2 * d);
  sampler->fill(last, 2, x.data());
  for (std::size_t k = 0; k < d; ++k) {
    EXPECT_LT(std::abs(x[d + k] - radical_inverse(last + 2, primes[k])), 4e-16);
  }
}

TEST(Halton, EndsWithAnErrorBeforeIndicesWrap) {
  const auto sampler = make_sampler({.kind = SamplerKind::halton}, 1, 0);
  double x[2];
  EXPECT_NO_THROW(sampler->fill((std::uint64_t{1} << 48) - 3, 2, x));
  EXPECT_THROW(sampler->fill((std::uint64_t{1} << 48) - 2, 2, x), Error);
  EXPECT_THROW(sampler->fill(~std::uint64_t{0}, 1, x), Error);
  EXPECT_THROW((void)make_sampler({.kind = SamplerKind::halton}, 2049, 0), Error);
}

// b^m consecutive points from n = 0 on (index -1 of the sequence, so from b^m - 1) fall into
// different intervals of length b^-m, with scrambled digits too.
TEST(Halton, EveryAxisIsStratifiedAlsoWhenScrambled) {
  const std::size_t d = 8;
  const auto primes = first_primes(d);
  for (const Randomize randomize : {Randomize::none, Randomize::scramble}) {
    const auto sampler =
        make_sampler({.kind = SamplerKind::halton, .randomize = randomize, .seed = 4}, d, 0);
    for (std::size_t k = 0; k < d; ++k) {
      const std::size_t n = std::size_t{primes[k]} * primes[k];
      std::vector<double> x(n * d);
      sampler->fill(3 * n - 1, n, x.data());
      std::vector<bool> seen(n, false);
      for (std::size_t p = 0; p < n; ++p) {
        // Points lie at or just below multiples of 1/n in doubles: a nudge of 1e-12 settles it.
        const auto cell = static_cast<std::size_t>((x[p * d + k] + 1e-12) * static_cast<double>(n));
        ASSERT_LT(cell, n);
        EXPECT_FALSE(seen[cell]) << primes[k];
        seen[cell] = true;
      }
    }
  }
}

// Five standard deviations of the mean of 4096 uniform numbers.
TEST(Halton, ScramblingMakesEachPointUniformOverTheSeeds) {
  const int seeds = 4096;
  std::vector<double> sum(4, 0.0), square(4, 0.0);
  for (int s = 0; s < seeds; ++s) {
    const auto x = unit_points({.kind = SamplerKind::halton,
                                .randomize = Randomize::scramble,
                                .seed = static_cast<std::uint64_t>(s)},
                               4, 1);
    for (std::size_t k = 0; k < 4; ++k) {
      sum[k] += x[k];
      square[k] += x[k] * x[k];
    }
  }
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LT(std::abs(sum[k] / seeds - 0.5), 5 / std::sqrt(12.0 * seeds));
    // The variance of U^2 is 1/5 - 1/9 = 4/45.
    EXPECT_LT(std::abs(square[k] / seeds - 1. / 3), 5 * std::sqrt(4. / 45 / seeds));
  }
}

TEST(Hammersley, FirstCoordinateIsEquispacedAndTheOthersAreRadicalInverses) {
  const std::size_t n = 100;
  const auto x = unit_points({.kind = SamplerKind::hammersley}, 3, n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(x[3 * i], static_cast<double>(i) / n);
    EXPECT_EQ(x[3 * i + 1], radical_inverse(i, 2));
    EXPECT_EQ(x[3 * i + 2], radical_inverse(i, 3));
  }
  EXPECT_EQ(unit_points({.kind = SamplerKind::hammersley}, 1, 4),
            (std::vector<double>{0, 0.25, 0.5, 0.75}));
}

// The mean over a scrambled set is unbiased: f = x y^2 over 2048 seeds and n = 5. One point's f has
// the variance 1/15 - 1/36 < 0.04, the mean of 5 dependent ones less than that.
TEST(Hammersley, ScrambledMeanIsUnbiased) {
  const int seeds = 2048;
  double sum = 0;
  for (int s = 0; s < seeds; ++s) {
    const auto x = unit_points({.kind = SamplerKind::hammersley,
                                .randomize = Randomize::scramble,
                                .seed = static_cast<std::uint64_t>(s)},
                               2, 5);
    for (std::size_t i = 0; i < 5; ++i) sum += x[2 * i] * x[2 * i + 1] * x[2 * i + 1] / 5;
  }
  EXPECT_LT(std::abs(sum / seeds - 1. / 6), 5 * std::sqrt(0.04 / seeds));
}

TEST(Hammersley, HasExactlyItsPoints) {
  const auto sampler = make_sampler({.kind = SamplerKind::hammersley}, 2, 10);
  EXPECT_EQ(sampler->size(), 10u);
  std::vector<double> x(22);
  EXPECT_NO_THROW(sampler->fill(0, 10, x.data()));
  EXPECT_THROW(sampler->fill(0, 11, x.data()), Error);
  EXPECT_THROW(sampler->fill(10, 1, x.data()), Error);
  EXPECT_THROW((void)make_sampler({.kind = SamplerKind::hammersley}, 2, std::uint64_t{1} << 49),
               Error);
}

}  // namespace
}  // namespace cauchy::test_halton
