#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/sampling/discrepancy.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_sampler {
namespace {

using enum SamplerKind;

const std::vector<SamplerKind> kAll = {uniform,    grid,  lattice,    halton,         sobol,
                                       hammersley, faure, r_sequence, latin_hypercube};
bool is_finite(SamplerKind k) {
  return k == grid || k == lattice || k == hammersley || k == latin_hypercube;
}
bool scrambles(SamplerKind k) { return k == halton || k == sobol || k == hammersley || k == faure; }

std::string message_of(const SamplerOptions& options, std::size_t d, std::uint64_t n) {
  return cauchy::message_of([&] { return make_sampler(options, d, n); });
}

TEST(Sampler, NamesGoBothWays) {
  EXPECT_EQ(sampler_names().size(), kAll.size());
  for (const SamplerKind k : kAll) EXPECT_EQ(sampler_kind(sampler_name(k)), k);
  EXPECT_EQ(sampler_name(r_sequence), "r_sequence");
  EXPECT_EQ(sampler_name(latin_hypercube), "latin_hypercube");
}

TEST(Sampler, UnknownNameSuggestsTheNearestOne) {
  try {
    (void)sampler_kind("sobel");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("'sobel'"), std::string::npos);
    EXPECT_NE(e.hint().find("'sobol'"), std::string::npos);
  }
  try {
    (void)sampler_kind("quite something else");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(e.hint().find("hammersley"), std::string::npos);
  }
}

TEST(Sampler, PointsLieInTheHalfOpenCubeAndDoNotDependOnWhereFillStarts) {
  for (const SamplerKind kind : kAll) {
    for (const Randomize randomize : {Randomize::none, Randomize::shift, Randomize::scramble}) {
      if (randomize == Randomize::scramble && !scrambles(kind)) continue;
      for (const std::size_t d : {1, 2, 5, 40}) {
        const std::size_t n = 300;
        const SamplerOptions options{.kind = kind, .randomize = randomize, .seed = 11};
        const auto sampler = make_sampler(options, d, n);
        EXPECT_EQ(sampler->dimension(), d);
        EXPECT_EQ(sampler->size(), is_finite(kind) ? n : 0);
        const std::vector<double> x = unit_points(options, d, n);
        ASSERT_EQ(x.size(), n * d);
        EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](double v) { return v >= 0 && v < 1; }));
        std::vector<double> part(7 * d);
        for (const std::size_t first : {0, 1, 63, 150, 293}) {
          sampler->fill(first, 7, part.data());
          EXPECT_TRUE(std::equal(part.begin(), part.end(),
                                 x.begin() + static_cast<std::ptrdiff_t>(first * d)))
              << sampler_name(kind) << ", d = " << d << ", from " << first;
        }
      }
    }
  }
}

TEST(Sampler, SeedsChangeRandomizedSetsOnly) {
  for (const SamplerKind kind : kAll) {
    const auto points = [&](Randomize randomize, std::uint64_t seed) {
      return unit_points({.kind = kind, .randomize = randomize, .seed = seed}, 3, 50);
    };
    const bool random = kind == uniform || kind == latin_hypercube;
    EXPECT_EQ(points(Randomize::none, 1) != points(Randomize::none, 2), random);
    EXPECT_NE(points(Randomize::shift, 1), points(Randomize::shift, 2));
    EXPECT_EQ(points(Randomize::shift, 1), points(Randomize::shift, 1));
    if (scrambles(kind)) {
      EXPECT_NE(points(Randomize::scramble, 1), points(Randomize::scramble, 2));
      EXPECT_NE(points(Randomize::scramble, 1), points(Randomize::none, 1));
    }
  }
}

