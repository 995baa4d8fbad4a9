#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace cauchy::test_rng {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Kolmogorov's statistic sqrt(n) sup |F_n - F| of values given as F(x); above 2.2 with probability
// 2 exp(-2 * 2.2^2) = 1.3e-4.
constexpr double kolmogorov_limit = 2.2;
double kolmogorov(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const auto n = static_cast<double>(u.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto k = static_cast<double>(i);
    distance = std::max({distance, u[i] - k / n, (k + 1.0) / n - u[i]});
  }
  return std::sqrt(n) * distance;
}

// (chi^2 - mean) / standard deviation for equally likely cells; 5 is far beyond 1e-4.
double chi_square_score(const std::vector<std::size_t>& counts) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0UL));
  const double expected = total / static_cast<double>(counts.size());
  double chi2 = 0.0;
  for (const std::size_t c : counts) {
    chi2 += std::pow(static_cast<double>(c) - expected, 2) / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (chi2 - freedom) / std::sqrt(2.0 * freedom);
}

TEST(Philox, MatchesTheKnownAnswersOfItsAuthors) {
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // Digits of pi.
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

constexpr std::uint64_t seed = 0x0123456789abcdef, stream = 0xfedcba9876543210;

TEST(Rng, LaysOutWordsAsDocumented) {
  // From a second implementation of the documented layout in another language.
  const Rng rng(seed, stream);
  EXPECT_EQ(rng.bits64_at(0), 0xf69b5950aef2adf7);
  EXPECT_EQ(rng.bits64_at(1), 0x89b6573a3ceb44f4);
  EXPECT_EQ(rng.bits64_at(2), 0x4671fd85ec2ab39f);
  EXPECT_EQ(rng.bits64_at(3), 0x4b77ec7674decae0);
  EXPECT_EQ(rng.bits64_at(0x10000000001), 0xa6e9a363d919c9c3);
  EXPECT_EQ(rng.bits64_at(0xffffffffffffffff), 0x20c7fe03d7631e9d);
  EXPECT_EQ(rng.uniform_at(0), 0x1.ed36b2a15de55p-1);
  EXPECT_EQ(rng.uniform_at(3), 0x1.2ddfb1d9d37b2p-2);
  const Rng child = rng.split(5);
  EXPECT_EQ(child.state(), (RngState{0x31dbd1c26a1102fb, 0x309ca94efda9682e, 0}));
}

TEST(Rng, NormalNumbersHaveTheSameBitsOnEveryMachine) {
  // Hash of the bits of 100,000 numbers; seen equal for gcc and clang at -O0 and -O3.
  std::vector<double> x(100'000);
  Rng(2024).fill_normal(x);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const double v : x) hash = (hash ^ std::bit_cast<std::uint64_t>(v)) * 0x100000001b3;
  EXPECT_EQ(hash, 0xe99d07ddd7c0d919);
}

TEST(Rng, DrawsOneWordPerCallInTheOrderOfTheStream) {
  Rng rng(seed, stream);
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(rng.counter(), i);
    switch (i % 4) {
      case 0:
        EXPECT_EQ(rng.bits64(), rng.bits64_at(i));
        break;
      case 1:
        EXPECT_EQ(rng.uniform(), rng.uniform_at(i));
        break;
      case 2:
        EXPECT_EQ(rng.bits32(), rng.bits64_at(i) >> 32);
        break;
      default:
        EXPECT_EQ(rng.normal(), rng.normal_at(i));
    }
  }
}

TEST(Rng, BulkFillsEqualSuccessiveCalls) {
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0} - 4}) {
    for (const std::size_t n : {0, 1, 2, 3, 4, 17, 100}) {
      Rng bulk(3, 4);
      bulk.set_counter(start);
      Rng one_by_one = bulk;
      std::vector<double> u(n), x(n);
      bulk.fill_uniform(u);
      bulk.fill_normal(x);
      for (const double v : u) EXPECT_EQ(v, one_by_one.uniform());
      for (const double v : x) EXPECT_EQ(v, one_by_one.normal());
      EXPECT_EQ(bulk.state(), one_by_one.state());
      EXPECT_EQ(bulk.bits64(), one_by_one.bits64());
    }
  }
}

