#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy::test_latin_hypercube {
namespace {

using enum SamplerKind;

TEST(LatinHypercube, HasOnePointPerStratumOfEachAxis) {
  for (const std::size_t n : {1, 2, 3, 49, 1000, 100'003}) {
    const std::size_t d = n > 1000 ? 2 : 6;
    const auto x = unit_points({.kind = latin_hypercube, .seed = 2}, d, n);
    for (std::size_t k = 0; k < d; ++k) {
      std::vector<bool> seen(n, false);
      for (std::size_t p = 0; p < n; ++p) {
        const auto cell = static_cast<std::size_t>(x[p * d + k] * static_cast<double>(n));
        ASSERT_LT(cell, n);
        EXPECT_FALSE(seen[cell]);
        seen[cell] = true;
      }
    }
  }
}

TEST(LatinHypercube, AxesHaveDifferentOrders) {
  const auto x = unit_points({.kind = latin_hypercube, .seed = 2}, 2, 1000);
  double product = 0;
  for (std::size_t p = 0; p < 1000; ++p) product += (x[2 * p] - 0.5) * (x[2 * p + 1] - 0.5);
  EXPECT_LT(std::abs(product / 1000), 5 / 12.0 / std::sqrt(1000.0));  // five standard deviations
}

// Additive f = x1 + x2^2 + x3: independent means have the variance (1/12 + 4/45 + 1/12) / n, a
// Latin hypercube only what remains within strata, smaller by a factor of order n^2.
TEST(LatinHypercube, VarianceOfAnAdditiveFunctionFallsFarBelowThatOfIndependentPoints) {
  const std::size_t n = 64;
  const auto mean_square_error = [&](SamplerKind kind) {
    double square = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const auto x = unit_points({.kind = kind, .seed = seed}, 3, n);
      double sum = 0;
      for (std::size_t p = 0; p < n; ++p)
        sum += x[3 * p] + std::pow(x[3 * p + 1], 2) + x[3 * p + 2];
      square += std::pow(sum / n - 4. / 3, 2) / 200;
    }
    return square;
  };
  const double independent = mean_square_error(uniform);
  const double expected = (1 / 6. + 4 / 45.) / n;
  EXPECT_GT(independent, expected / 2);
  EXPECT_LT(independent, expected * 2);
  EXPECT_LT(mean_square_error(latin_hypercube), expected / 1000);
}

TEST(LatinHypercube, RefusesMorePointsThanItCanOrder) {
  EXPECT_THROW((void)make_sampler({.kind = latin_hypercube}, 1, std::uint64_t{1} << 32), Error);
}

}  // namespace
}  // namespace cauchy::test_latin_hypercube
