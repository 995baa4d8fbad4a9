#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "sampling/samplers/sobol.hpp"

namespace cauchy::test_sobol {
namespace {

using detail::kSobolDimensions;
using detail::sobol_coordinate;
using detail::sobol_directions;

SamplerOptions options(Randomize randomize, std::uint64_t seed = 0) {
  return {.kind = SamplerKind::sobol, .randomize = randomize, .seed = seed};
}

/// Whether the 2^m points have one point in every elementary interval of the plane, columns a, b.
bool is_plane_net(const std::vector<double>& x, std::size_t d, int m, std::size_t a,
                  std::size_t b) {
  for (int i = 0; i <= m; ++i) {
    std::vector<int> count(std::size_t{1} << m, 0);
    for (std::size_t p = 0; p < count.size(); ++p) {
      const auto row = static_cast<std::size_t>(std::ldexp(x[p * d + a], i));
      const auto column = static_cast<std::size_t>(std::ldexp(x[p * d + b], m - i));
      ++count[(row << (m - i)) + column];
    }
    if (std::any_of(count.begin(), count.end(), [](int c) { return c != 1; })) return false;
  }
  return true;
}

/// Whether each column of the 2^m points has one value in each [k / 2^m, (k + 1) / 2^m).
bool columns_are_stratified(const std::vector<double>& x, std::size_t d, int m) {
  const std::size_t n = std::size_t{1} << m;
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<bool> seen(n, false);
    for (std::size_t p = 0; p < n; ++p) {
      const auto cell = static_cast<std::size_t>(std::ldexp(x[p * d + k], m));
      if (cell >= n || seen[cell]) return false;
      seen[cell] = true;
    }
  }
  return true;
}

// Joe and Kuo's sequence as other programs print it: 1024 times the coordinates of some points.
TEST(Sobol, HasTheKnownPointsOfTheJoeKuoSequence) {
  constexpr std::array<std::size_t, 11> columns = {0, 1, 2, 3, 4, 9, 99, 499, 1110, 1499, 2047};
  struct Row {
    std::size_t n;
    std::array<double, 11> values;
  };
  const std::vector<Row> rows = {
      {0, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {1, {512, 512, 512, 512, 512, 512, 512, 512, 512, 512, 512}},
      {2, {768, 256, 256, 256, 768, 768, 768, 256, 768, 768, 768}},
      {3, {256, 768, 768, 768, 256, 256, 256, 768, 256, 256, 256}},
      {4, {384, 384, 640, 896, 384, 640, 896, 640, 896, 896, 128}},
      {5, {896, 896, 128, 384, 896, 128, 384, 128, 384, 384, 640}},
      {6, {640, 128, 896, 640, 640, 384, 128, 896, 128, 128, 896}},
      {7, {128, 640, 384, 128, 128, 896, 640, 384, 640, 640, 384}},
      {8, {192, 320, 960, 448, 576, 320, 960, 448, 320, 960, 576}},
      {9, {704, 832, 448, 960, 64, 832, 448, 960, 832, 448, 64}},
      {100, {424, 264, 792, 744, 904, 712, 904, 504, 472, 792, 360}},
      {511, {2, 514, 418, 866, 362, 206, 434, 118, 314, 1014, 714}},
      {1023, {1, 771, 627, 149, 191, 871, 543, 485, 603, 311, 247}},
  };
  const std::vector<double> x = unit_points(options(Randomize::none), 2048, 1024);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      EXPECT_EQ(x[row.n * 2048 + columns[c]] * 1024, row.values[c]) << row.n << ' ' << columns[c];
    }
  }
}

// The recurrence beyond the tabulated numbers: directions 1, 20, 36 and 52 as others compute them.
TEST(Sobol, HasTheKnownDirectionNumbers) {
  struct Row {
    std::size_t k;
    std::array<std::uint64_t, 3> v;
  };
  const std::vector<Row> rows = {
      {0, {0x100000000, 0x10000, 0x1}},
      {1, {0xf000f00000000, 0xf0000000f0000, 0xf000f000f000f}},
      {2, {0xc590900000000, 0x5590900090000, 0x9000000055909}},
      {9, {0x69ff700000000, 0x99f50c2f50000, 0xeb00099f503f1}},
      {99, {0x917d00000000, 0x4e94ed38f0000, 0x9153d6cd08f77}},
      {1110, {0xd900500000000, 0x1370001170000, 0xe5dcfc324c86d}},
      {2047, {0x5077900000000, 0xaf7bcfb070000, 0x6e1a51f0e0789}},
  };
  const std::vector<std::uint64_t> v = sobol_directions(2048);
  for (const Row& row : rows) {
    EXPECT_EQ(v[row.k], std::uint64_t{1} << 51);
    EXPECT_EQ(v[19 * 2048 + row.k], row.v[0]) << row.k;
    EXPECT_EQ(v[35 * 2048 + row.k], row.v[1]) << row.k;
    EXPECT_EQ(v[51 * 2048 + row.k], row.v[2]) << row.k;
  }
}

TEST(Sobol, PlaneHasOnePointInEveryElementaryInterval) {
  for (const int m : {1, 4, 8, 11}) {
    EXPECT_TRUE(
        is_plane_net(unit_points(options(Randomize::none), 2, std::size_t{1} << m), 2, m, 0, 1));
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto x = unit_points(options(Randomize::scramble, seed), 2, std::size_t{1} << m);
      EXPECT_TRUE(is_plane_net(x, 2, m, 0, 1)) << "scrambled, m = " << m << ", seed " << seed;
    }
  }
  // The check itself must be able to fail: columns 2 and 3 are no (0, 8, 2)-net.
  EXPECT_FALSE(is_plane_net(unit_points(options(Randomize::none), 4, 256), 4, 8, 2, 3));
}