TEST(Rng, GoesOnExactlyFromASavedState) {
  Rng rng(11, 12);
  for (int n_before = 0; n_before < 4; ++n_before) {
    Rng restored(rng.state());
    Rng copy = rng;
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t word = copy.bits64();
      EXPECT_EQ(restored.bits64(), word);
    }
    rng.bits64();
  }
  // Jumps from the middle of a block must not use its other half.
  for (const std::uint64_t target : {1, 7, 8, 3}) {
    rng.set_counter(100);
    rng.bits64();
    rng.set_counter(target);
    EXPECT_EQ(rng.bits64(), rng.bits64_at(target));
  }
}

TEST(Rng, UniformNeverReachesZeroOrOne) {
  // Extreme words are too rare to meet; the grid shows it: an odd multiple of 2^-53 is neither.
  Rng rng(1);
  for (int i = 0; i < 10'000; ++i) {
    const double scaled = rng.uniform() * 0x1p53;
    EXPECT_EQ(scaled, std::floor(scaled));
    EXPECT_EQ(std::fmod(scaled, 2.0), 1.0);
  }
}

TEST(Rng, UniformOnAnIntervalStaysInside) {
  Rng rng(1);
  double lowest = 1e300, highest = -1e300;
  for (int i = 0; i < 10'000; ++i) {
    const double x = rng.uniform(-3.0, 5.0);
    lowest = std::min(lowest, x);
    highest = std::max(highest, x);
  }
  EXPECT_GE(lowest, -3.0);
  EXPECT_LE(highest, 5.0);
  // 10,000 numbers leave a gap of 8 * 0.002 at an end with probability exp(-20).
  EXPECT_LT(lowest, -3.0 + 0.016);
  EXPECT_GT(highest, 5.0 - 0.016);
  const double a = 1.0, b = std::nextafter(1.0, 2.0);
  for (int i = 0; i < 100; ++i) EXPECT_LE(rng.uniform(a, b), b);
}

TEST(Rng, UniformPassesKolmogorovAndMomentTests) {
  constexpr std::size_t n = 100'000;
  std::vector<double> u(n);
  Rng(7).fill_uniform(u);
  double mean = 0.0, lag = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    mean += u[i] - 0.5;
    if (i > 0) lag += (u[i] - 0.5) * (u[i - 1] - 0.5);
  }
  // Standard deviations of the sums: sqrt(n / 12) and sqrt(n) / 12; limits at 4 of them.
  const double root_n = std::sqrt(static_cast<double>(n));
  EXPECT_LT(std::fabs(mean), 4.0 * root_n / std::sqrt(12.0));
  EXPECT_LT(std::fabs(lag), 4.0 * root_n / 12.0);
  EXPECT_LT(kolmogorov(u), kolmogorov_limit);
}

TEST(Rng, NormalPassesKolmogorovAndMomentTests) {
  constexpr std::size_t n = 100'000;
  std::vector<double> x(n);
  Rng(8).fill_normal(x);
  double m1 = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0;
  for (const double v : x) {
    m1 += v;
    m2 += v * v - 1.0;
    m3 += v * v * v;
    m4 += v * v * v * v - 3.0;
  }
  // Variances of one term: 1, 2, 15, 96; limits at 4 standard deviations of the sum.
  const double root_n = std::sqrt(static_cast<double>(n));
  EXPECT_LT(std::fabs(m1), 4.0 * root_n);
  EXPECT_LT(std::fabs(m2), 4.0 * root_n * std::sqrt(2.0));
  EXPECT_LT(std::fabs(m3), 4.0 * root_n * std::sqrt(15.0));
  EXPECT_LT(std::fabs(m4), 4.0 * root_n * std::sqrt(96.0));
  for (double& v : x) v = 0.5 * std::erfc(-v / std::sqrt(2.0));
  EXPECT_LT(kolmogorov(x), kolmogorov_limit);
}

TEST(Rng, NormalTakesMeanAndStandardDeviation) {
  Rng a(5), b(5);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.normal(2.0, 3.0), 2.0 + 3.0 * b.normal());
}

TEST(Rng, EveryBitOfAWordIsFair) {
  Rng rng(9);
  constexpr int n = 20'000;
  std::array<int, 64> ones{};
  for (int i = 0; i < n; ++i) {
    const std::uint64_t word = rng.bits64();
    for (std::size_t b = 0; b < 64; ++b) ones[b] += static_cast<int>(word >> b & 1);
  }
  // Standard deviation sqrt(n)/2; 5 of them for the largest of 64.
  for (const int count : ones) EXPECT_LT(std::abs(count - n / 2), 5.0 * 0.5 * std::sqrt(n));
}