TEST(Sampler, ShiftMovesAllPointsByOneVectorModulo1) {
  for (const SamplerKind kind : kAll) {
    if (kind == uniform || kind == latin_hypercube) continue;
    const std::size_t d = 3, n = 64;
    const auto x = unit_points({.kind = kind}, d, n);
    const auto y = unit_points({.kind = kind, .randomize = Randomize::shift, .seed = 3}, d, n);
    for (std::size_t k = 0; k < d; ++k) {
      const double shift = y[k] - x[k];
      for (std::size_t p = 0; p < n; ++p) {
        const double difference = y[p * d + k] - x[p * d + k] - shift;
        // An integer up to the rounding of three sums of numbers below 2.
        EXPECT_LT(std::abs(difference - std::round(difference)), 4 * 0x1p-52);
      }
    }
  }
}

TEST(Sampler, SkipLeavesOutTheFirstPointsOfASequence) {
  for (const SamplerKind kind : kAll) {
    if (is_finite(kind)) continue;
    for (const Randomize randomize : {Randomize::none, Randomize::shift}) {
      const auto all = unit_points({.kind = kind, .randomize = randomize}, 2, 30);
      const auto rest = unit_points({.kind = kind, .randomize = randomize, .skip = 10}, 2, 20);
      EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 20));
    }
  }
}

