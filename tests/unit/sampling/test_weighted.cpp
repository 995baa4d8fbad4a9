#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/sampling/random.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_weighted {
namespace {

/// Pearson's statistic of counts against probabilities, over the cells with positive probability.
double chi_square(const std::vector<std::size_t>& indices, const std::vector<double>& q) {
  std::vector<double> count(q.size(), 0.0);
  for (const std::size_t i : indices) ++count.at(i);
  const auto n = static_cast<double>(indices.size());
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (q[i] > 0) sum += std::pow(count[i] - n * q[i], 2) / (n * q[i]);
  }
  return sum;
}

/// Mean plus six standard deviations of the statistic with m degrees of freedom.
double chi_square_limit(double m) { return m + 6 * std::sqrt(2 * m); }

std::vector<double> normalized(std::vector<double> w) {
  const double sum = std::accumulate(w.begin(), w.end(), 0.0);
  for (double& x : w) x /= sum;
  return w;
}

TEST(AliasTable, HoldsTheProbabilitiesExactlyUpToRounding) {
  Rng rng(1);
  for (const std::size_t m : {1, 2, 3, 10, 257}) {
    std::vector<double> w(m);
    for (double& x : w) x = rng.uniform() < 0.2 ? 0 : std::exp(5 * rng.normal());
    w[0] = 1;
    const AliasTable table(w);
    const std::vector<double> q = normalized(w);
    // Each column passes its surplus on with one rounding: m roundings of numbers up to m q / m.
    for (std::size_t i = 0; i < m; ++i) {
      EXPECT_LT(std::abs(table.probability(i) - q[i]), 4e-16 * static_cast<double>(m)) << i;
    }
  }
  EXPECT_THROW((void)AliasTable(std::vector{1.0}).probability(1), Error);
}

