#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include <cauchy/sampling/sampler.hpp>

#include "sampling/samplers/lattice.hpp"
#include "support/effort.hpp"

namespace cauchy::test_lattice {
namespace {

using detail::korobov_error;
using detail::korobov_generator;

TEST(Lattice, EveryAxisHasAllMultiplesOfOneOverN) {
  for (const std::size_t n : {1, 2, 3, 4, 6, 7, 12, 100, 1009, 1024, 2310}) {
    for (const std::size_t d : {1, 2, 3, 10}) {
      const auto x = unit_points({.kind = SamplerKind::lattice}, d, n);
      for (std::size_t k = 0; k < d; ++k) {
        std::vector<bool> seen(n, false);
        for (std::size_t p = 0; p < n; ++p) {
          const double v = x[p * d + k] * static_cast<double>(n);
          const auto cell = static_cast<std::size_t>(std::llround(v));
          ASSERT_LT(cell, n);
          EXPECT_FALSE(seen[cell]) << n << ' ' << d << ' ' << k;
          seen[cell] = true;
        }
      }
    }
  }
}

TEST(Lattice, FibonacciNumbersOfPointsInThePlaneGiveTheFibonacciLattice) {
  EXPECT_EQ(korobov_generator(144, 2), 89u);
  EXPECT_EQ(korobov_generator(987, 2), 610u);
  const auto x = unit_points({.kind = SamplerKind::lattice}, 2, 13);
  for (std::size_t i = 0; i < 13; ++i) {
    EXPECT_EQ(x[2 * i], static_cast<double>(i) / 13);
    EXPECT_EQ(x[2 * i + 1], static_cast<double>(i * 8 % 13) / 13);
  }
}

// The error is the sum over the non-zero h with h . z = 0 mod n of prod 1 / (j h_j^2) (factor 1
// where h_j = 0). Cut at |h_j| <= H, the rest of the plane sum is below 2 (1 + pi^2/3)^2 / H.
TEST(Lattice, KorobovErrorIsTheSumOverTheDualLattice) {
  const std::int64_t n = 21, a = 8, H = 4000;
  double sum = 0;
  for (std::int64_t h1 = -H; h1 <= H; ++h1) {
    for (std::int64_t h2 = -H; h2 <= H; ++h2) {
      if ((h1 + a * h2) % n != 0 || (h1 == 0 && h2 == 0)) continue;
      const auto x = static_cast<double>(h1), y = static_cast<double>(h2);
      sum += (h1 == 0 ? 1 : 1 / (x * x)) * (h2 == 0 ? 1 : 0.5 / (y * y));
    }
  }
  EXPECT_LT(std::abs(korobov_error(n, a, 2) - sum), 2 * std::pow(1 + 3.29, 2) / H);
  // Trapezoidal rule in one dimension: sum over multiples of n, pi^2 / (3 n^2).
  EXPECT_LT(std::abs(korobov_error(10, 1, 1) - std::pow(std::numbers::pi, 2) / 300), 1e-14);
}

TEST(Lattice, GeneratorIsNearlyTheBestOfAll) {
  for (const auto& [n, d] :
       std::vector<std::pair<std::uint64_t, std::size_t>>{{100, 2}, {251, 3}, {128, 4}, {101, 6}}) {
    double best = INFINITY, worst = 0;
    for (std::uint64_t a = 1; a < n; ++a) {
      if (std::gcd(a, n) != 1) continue;
      best = std::min(best, korobov_error(n, a, d));
      worst = std::max(worst, korobov_error(n, a, d));
    }
    const double chosen = korobov_error(n, korobov_generator(n, d), d);
    EXPECT_LE(chosen, 1.05 * best) << n << ' ' << d;
    EXPECT_LT(chosen, 0.5 * worst) << n << ' ' << d;
  }
}

// Plane lattices with bounded partial quotients have errors c log n / n^2 beyond that of their
// axes; Fibonacci lattices have the smallest c. With n prime or not, a power of 2 or a product of
// many primes, small or beyond the size at which all generators are tried.
TEST(Lattice, PlaneErrorIsNearThatOfFibonacciLattices) {
  const auto constant = [](std::uint64_t n) {
    const auto N = static_cast<double>(n);
    const double axes = 1.5 * std::pow(std::numbers::pi / N, 2) / 3;
    return (korobov_error(n, korobov_generator(n, 2), 2) - axes) * N * N / std::log(N);
  };
  const double fibonacci = constant(987);
  for (const std::uint64_t n : {1000, 10'007, 30'030, 65'536, 200'000}) {
    EXPECT_LT(constant(n), 1.25 * fibonacci) << n;
  }
}

TEST(Lattice, ManyPointsAndDimensionsStayCheap) {
  const Effort effort = effort_of([] {
    EXPECT_EQ(make_sampler({.kind = SamplerKind::lattice}, 1000, 4'000'000'000)->size(),
              4'000'000'000u);
  });
  // 4096 generators with 16 lags each; the error of one of them alone is a sum of 2e12 factors.
  EXPECT_GT(effort.work.of(WorkKind::formulas), 4096u * 16);
  EXPECT_LT(effort.work.of(WorkKind::formulas), 10'000'000u);
  // The last points: indices near 2^32 multiply without overflow.
  std::vector<double> x(4);
  make_sampler({.kind = SamplerKind::lattice}, 2, 4'294'967'291)->fill(4'294'967'289, 2, x.data());
  EXPECT_EQ(x[2], 4294967290. / 4294967291);
}

}  // namespace
}  // namespace cauchy::test_lattice
