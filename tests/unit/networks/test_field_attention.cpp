#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <cauchy/networks/attention_operator.hpp>
#include <cauchy/networks/transformer.hpp>

#include "support/field_checks.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_field_attention {
namespace {

using test::largest;
using test::largest_difference;
using test::TriedField;
using test::unit_cloud;
using test::unit_grid;

TEST(AttentionOperator, WeighsKeysByNumbersThatAddUpToOne) {
  // W = 0, R the unit matrix times a function that is 1 everywhere: every row sums to 1.
  AttentionOperator attention{.width = 4, .depth = 1, .heads = 2, .positions = 2, .projection = 0};
  TriedField tried(attention, unit_cloud(11), 1, 1, 0.5);
  std::ranges::fill(tried.block("value"), 0.0);
  std::ranges::fill(tried.block("local", 0), 0.0);
  std::ranges::fill(tried.block("local", 1), 0.0);
  std::ranges::fill(tried.block("heads"), 0.0);
  std::ranges::fill(tried.block("projection", 0), 0.0);
  std::ranges::fill(tried.block("projection", 1), 0.0);
  // The first channel of v_0 is 1; R copies it to all, the last matrices look at one of each head.
  const std::span<double> lifting = tried.block("lifting", 0);
  std::ranges::fill(lifting.first(lifting.size() / 4), 0.0);
  tried.block("lifting", 1)[0] = 1;
  for (const std::size_t channel : {0, 1, 2, 3}) tried.block("value")[4 * channel] = 1;
  for (const std::size_t head : {0, 1}) {
    tried.block("heads")[5 * 2 * head] = 1;
    std::ranges::fill(tried.block("projection", 0), 0.0);
    tried.block("projection", 0)[2 * head] = 1;
    std::vector<double> a(11);
    Rng(3).fill_normal(a);
    for (const double row : tried.values(a)) EXPECT_NEAR(row, 1, 1e-14);
  }
}

TEST(AttentionOperator, IsSingleHeadSelfAttentionByHand) {
  // Q K' / sqrt(d), softmax over the keys (the rows), times V; keys with quadrature weights.
  const std::size_t n = 5, w = 3;
  const FieldGrid cloud = unit_cloud(n);
  const AttentionOperator attention{
      .width = 3, .depth = 1, .heads = 1, .positions = 0, .projection = 0};
  TriedField tried(attention, cloud, 2, 1, 0.5);
  std::vector<double> a(2 * n);
  Rng(3).fill_normal(a);
  const auto times = [&](std::span<const double> m, const std::vector<double>& x,
                         std::size_t cols) {
    std::vector<double> y(m.size() / cols, 0.0);
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t i = 0; i < cols; ++i) y[o] += m[o * cols + i] * x[i];
    }
    return y;
  };
  std::vector<std::vector<double>> v, q, k, r;
  for (std::size_t p = 0; p < n; ++p) {
    v.push_back(times(tried.block("lifting", 0), {a[p], a[n + p]}, 2));
    for (std::size_t c = 0; c < w; ++c) v[p][c] += tried.block("lifting", 1)[c];
    q.push_back(times(tried.block("query"), v[p], w));
    k.push_back(times(tried.block("key"), v[p], w));
    r.push_back(times(tried.block("value"), v[p], w));
  }
  std::vector<double> expected;
  for (std::size_t p = 0; p < n; ++p) {
    std::vector<double> z = times(tried.block("local", 0), v[p], w);
    double sum = 0;
    std::vector<double> weights(n);
    for (std::size_t s = 0; s < n; ++s) {
      double product = 0;
      for (std::size_t c = 0; c < w; ++c) product += q[p][c] * k[s][c];
      sum += weights[s] = cloud.cloud_weights[s] * std::exp(product / std::sqrt(3.0));
    }
    double u = tried.block("projection", 1)[0];
    for (std::size_t c = 0; c < w; ++c) {
      z[c] += tried.block("local", 1)[c];
      for (std::size_t s = 0; s < n; ++s) z[c] += weights[s] / sum * r[s][c];
      u += tried.block("projection", 0)[c] * z[c];
    }
    expected.push_back(u);
  }
  EXPECT_LT(largest_difference(tried.values(a), expected), 1e-13);
}

