// Identities of entropies on random laws, and laws whose information is known.
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/math/entropy.hpp>

namespace cauchy::test_entropy {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Sums of at most 60 terms of size below 3.
constexpr double rounding = 200 * eps;

/// A random joint law with some zeros.
Matrix random_law(Rng& rng, std::size_t n, std::size_t m) {
  Matrix p(n, m);
  for (std::size_t i = 0; i < n * m; ++i) {
    const double v = rng.uniform();
    p.data()[i] = v < 0.2 ? 0 : v * v;
  }
  p(0, 0) = 0.3;
  return p;
}

TEST(Entropy, IsKnownForSimpleLaws) {
  EXPECT_EQ(entropy(std::vector<double>{1, 0, 0}), 0);
  EXPECT_NEAR(entropy(std::vector<double>(8, 5.0)), std::log(8.0), rounding);
  EXPECT_NEAR(entropy(std::vector<double>{3, 1}), std::log(4.0) - 0.75 * std::log(3.0), rounding);
  EXPECT_NEAR(relative_entropy(std::vector<double>{1, 1}, std::vector<double>{3, 1}),
              0.5 * std::log(4.0 / 3), rounding);
  EXPECT_TRUE(std::isinf(relative_entropy(std::vector<double>{1, 1}, std::vector<double>{1, 0})));
  EXPECT_THROW((void)entropy(std::vector<double>{1, -1}), Error);
  EXPECT_THROW((void)entropy(std::vector<double>{0, 0}), Error);
  EXPECT_THROW((void)entropy(std::vector<double>{1, NAN}), Error);
}

TEST(MutualInformation, FulfilsItsIdentitiesOnRandomLaws) {
  Rng rng(3);
  for (int k = 0; k < 50; ++k) {
    const std::size_t n = 2 + k % 6, m = 2 + k % 5;
    const Matrix p = random_law(rng, n, m);
    const JointEntropies e = joint_entropies(p), t = joint_entropies(p.transposed());
    EXPECT_GE(e.mutual, -rounding);
    EXPECT_NEAR(e.mutual, t.mutual, rounding) << "symmetry";
    EXPECT_NEAR(e.mutual, e.x + e.y - e.joint, rounding);
    EXPECT_NEAR(e.mutual, e.x - e.x_given_y, rounding);
    EXPECT_NEAR(e.mutual, e.y - e.y_given_x, rounding);
    EXPECT_NEAR(e.mutual, e.joint - e.x_given_y - e.y_given_x, rounding);
    EXPECT_NEAR(e.joint, e.x + e.y_given_x, rounding) << "chain rule";
    EXPECT_LE(e.mutual, std::min(e.x, e.y) + rounding);
    // An invertible map of X is another order of the rows.
    Matrix turned(n, m);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) turned((i + 1) % n, m - 1 - j) = p(i, j);
    }
    EXPECT_NEAR(mutual_information(turned), e.mutual, rounding);
  }
}

TEST(MutualInformation, IsLostAlongAChainOfTables) {
  Rng rng(5);
  for (int k = 0; k < 50; ++k) {
    // X -> Y -> Z by random channels, and X -> T1 -> T2 by tables.
    const Matrix xy = random_law(rng, 5, 6), channel = random_law(rng, 6, 4);
    Matrix xz(5, 4);
    for (std::size_t y = 0; y < 6; ++y) {
      double sum = 0;
      for (std::size_t z = 0; z < 4; ++z) sum += channel(y, z);
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t z = 0; z < 4 && sum > 0; ++z) xz(i, z) += xy(i, y) * channel(y, z) / sum;
        if (!(sum > 0)) xz(i, 0) += xy(i, y);
      }
    }
    EXPECT_LE(mutual_information(xz), mutual_information(xy) + rounding);

    std::vector<std::size_t> x(40), label(40), t1, t2;
    std::iota(x.begin(), x.end(), 0);
    std::vector<std::size_t> first(40), second(40);
    for (std::size_t i = 0; i < 40; ++i) {
      first[i] = static_cast<std::size_t>(rng.uniform() * 12);
      second[i] = static_cast<std::size_t>(rng.uniform() * 5);
      label[i] = static_cast<std::size_t>(rng.uniform() * 3);
    }
    for (const std::size_t i : x) t1.push_back(first[i]);
    for (const std::size_t i : t1) t2.push_back(second[i]);
    EXPECT_LE(mutual_information(x, t1), entropy_of(x) + rounding);
    EXPECT_LE(mutual_information(x, t2), mutual_information(x, t1) + rounding);
    EXPECT_LE(mutual_information(t2, label), mutual_information(t1, label) + rounding);
    EXPECT_NEAR(mutual_information(x, t1), entropy_of(t1), rounding) << "T is a function of X";
  }
}

TEST(MutualInformation, OfNormalVariablesFollowsFromTheirCorrelation) {
  EXPECT_NEAR(gaussian_mutual_information(0.6), -0.5 * std::log(0.64), rounding);
  EXPECT_TRUE(std::isinf(gaussian_mutual_information(-1)));
  EXPECT_THROW((void)gaussian_mutual_information(1.1), Error);
  // By sums over cells of width 0.05 up to 6 deviations: the sum grows to the integral from below,
  // by O(width^2) of the second derivatives.
  const double rho = 0.8, h = 0.05;
  Matrix p(241, 241);
  for (std::size_t i = 0; i < 241; ++i) {
    for (std::size_t j = 0; j < 241; ++j) {
      const double x = -6 + h * static_cast<double>(i), y = -6 + h * static_cast<double>(j);
      p(i, j) = std::exp(-(x * x - 2 * rho * x * y + y * y) / (2 * (1 - rho * rho)));
    }
  }
  EXPECT_NEAR(mutual_information(p), gaussian_mutual_information(rho), h * h);
}

TEST(BinRows, CutsEveryColumnIntoEqualIntervals) {
  const Matrix values = {{0, 5}, {0.24, 5}, {0.26, 5}, {1, 5}, {0.99, 5}};
  EXPECT_EQ(bin_rows(values, 4), (std::vector<std::size_t>{0, 0, 1, 2, 2}));
  EXPECT_NEAR(entropy_of(bin_rows(values, 4)), entropy(std::vector<double>{2, 1, 2}), rounding);
  EXPECT_THROW((void)bin_rows(values, 0), Error);
}

}  // namespace
}  // namespace cauchy::test_entropy
