#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/tensor/graph.hpp>

#include "support/tensor_run.hpp"

namespace cauchy::test_attention {
namespace {

using test::distance;
using test::random_numbers;
using test::run_tensor;

struct Attention {
  TensorGraph g;
  int out;
  Attention(int keys, int heads, std::vector<double> weights = {}) {
    const int q = g.input("q", {4, {3}}), k = g.input("k", {4, {keys}}),
              v = g.input("v", {2, {keys}});
    out = g.attention(q, k, v, heads, std::move(weights));
  }
  std::vector<double> operator()(const std::vector<double>& q, const std::vector<double>& k,
                                 const std::vector<double>& v) const {
    return run_tensor(g, out, {q, k, v});
  }
};

TEST(TensorAttention, RowsSumToOne) {
  const Attention attend(5, 2);
  EXPECT_LT(
      distance(attend(random_numbers(12, 1), random_numbers(20, 2), std::vector<double>(10, 1)),
               std::vector<double>(6, 1)),
      1e-15);
}

TEST(TensorAttention, IsASoftmaxOverTheKeys) {
  // One head, values that pick out key 1: the row of the textbook.
  const Attention attend(2, 1);
  const std::vector<double> q = random_numbers(12, 3), k = random_numbers(8, 4);
  const std::vector<double> out = attend(q, k, {0, 1, 1, 0});
  for (std::size_t p = 0; p < 3; ++p) {
    double l[2] = {0, 0};
    for (std::size_t c = 0; c < 4; ++c) {
      for (std::size_t s = 0; s < 2; ++s) l[s] += q[c * 3 + p] * k[c * 2 + s] / 2;  // sqrt(4)
    }
    const double want = std::exp(l[1]) / (std::exp(l[0]) + std::exp(l[1]));
    EXPECT_NEAR(out[p], want, 1e-15);
    EXPECT_NEAR(out[3 + p], 1 - want, 1e-15);
  }
}

TEST(TensorAttention, LargeProductsDoNotOverflow) {
  const Attention attend(2, 1);
  std::vector<double> k(8, 0.0);
  for (std::size_t c = 0; c < 4; ++c) k[2 * c + 1] = 1000;
  EXPECT_EQ(attend(std::vector<double>(12, 10.0), k, {3, 7, 1, 2}),
            (std::vector<double>{7, 7, 7, 2, 2, 2}));
}

TEST(TensorAttention, DoubledKeysWithHalfTheWeightChangeNothing) {
  const std::vector<double> q = random_numbers(12, 1), k = random_numbers(12, 2),
                            v = random_numbers(6, 3), w = {0.5, 0.2, 0.3};
  const auto doubled = [](const std::vector<double>& x) {
    std::vector<double> y;
    for (const double a : x) y.insert(y.end(), {a, a});
    return y;
  };
  const Attention coarse(3, 2, w), fine(6, 2, {0.25, 0.25, 0.1, 0.1, 0.15, 0.15}), plain(3, 2);
  EXPECT_LT(distance(coarse(q, k, v), fine(q, doubled(k), doubled(v))), 1e-15);
  EXPECT_GT(distance(coarse(q, k, v), plain(q, k, v)), 1e-3);
}

TEST(TensorAttention, AKeyWithoutWeightIsNotThere) {
  const std::vector<double> q = random_numbers(12, 1);
  const Attention some(3, 1, {1, 0, 1}), two(2, 1);
  // The key without weight has the largest product, which must not take the exponentials away.
  const std::vector<double> k = {1, 900, 2, 0, 900, 1, 1, 900, 0, 2, 900, 1};
  const std::vector<double> rest = {1, 2, 0, 1, 1, 0, 2, 1};
  EXPECT_LT(distance(some(q, k, {1, 5, 2, 3, 5, 4}), two(q, rest, {1, 2, 3, 4})), 1e-14);
}

TEST(TensorAttention, HeadsSeeTheirOwnChannels) {
  // The second head alone: other channels of the first head change nothing in it.
  const Attention attend(3, 2);
  std::vector<double> q = random_numbers(12, 1), k = random_numbers(12, 2),
                      v = random_numbers(6, 3);
  const std::vector<double> before = attend(q, k, v);
  for (std::size_t i = 0; i < 6; ++i) q[i] += 1, k[i] -= 1;
  for (std::size_t i = 0; i < 3; ++i) v[i] *= 2;
  const std::vector<double> after = attend(q, k, v);
  EXPECT_EQ(std::vector<double>(before.begin() + 3, before.end()),
            std::vector<double>(after.begin() + 3, after.end()));
  EXPECT_GT(distance(std::span(before).first(3), std::span(after).first(3)), 1e-3);
}

}  // namespace
}  // namespace cauchy::test_attention