TEST(Sampler, MisuseNamesTheSampler) {
  const std::uint64_t n = 10;
  for (const SamplerKind kind : kAll) {
    const std::string place = "[sampling." + std::string(sampler_name(kind)) + "]";
    EXPECT_NE(message_of({.kind = kind}, 0, n).find(place), std::string::npos);
    EXPECT_THROW((void)unit_points({.kind = kind}, 2, 0), Error);
    EXPECT_THROW((void)unit_points({.kind = kind}, 0, 5), Error);
    if (is_finite(kind)) {
      EXPECT_NE(message_of({.kind = kind}, 2, 0).find("positive, got 0"), std::string::npos);
      EXPECT_NE(message_of({.kind = kind, .skip = 1}, 2, n).find("skip"), std::string::npos);
    } else {
      EXPECT_EQ(message_of({.kind = kind}, 2, 0), "no error");
      EXPECT_THROW(
          make_sampler({.kind = kind, .skip = ~std::uint64_t{0}}, 2, 0)->fill(1, 1, nullptr),
          Error);
    }
    if (!scrambles(kind)) {
      const std::string m = message_of({.kind = kind, .randomize = Randomize::scramble}, 2, n);
      EXPECT_NE(m.find("no scrambling"), std::string::npos);
      EXPECT_NE(m.find(place), std::string::npos);
    }
    // More points than there are: an Error, never a wrap-around.
    const auto sampler = make_sampler({.kind = kind}, 2, n);
    EXPECT_THROW(sampler->fill(~std::uint64_t{0} - 1, 5, nullptr), Error);
    if (is_finite(kind)) {
      EXPECT_THROW(sampler->fill(5, 6, nullptr), Error);
      EXPECT_THROW((void)make_sampler({.kind = kind}, 2, std::uint64_t{1} << 60), Error);
    }
  }
  for (const SamplerKind kind : {sobol, halton, hammersley, faure, r_sequence}) {
    EXPECT_NE(message_of({.kind = kind}, 100'000, n).find("dimension 100000"), std::string::npos);
  }
  EXPECT_THROW((void)make_sampler({.kind = static_cast<SamplerKind>(77)}, 2, n), Error);
  EXPECT_THROW((void)unit_points({.kind = uniform}, 2, std::size_t{1} << 60), Error);
}

TEST(Uniform, PointsAreWordsOfOneStream) {
  const auto sampler = make_sampler({.kind = uniform, .seed = 5}, 3, 0);
  std::vector<double> x(30);
  sampler->fill(7, 10, x.data());
  // Mean and lack of correlation of 3 x 20,000 numbers, five standard deviations.
  const std::size_t n = 20'000;
  const auto many = unit_points({.kind = uniform, .seed = 5}, 3, n);
  EXPECT_TRUE(std::equal(x.begin(), x.end(), many.begin() + 21));
  double sum = 0, product = 0;
  for (const double v : many) sum += v - 0.5;
  for (std::size_t p = 0; p < n; ++p) product += (many[3 * p] - 0.5) * (many[3 * p + 1] - 0.5);
  EXPECT_LT(std::abs(sum), 5 * std::sqrt(3 * n / 12.0));
  EXPECT_LT(std::abs(product), 5 * std::sqrt(n / 144.0));
}

TEST(Sampler, QuasiRandomSetsHaveLowerDiscrepancyThanRandomOnes) {
  const auto discrepancy = [](SamplerKind kind, std::uint64_t seed = 0) {
    return l2_star_discrepancy(unit_points({.kind = kind, .seed = seed}, 2, 1024), 2);
  };
  // E D^2 = (2^-d - 3^-d) / n for independent points: D is about 0.0116.
  double random = 1;
  for (const std::uint64_t seed : {1, 2, 3}) random = std::min(random, discrepancy(uniform, seed));
  EXPECT_GT(random, 0.003);
  for (const SamplerKind kind : {sobol, halton, hammersley, faure, r_sequence, lattice}) {
    // The smallest discrepancies of 1024 points are near 0.001; a third of the random one is ample.
    EXPECT_LT(discrepancy(kind), random / 3) << sampler_name(kind);
  }
  EXPECT_LT(discrepancy(latin_hypercube, 1), random);
}

/// Star discrepancy of a set in the plane by its definition: boxes [0, a) x [0, b) and their
/// closures with corners at coordinates of points. Cost O(n^2).
double star_discrepancy_2d(const std::vector<double>& x) {
  const std::size_t n = x.size() / 2;
  std::vector<std::pair<double, double>> sorted;
  for (std::size_t p = 0; p < n; ++p) sorted.emplace_back(x[2 * p], x[2 * p + 1]);
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> ys = {1};
  for (const auto& point : sorted) ys.push_back(point.second);
  double largest = 0;
  for (const double b : ys) {
    double open = 0, closed = 0;         // points left of the corner, below b
    for (const auto& [a, y] : sorted) {  // first coordinates must differ
      closed += y <= b ? 1 : 0;
      largest = std::max({largest, a * b - open / static_cast<double>(n),
                          closed / static_cast<double>(n) - a * b});
      open += y < b ? 1 : 0;
    }
    largest = std::max(largest, b - open / static_cast<double>(n));
  }
  return largest;
}

// In the star and the centered discrepancy. The L2-star one of the plane is dominated by the
// one-sided bias of Hammersley's points (see the next test), which Halton's do not have.
TEST(Sampler, HammersleyHasALowerDiscrepancyThanHaltonOfTheSameNumber) {
  for (const std::size_t n : {100, 256, 500, 1000, 1024}) {
    const auto a = unit_points({.kind = hammersley}, 2, n);
    const auto b = unit_points({.kind = halton}, 2, n);
    EXPECT_LT(star_discrepancy_2d(a), star_discrepancy_2d(b)) << n;
    EXPECT_LT(centered_l2_discrepancy(a, 2), centered_l2_discrepancy(b, 2)) << n;
  }
}

// Halton and Zaremba (1969), for N = 2^m points in the plane:
//   (N D)^2 = m^2/64 + 29 m/192 + 3/8 - m/2^{m+4} + 1/2^{m+2} - 1/(9 2^{2m+3})
TEST(Sampler, HammersleyHasTheKnownL2StarDiscrepancy) {
  for (int m = 1; m <= 10; ++m) {
    const double N = std::ldexp(1, m);
    const double exact =
        m * m / 64.0 + 29 * m / 192.0 + 3 / 8.0 - m / (16 * N) + 1 / (4 * N) - 1 / (72 * N * N);
    const double d =
        l2_star_discrepancy(unit_points({.kind = hammersley}, 2, std::size_t{1} << m), 2);
    // D^2 is known to about N eps; (N D)^2 then to N^3 eps at worst.
    EXPECT_LT(std::abs(N * N * d * d - exact), 1e-15 * N * N * std::sqrt(N) + 1e-14) << m;
  }
}

}  // namespace
}  // namespace cauchy::test_sampler