TEST(Sobol, LaterBlocksOf2ToTheMPointsAreNetsToo) {
  std::vector<double> x(256 * 2);
  make_sampler(options(Randomize::scramble, 9), 2, 0)->fill(7 * 256, 256, x.data());
  EXPECT_TRUE(is_plane_net(x, 2, 8, 0, 1));
}

TEST(Sobol, EveryAxisOfAllDimensionsIsAPermutationOfTheMultiples) {
  const std::size_t d = kSobolDimensions;
  for (const int m : {6, 10}) {
    const std::size_t n = std::size_t{1} << m;
    const std::vector<double> x = unit_points(options(Randomize::none), d, n);
    EXPECT_TRUE(columns_are_stratified(x, d, m));
    // Unscrambled they are the multiples themselves.
    EXPECT_TRUE(std::all_of(x.begin(), x.end(), [&](double value) {
      return std::ldexp(value, m) == std::floor(std::ldexp(value, m));
    }));
    EXPECT_TRUE(columns_are_stratified(unit_points(options(Randomize::scramble, 5), d, n), d, m));
  }
}

TEST(Sobol, GrayCodeOrderHasTheSamePointsAsTheDirectOrder) {
  const std::size_t d = 5, n = 512;
  const std::vector<std::uint64_t> v = sobol_directions(d);
  const std::vector<double> gray = unit_points(options(Randomize::none), d, n);
  std::vector<std::vector<double>> a, b;
  for (std::size_t p = 0; p < n; ++p) {
    a.emplace_back(&gray[p * d], &gray[p * d] + d);
    b.emplace_back();
    for (std::size_t k = 0; k < d; ++k) b.back().push_back(sobol_coordinate(v, d, k, p));
  }
  EXPECT_NE(a, b);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
}

TEST(Sobol, FillMatchesThePlainFormulaFromAnyIndex) {
  for (const std::size_t d : {1, 2, 3, 4, 7, 32, 33, 100}) {
    const std::vector<std::uint64_t> v = sobol_directions(d);
    const auto sampler = make_sampler(options(Randomize::none), d, 0);
    for (const std::uint64_t first :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{8},
          std::uint64_t{1} << 32, (std::uint64_t{1} << 40) - 13, (std::uint64_t{1} << 52) - 29}) {
      for (const std::size_t n : {1, 3, 8, 29}) {
        std::vector<double> x(n * d);
        sampler->fill(first, n, x.data());
        for (std::size_t p = 0; p < n; ++p) {
          const std::uint64_t i = first + p;
          for (std::size_t k = 0; k < d; ++k) {
            ASSERT_EQ(x[p * d + k], sobol_coordinate(v, d, k, i ^ (i >> 1)))
                << "d = " << d << ", point " << i << ", coordinate " << k;
          }
        }
      }
    }
  }
}

TEST(Sobol, EndsAfter2ToThe52PointsWithAnError) {
  const auto sampler = make_sampler(options(Randomize::none), 2, 0);
  double x[4];
  const std::uint64_t end = std::uint64_t{1} << 52;
  EXPECT_NO_THROW(sampler->fill(end - 2, 2, x));
  EXPECT_THROW(sampler->fill(end - 1, 2, x), Error);
  EXPECT_THROW(sampler->fill(~std::uint64_t{0}, 2, x), Error);
  EXPECT_THROW((void)make_sampler(options(Randomize::none), 2049, 0), Error);
}

// Matrix scrambling and digital shift: each coordinate of each point is uniform, here point 0 over
// 4096 seeds: the mean of 4096 uniform numbers deviates by more than 5 / sqrt(12 * 4096) with
// probability 6e-7.
TEST(Sobol, ScramblingMakesEachPointUniformOverTheSeeds) {
  const int seeds = 4096;
  double sum0 = 0, sum5 = 0;
  for (int s = 0; s < seeds; ++s) {
    const auto x = unit_points(options(Randomize::scramble, static_cast<std::uint64_t>(s)), 3, 6);
    sum0 += x[1];
    sum5 += x[5 * 3 + 2];
  }
  const double tolerance = 5 / std::sqrt(12.0 * seeds);
  EXPECT_LT(std::abs(sum0 / seeds - 0.5), tolerance);
  EXPECT_LT(std::abs(sum5 / seeds - 0.5), tolerance);
}

// Scrambled nets integrate smooth functions with a standard deviation O(n^-1.5 log n): at n = 1024
// below a hundredth of the 0.01 of independent points.
TEST(Sobol, ScrambledMeansVaryFarLessThanIndependentOnes) {
  double square = 0;
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    const auto x = unit_points(options(Randomize::scramble, seed), 2, 1024);
    double sum = 0;
    for (std::size_t p = 0; p < 1024; ++p) sum += std::exp(x[2 * p] * x[2 * p + 1]);
    const double exact = 1.3179021514544038;  // sum 1 / (n! (n + 1)^2)
    square += std::pow(sum / 1024 - exact, 2);
  }
  EXPECT_LT(std::sqrt(square / 32), 1e-4);
  EXPECT_GT(square, 0);
}

}  // namespace
}  // namespace cauchy::test_sobol