TEST(Rng, IntegersAreEquallyLikely) {
  for (const std::uint64_t n : {2, 3, 10, 1000}) {
    Rng rng(10, n);
    std::vector<std::size_t> counts(n);
    for (int i = 0; i < 100'000; ++i) ++counts.at(rng.integer(n));
    EXPECT_LT(std::fabs(chi_square_score(counts)), 5.0) << n;
  }
}

TEST(Rng, IntegersOfARangeNear2To64AreNotBiased) {
  // Of n = 3 * 2^62 values a word taken modulo n, or scaled without rejection, would fall into the
  // lower third, or a residue class mod 3, half of the time instead of a third.
  Rng rng(13);
  const std::uint64_t third = std::uint64_t{1} << 62;
  std::vector<std::size_t> thirds(3), residues(3);
  for (int i = 0; i < 30'000; ++i) {
    const std::uint64_t k = rng.integer(3 * third);
    ++thirds.at(k / third);
    ++residues.at(k % 3);
  }
  EXPECT_LT(std::fabs(chi_square_score(thirds)), 5.0);
  EXPECT_LT(std::fabs(chi_square_score(residues)), 5.0);
  EXPECT_GT(rng.counter(), 30'000U);  // some words were rejected
}

TEST(Rng, IntegerAcceptsOneAndRefusesZero) {
  Rng rng(1);
  EXPECT_EQ(rng.integer(1), 0U);
  EXPECT_THROW(rng.integer(0), Error);
}

TEST(Rng, PermutationHoldsEveryIndexOnce) {
  Rng rng(14);
  for (const std::size_t n : {0, 1, 2, 1000}) {
    std::vector<std::size_t> p(n, 77);
    rng.permutation(p);
    std::sort(p.begin(), p.end());
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(p[i], i);
  }
}

TEST(Rng, All24PermutationsOfFourAreEquallyLikely) {
  Rng rng(15);
  std::map<std::vector<std::size_t>, std::size_t> seen;
  std::vector<std::size_t> p(4);
  for (int i = 0; i < 24'000; ++i) {
    rng.permutation(p);
    ++seen[p];
  }
  std::vector<std::size_t> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  ASSERT_EQ(counts.size(), 24U);
  EXPECT_LT(std::fabs(chi_square_score(counts)), 5.0);
}

TEST(Rng, ShuffleMovesAnyKindOfElement) {
  std::vector<std::string> words = {"a", "b", "c", "d", "e", "f", "g", "h"};
  const auto sorted = words;
  Rng(16).shuffle(std::span(words));
  EXPECT_NE(words, sorted);
  EXPECT_TRUE(std::is_permutation(words.begin(), words.end(), sorted.begin()));
}

TEST(Rng, StreamsSeedsAndChildrenAreUncorrelated) {
  const Rng root(17);
  const std::vector<Rng> family = {root,
                                   Rng(18),
                                   Rng(17, 1),
                                   root.split(0),
                                   root.split(1),
                                   root.split(0).split(1),
                                   Rng(17, 1).split(0)};
  constexpr std::size_t n = 20'000;
  std::vector<std::vector<double>> x;
  for (Rng rng : family) {
    x.emplace_back(n);
    rng.fill_normal(x.back());
  }
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double dot = std::inner_product(x[a].begin(), x[a].end(), x[b].begin(), 0.0);
      // Standard deviation sqrt(n); 4.5 of them for the largest of 21 pairs.
      EXPECT_LT(std::fabs(dot), 4.5 * std::sqrt(static_cast<double>(n))) << a << " " << b;
    }
  }
}

TEST(Rng, SplitDoesNotDependOnWhatWasDrawn) {
  Rng rng(19, 3);
  const RngState before = rng.split(4).state();
  rng.bits64();
  EXPECT_EQ(rng.split(4).state(), before);
  EXPECT_NE(rng.split(5).state(), before);
  EXPECT_NE(Rng(19, 4).split(4).state(), before);
  EXPECT_NE(Rng(20, 3).split(4).state(), before);
}

}  // namespace
}  // namespace cauchy::test_rng