TEST(AliasTable, NeverDrawsWeightZero) {
  const std::vector<double> w = {0, 0.1, 0, 0.2, 0.3, 0, 1e-300, 0};
  const AliasTable table(w);
  Rng rng(2);
  for (int i = 0; i < 20'000; ++i) EXPECT_GT(w[table.draw(rng)], 0);
}

TEST(WeightedIndices, OccurInProportionToTheWeights) {
  const std::vector<double> w = {3, 1, 0.5, 7, 2, 0, 4.5, 2};
  Rng rng(3);
  const auto indices = weighted_indices(w, 50'000, rng);
  EXPECT_EQ(indices.size(), 50'000u);
  EXPECT_LT(chi_square(indices, normalized(w)), chi_square_limit(6));
  EXPECT_GT(chi_square(indices, normalized({1, 1, 1, 1, 1, 1, 1, 1})), chi_square_limit(7));
}

TEST(SystematicIndices, OccurWithinOneOfTheirExpectation) {
  const std::vector<double> w = {0, 3, 1, 0.5, 7, 2, 0, 4.5, 2, 0};
  const std::vector<double> q = normalized(w);
  Rng rng(4);
  for (const std::size_t n : {1, 7, 100, 12'345}) {
    const auto indices = systematic_indices(w, n, rng);
    ASSERT_EQ(indices.size(), n);
    EXPECT_TRUE(std::is_sorted(indices.begin(), indices.end()));
    for (std::size_t i = 0; i < w.size(); ++i) {
      const auto count = static_cast<double>(std::count(indices.begin(), indices.end(), i));
      EXPECT_LT(std::abs(count - static_cast<double>(n) * q[i]), 1 + 1e-9) << i;
      EXPECT_TRUE(w[i] > 0 || count == 0);
    }
  }
  EXPECT_TRUE(systematic_indices(w, 0, rng).empty());
}

TEST(SystematicIndices, AreUnbiased) {
  const std::vector<double> w = {1, 2, 3, 4};
  Rng rng(5);
  std::vector<std::size_t> all;
  for (int i = 0; i < 10'000; ++i) all.push_back(systematic_indices(w, 1, rng)[0]);
  EXPECT_LT(chi_square(all, normalized(w)), chi_square_limit(3));
}

// Pairs (i, j) of successive draws without replacement: q_i q_j / (1 - q_i).
TEST(WeightedSubset, FollowsTheLawOfSuccessiveDraws) {
  const std::vector<double> w = {1, 2, 0, 4};
  const std::vector<double> q = normalized(w);
  Rng rng(6);
  std::vector<std::size_t> pairs;
  std::vector<double> law(16, 0.0);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (i != j) law[4 * i + j] = q[i] * q[j] / (1 - q[i]);
    }
  }
  for (int t = 0; t < 20'000; ++t) {
    const auto two = weighted_subset(w, 2, rng);
    ASSERT_EQ(two.size(), 2u);
    ASSERT_NE(two[0], two[1]);
    pairs.push_back(4 * two[0] + two[1]);
    ASSERT_GT(law[pairs.back()], 0);
  }
  EXPECT_LT(chi_square(pairs, law), chi_square_limit(5));
}

TEST(WeightedSubset, OfAllPositiveWeightsIsAllOfThem) {
  const std::vector<double> w = {1e-300, 2, 0, 4e200, 5};
  Rng rng(7);
  auto all = weighted_subset(w, 4, rng);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_THROW((void)weighted_subset(w, 5, rng), Error);
}

TEST(BalancedSubset, HasItsProbabilitiesAndNoIndexTwice) {
  // Probabilities s w with one that is certain: min(1, s w), s = 1 / 3 for the others.
  const std::vector<double> w = {1, 2, 0, 40, 3}, at = {0.4, 0.1, 0.2, 0.3, 0.9};
  const std::vector<double> p = {1.0 / 3, 2.0 / 3, 0, 1, 1};
  Rng rng(9);
  std::vector<double> count(5, 0.0);
  for (int t = 0; t < 10'000; ++t) {
    const auto some = balanced_subset(at, 1, w, 3, rng);
    ASSERT_EQ(std::set<std::size_t>(some.begin(), some.end()).size(), 3u);
    ASSERT_TRUE(std::ranges::is_sorted(some, {}, [&](std::size_t i) { return at[i]; }));
    for (const std::size_t i : some) count[i] += 1e-4;
  }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(count[i], p[i], 6 * 0.005) << i;
  const std::vector<double> wide = {1e-300, 2, 0, 4e200, 5};
  auto all = balanced_subset(at, 1, wide, 4, rng);
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_THROW((void)balanced_subset(at, 1, wide, 5, rng), Error);
  EXPECT_THROW((void)balanced_subset(at, 2, w, 1, rng), Error);
  EXPECT_THROW((void)balanced_subset(at, 0, w, 1, rng), Error);
}

TEST(BalancedSubset, SpreadsOverSpace) {
  // 4096 random points of a square in units of different size; of 256 every cell of a 16 x 16 grid
  // would get 1 +- 1 by chance, and gets 1 up to the randomness of its own 16 candidates here.
  Rng rng(10);
  std::vector<double> at(2 * 4096);
  for (std::size_t i = 0; i < 4096; ++i) {
    at[2 * i] = rng.uniform();
    at[2 * i + 1] = 1000 * rng.uniform();
  }
  const std::vector<double> same(4096, 7.0);
  const auto variance = [&](const std::vector<std::size_t>& rows) {
    std::vector<double> cells(256, 0.0);
    for (const std::size_t r : rows) {
      const auto i = static_cast<std::size_t>(16 * at[2 * r]);
      ++cells[16 * i + static_cast<std::size_t>(16 * at[2 * r + 1] / 1000)];
    }
    double sum = 0;
    for (const double c : cells) sum += (c - 1) * (c - 1) / 256;
    return sum;
  };
  EXPECT_GT(variance(weighted_subset(same, 256, rng)), 0.7);
  EXPECT_LT(variance(balanced_subset(at, 2, same, 256, rng)), 0.3);
}

// sum_i q_i factor_i f_i must be the plain mean of f: an identity, for any q > 0.
TEST(ImportanceWeights, GiveAnUnbiasedMeanForAnyWeights) {
  Rng rng(8);
  const std::size_t m = 50;
  std::vector<double> w(m), f(m);
  std::vector<std::size_t> every(m);
  std::iota(every.begin(), every.end(), std::size_t{0});
  double mean = 0;
  for (std::size_t i = 0; i < m; ++i) {
    w[i] = std::exp(rng.normal());
    f[i] = rng.normal();
    mean += f[i] / static_cast<double>(m);
  }
  const auto factor = importance_weights(w, every);
  const auto q = normalized(w);
  double expectation = 0;
  for (std::size_t i = 0; i < m; ++i) expectation += q[i] * factor[i] * f[i];
  EXPECT_LT(std::abs(expectation - mean), 1e-14);
  // And by drawing: five standard errors of the estimate itself.
  const auto drawn = weighted_indices(w, 20'000, rng);
  const auto factors = importance_weights(w, drawn);
  double sum = 0, square = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double term = factors[i] * f[drawn[i]];
    sum += term / 20'000;
    square += term * term / 20'000;
  }
  EXPECT_LT(std::abs(sum - mean), 5 * std::sqrt((square - sum * sum) / 20'000));
}

TEST(ImportanceWeights, HaveNoVarianceWhenProportionalToTheFunction) {
  const std::vector<double> f = {1, 5, 0.25, 2, 11};
  Rng rng(9);
  const auto drawn = weighted_indices(f, 100, rng);
  const auto factors = importance_weights(f, drawn);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_LT(std::abs(factors[i] * f[drawn[i]] - 19.25 / 5), 1e-14);
  }
}

// Per-sample gradients g_i = r_i x_i of the losses r_i^2 / 2 of a linear model. The variance of the
// estimated mean gradient is sum |g_i|^2 / (m^2 q_i) - |mean|^2: least for q ~ |g|, then q ~ loss
// here, then uniform.
TEST(ImportanceWeights, GradientNormsBeatLossesBeatUniformOnAToyModel) {
  const std::size_t m = 100;
  std::vector<double> gradient(m), loss(m), flat(m, 1.0);
  for (std::size_t i = 0; i < m; ++i) {
    const double t = static_cast<double>(i + 1) / static_cast<double>(m);
    const double residual = t * t, x = 1 + t;
    gradient[i] = residual * x;
    loss[i] = residual * residual / 2;
  }
  const auto second_moment = [&](const std::vector<double>& w) {
    std::vector<std::size_t> every(m);
    std::iota(every.begin(), every.end(), std::size_t{0});
    const auto factor = importance_weights(w, every);
    const auto q = normalized(w);
    double sum = 0;
    for (std::size_t i = 0; i < m; ++i) sum += q[i] * std::pow(factor[i] * gradient[i], 2);
    return sum;
  };
  EXPECT_LT(second_moment(gradient), second_moment(loss));
  EXPECT_LT(second_moment(loss), second_moment(flat));
}

TEST(WeightedIndices, RefuseBadWeights) {
  Rng rng(10);
  const auto message = [&](std::vector<double> w) {
    return message_of([&] { return weighted_indices(w, 3, rng); });
  };
  EXPECT_NE(message({}).find("no weights"), std::string::npos);
  EXPECT_NE(message({1, -2}).find("weight 1 is -2"), std::string::npos);
  EXPECT_NE(message({NAN, 2}).find("weight 0 is nan"), std::string::npos);
  EXPECT_NE(message({INFINITY, 2}).find("weight 0 is inf"), std::string::npos);
  EXPECT_NE(message({0, 0}).find("all weights are zero"), std::string::npos);
  EXPECT_NE(message({1e308, 1e308}).find("overflows"), std::string::npos);
  EXPECT_THROW((void)systematic_indices(std::vector{0.0}, 3, rng), Error);
  EXPECT_THROW((void)weighted_subset(std::vector{-1.0}, 1, rng), Error);
  const std::vector<std::size_t> outside = {2}, never = {1};
  EXPECT_THROW((void)importance_weights(std::vector{1.0, 0.0}, outside), Error);
  EXPECT_THROW((void)importance_weights(std::vector{1.0, 0.0}, never), Error);
}

TEST(WeightedIndices, DependOnTheSeedOnly) {
  const std::vector<double> w = {1, 2, 3};
  Rng a(11), b(11), c(12);
  const auto x = weighted_indices(w, 100, a);
  EXPECT_EQ(x, weighted_indices(w, 100, b));
  EXPECT_NE(x, weighted_indices(w, 100, c));
}

/// Variance of the reweighted mean of g with probabilities proportional to `weights`, one draw.
double variance(const std::vector<double>& g, const std::vector<double>& weights) {
  double total = 0, mean = 0, square = 0;
  for (const double w : weights) total += w;
  const auto n = static_cast<double>(g.size());
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double q = weights[i] / total;
    mean += g[i] / n;
    square += g[i] * g[i] / (n * n * q);
  }
  return square - mean * mean;
}

TEST(ImportanceSampling, ByGradientNormsIsAtLeastAsGoodAsByLossesAndThatAsGoodAsUniform) {
  // Losses |r|^3 with gradients 3 r |r| dr, residuals over three decades.
  std::vector<double> gradients, losses, norms, uniform;
  for (int i = 1; i <= 40; ++i) {
    const double r = (i % 2 == 0 ? 1 : -1) * std::pow(10.0, -3.0 * i / 40);
    gradients.push_back(3 * r * std::abs(r));
    losses.push_back(std::pow(std::abs(r), 3));
    norms.push_back(std::abs(gradients.back()));
    uniform.push_back(1);
  }
  const double a = variance(gradients, norms), b = variance(gradients, losses),
               c = variance(gradients, uniform);
  EXPECT_LE(a, b);
  EXPECT_LE(b, c);
  EXPECT_LT(a, 0.3 * c);
}

}  // namespace
}  // namespace cauchy::test_weighted