TEST(AttentionOperator, WithSamplesComesCloseToAllPoints) {
  const FieldGrid grid = unit_grid({17, 17}, false);
  AttentionOperator attention{.width = 4, .depth = 2, .heads = 2, .positions = 1};
  const std::vector<double> a = test::sampled(grid, 1, test::smooth_wave);
  const std::vector<double> all = TriedField(attention, grid).values(a);
  const auto error = [&](int samples) {
    attention.samples = samples;
    return largest_difference(TriedField(attention, grid).values(a), all);
  };
  EXPECT_LT(error(100), 0.05 * largest(all));
  EXPECT_LT(error(289), 1e-12 * largest(all));
  EXPECT_GT(error(4), error(100));
}

TEST(Transformer, WithPatchesWeighsThemByTheirMeasure) {
  // On a grid with ends the outer patches are smaller: halves of cells are missing.
  const Transformer transformer{
      .width = 4, .depth = 1, .heads = 2, .patch = {2, 1}, .hidden = 3, .positions = 1};
  const TriedField tried(transformer, unit_grid({6, 4}, false));
  bool found = false;
  for (const TensorOperation& op : tried.graph->ops()) {
    if (op.code != TensorOp::attention) continue;
    found = true;
    ASSERT_EQ(op.fixed->size(), 12u);
    EXPECT_DOUBLE_EQ((*op.fixed)[0], 1.5 / 5 * 0.5 / 3);
    EXPECT_DOUBLE_EQ((*op.fixed)[5], 2.0 / 5 * 1 / 3);
  }
  EXPECT_TRUE(found);
}

TEST(Transformer, HasAsManyParametersAsTheFormulaSays) {
  const std::size_t w = 6, h = 5, q = 4, p = 2 * (1 + 4);
  EXPECT_EQ(
      TriedField(
          Transformer{
              .width = 6, .depth = 3, .heads = 3, .patch = {2, 2}, .hidden = 5, .positions = 2},
          unit_grid({4, 6}, false), 3, 2)
          .theta.size(),
      (3 * q + 1) * w + p * w + 3 * (4 * (w + 1) * w + 2 * w * h + h + w + 4 * w) + 2 * w +
          (w + 1) * 2 * q);
  const auto count = [](int heads) {
    return TriedField(
               AttentionOperator{
                   .width = 6, .depth = 2, .heads = heads, .positions = 0, .projection = 5},
               unit_grid({4}, false), 3, 2)
        .theta.size();
  };
  EXPECT_EQ(count(1), 4 * w + 2 * (4 * w * w + w) + (w + 1) * 5 + 6 * 2);
  EXPECT_EQ(count(2), 4 * w + 2 * (5 * w * w + w) + (w + 1) * 5 + 6 * 2);
}

TEST(Transformer, RefusesWhatDoesNotFit) {
  const auto message = [](const FieldNetwork& network, const FieldGrid& grid) {
    return message_of([&] { return TriedField(network, grid); });
  };
  const FieldGrid grid = unit_grid({8, 6}, false);
  EXPECT_EQ(message(Transformer{.heads = 5}, grid),
            "[networks.transformer]: heads must divide width, got 5 and 64");
  EXPECT_EQ(
      message(Transformer{.patch = {4}}, grid),
      "[networks.transformer]: patches need a multiple of 4 points along 'y', the grid has 6");
  EXPECT_EQ(message(Transformer{.patch = {2}}, unit_cloud(8)),
            "[networks.transformer]: a cloud of points has no patches of 2; take patch = 1");
  EXPECT_EQ(message(AttentionOperator{.heads = 3}, grid),
            "[networks.attention]: heads must divide width, got 3 and 64");
  EXPECT_EQ(message(AttentionOperator{.samples = 49}, grid),
            "[networks.attention]: 49 samples are more than the 48 points; take fewer, or 0 for "
            "all points");
  EXPECT_EQ(message(AttentionOperator{.depth = 0}, grid),
            "[networks.attention]: depth must be positive, got 0");
}

}  // namespace
}  // namespace cauchy::test_field_attention
