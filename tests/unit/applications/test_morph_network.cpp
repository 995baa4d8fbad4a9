#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/applications/morph_network.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/tensor/executor.hpp>

#include "applications/morph/morph_layers.hpp"

namespace cauchy::test_morph_network {
namespace {

const MorphNetwork tiny{.filters = 2,
                        .convolutions = 1,
                        .width = 8,
                        .depth = 1,
                        .heads = 2,
                        .hidden = 8,
                        .patch = 2,
                        .components = 2,
                        .positions = 2};

std::vector<double> drawn(std::size_t n, std::uint64_t seed, double deviation = 1) {
  Rng rng(seed);
  std::vector<double> x(n);
  for (double& v : x) v = deviation * rng.normal();
  return x;
}

/// A graph with one input and one output, in double precision.
struct Built {
  std::shared_ptr<TensorGraph> graph = std::make_shared<TensorGraph>();
  int out = -1;
  [[nodiscard]] std::vector<double> at(const std::vector<double>& theta,
                                       const std::vector<double>& x) const {
    const auto executor =
        make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
    std::vector<double> y(graph->shape(out).size());
    const std::span<const double> in(x);
    executor->predict(out, theta, 1, std::span(&in, 1), y);
    return y;
  }
};

Built built(const MorphShape& s, const Lora& lora = {}, const MorphNetwork& network = tiny) {
  Built b;
  const int x = b.graph->input(
      "in", {network.components, {s.moments * s.fields, s.grid[0], s.grid[1], s.grid[2]}});
  b.out = add_morph(*b.graph, network, s, x, lora);
  b.graph->output("out", b.out);
  return b;
}

std::vector<ParameterBlock> own_blocks(const TensorGraph& graph) {
  std::vector<ParameterBlock> own;
  for (const ParameterBlock& b : graph.parameters()) {
    if (!is_lora(b)) own.push_back(b);
  }
  return own;
}

TEST(MorphNetwork, HasTheSameParametersForEveryDimensionAndNumberOfFields) {
  const Built line = built({.grid = {1, 1, 8}});
  for (const MorphShape& s : {MorphShape{.moments = 3, .fields = 2, .grid = {1, 4, 6}},
                              MorphShape{.moments = 2, .grid = {4, 2, 4}, .periodic = {true}}}) {
    const Built other = built(s, {.rank = 3});
    const std::vector<ParameterBlock> a = line.graph->parameters(), b = own_blocks(*other.graph);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(std::pair(a[i].rows, a[i].cols), std::pair(b[i].rows, b[i].cols)) << a[i].name;
    }
  }
}

TEST(MorphNetwork, CountsTheParametersOfTheVariantsWithoutRunningThem) {
  for (const MorphVariant& v : all_morph_variants()) {
    const MorphNetwork& m = v.options;
    // By hand: components and filters, projection, fields, positions, blocks, decoder.
    const auto E = static_cast<std::size_t>(m.width), p = static_cast<std::size_t>(m.patch);
    const auto h = static_cast<std::size_t>(m.hidden), f = static_cast<std::size_t>(m.filters);
    const std::size_t square = E * E + E, norm = 2 * E, volume = p * p * p;
    const std::size_t block =
        2 * norm + 16 * square + (E * h + h) + (h * E + E);  // four axes of four matrices
    const std::size_t expected = 3 * f + static_cast<std::size_t>(m.convolutions) * 27 * f * f +
                                 (f * volume * E + E) + (E + 4 * square) + 32 * E +
                                 static_cast<std::size_t>(m.depth) * block + norm + 2 * square +
                                 (E * 3 * volume + 3 * volume);
    EXPECT_EQ(n_parameters(m), expected) << v.name;
    if (v.published > 0) {
      EXPECT_NEAR(static_cast<double>(expected) / v.published, 1, v.name == "ti" ? 0.25 : 0.16)
          << v.name;
    }
  }
}

TEST(MorphNetwork, BeginsWithoutAnAnswerAndPermutesItsAnswersWithTheFields) {
  const MorphShape s{.moments = 2, .fields = 3, .grid = {1, 4, 4}, .periodic = {false, true, true}};
  const Built b = built(s);
  const std::vector<double> start = initial_parameters(b.graph->parameters(), Rng(1));
  const std::vector<double> x = drawn(2 * 6 * 16, 2);
  for (const double y : b.at(start, x)) EXPECT_EQ(y, 0);
  const std::vector<double> theta = drawn(b.graph->n_parameters(), 3, 0.3);
  const std::vector<double> y = b.at(theta, x);
  // Fields 0, 1, 2 become 2, 0, 1.
  constexpr std::size_t order[] = {1, 2, 0};
  std::vector<double> turned(x.size()), expected(y.size());
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t f = 0; f < 3; ++f) {
      for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t t = 0; t < 2; ++t) {
          turned[((c * 2 + t) * 3 + f) * 16 + i] = x[((c * 2 + t) * 3 + order[f]) * 16 + i];
        }
        expected[(c * 3 + f) * 16 + i] = y[(c * 3 + order[f]) * 16 + i];
      }
    }
  }
  const std::vector<double> z = b.at(theta, turned);
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(z[i], expected[i], 1e-12);  // sums over fields in another order
    largest = std::max(largest, std::abs(y[i]));
  }
  EXPECT_GT(largest, 0.1);
  // A field twice is one field: the softmax shares its weight.
  const Built one = built({.moments = 2, .fields = 1, .grid = s.grid, .periodic = s.periodic});
  std::vector<double> single, thrice(x.size());
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t t = 0; t < 2; ++t) {
      const auto from = x.begin() + static_cast<std::ptrdiff_t>((c * 2 + t) * 48);
      single.insert(single.end(), from, from + 16);
      for (std::size_t f = 0; f < 3; ++f) {
        std::copy_n(from, 16,
                    thrice.begin() + static_cast<std::ptrdiff_t>((c * 2 + t) * 48 + f * 16));
      }
    }
  }
  const std::vector<double> u = one.at(theta, single), v = b.at(theta, thrice);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(v[c * 48 + i], u[c * 16 + i], 1e-12);
  }
}

TEST(MorphNetwork, AxialAttentionIsFullAttentionWhenOtherAxesHaveLengthOne) {
  constexpr int width = 8, heads = 2, n = 6;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    std::vector<int> grid(4, 1);
    grid[axis] = n;
    Built axial, full;
    const int x = axial.graph->input("x", {width, grid});
    const Lora none;
    axial.out = detail::MorphLayers(*axial.graph, none).axial_attention(x, heads, x);
    const std::vector<double> theta = drawn(axial.graph->n_parameters(), 5 + axis, 0.5);
    TensorGraph& g = *full.graph;
    const int y = g.input("x", {width, {n}});
    const int q = g.linear(y, width), k = g.linear(y, width), v = g.linear(y, width);
    const int attended = g.linear(g.attention(q, k, v, heads), width);
    full.out = g.add(y, attended);
    // Of the four axes this one is used.
    const std::size_t each = g.n_parameters();
    ASSERT_EQ(theta.size(), 4 * each);
    const auto from = theta.begin() + static_cast<std::ptrdiff_t>(axis * each);
    const std::vector<double> own(from, from + static_cast<std::ptrdiff_t>(each));
    const std::vector<double> in = drawn(width * n, 9);
    const std::vector<double> a = axial.at(theta, in), b = full.at(own, in);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-13);
  }
}

TEST(MorphNetwork, AttendsToEveryTokenOfItsLinesAndToNoOther) {
  Built b;
  const int x = b.graph->input("x", {4, {2, 2, 3, 3}});
  const Lora none;
  b.out = detail::MorphLayers(*b.graph, none).axial_attention(x, 2, x);
  const std::vector<double> theta = drawn(b.graph->n_parameters(), 1, 0.5);
  std::vector<double> in = drawn(4 * 36, 2);
  const std::vector<double> before = b.at(theta, in);
  constexpr std::size_t moved = 9 + 4;  // (t, d, h, w) = (0, 1, 1, 1)
  in[moved] += 1;
  const std::vector<double> after = b.at(theta, in);
  for (std::size_t p = 0; p < 36; ++p) {
    const int different = (p / 18 != 0) + (p / 9 % 2 != 1) + (p / 3 % 3 != 1) + (p % 3 != 1);
    EXPECT_EQ(before[p] != after[p], different <= 1) << p;
  }
}

TEST(MorphNetwork, GradientAgreesWithDifferencesWithLowRankUpdates) {
  const MorphShape s{
      .moments = 2, .fields = 2, .grid = {1, 4, 4}, .periodic = {false, false, true}};
  Built b = built(s, {.rank = 2, .alpha = 3});
  TensorGraph& g = *b.graph;
  const int loss = g.reduce(g.reshape(g.function(b.out, ElementFunction::square), {1, {64}}));
  const auto executor =
      make_tensor_executor(b.graph, {{"loss", loss}}, {.threads = 1, .precision = Precision::f64});
  const std::vector<double> theta = drawn(g.n_parameters(), 4, 0.4), x = drawn(2 * 4 * 16, 5);
  const std::span<const double> in(x);
  executor->set_batch(1, std::span(&in, 1));
  std::vector<double> gradient(theta.size()), direction = drawn(theta.size(), 6), moved = theta;
  executor->gradient(theta, gradient);
  const auto along = [&](double h) {
    for (std::size_t i = 0; i < theta.size(); ++i) moved[i] = theta[i] + h * direction[i];
    return executor->loss(moved);
  };
  const double h = 1e-4;  // of order 4: errors h^4 and eps / h
  const double slope = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
  double product = 0;
  for (std::size_t i = 0; i < theta.size(); ++i) product += gradient[i] * direction[i];
  EXPECT_NEAR(product / slope, 1, 1e-7);
  EXPECT_GT(std::abs(slope), 1e-3);
  // Every used block has a part in it: only the attention along D has one point.
  std::size_t silent = 0;
  for (const ParameterBlock& p : g.parameters()) {
    const auto first = gradient.begin() + p.offset;
    silent += std::all_of(first, first + p.size(), [](double v) { return v == 0; }) ? 1 : 0;
  }
  EXPECT_EQ(silent, 16U);  // 4 matrices with bias, A and B
}

TEST(MorphNetwork, WithLowRankUpdatesOfZeroIsTheSameNetworkBitForBit) {
  const MorphShape s{.moments = 2, .fields = 2, .grid = {1, 4, 4}, .periodic = {}};
  const Built base = built(s), adapted = built(s, {.rank = 2, .alpha = 4});
  const std::vector<double> theta = drawn(base.graph->n_parameters(), 7, 0.4);
  std::vector<double> all = initial_parameters(adapted.graph->parameters(), Rng(1));
  std::size_t own = 0, lora = 0;
  for (const ParameterBlock& p : adapted.graph->parameters()) {
    const auto n = static_cast<std::size_t>(p.size());
    if (is_lora(p)) {
      lora += n;
      continue;
    }
    std::copy_n(theta.begin() + static_cast<std::ptrdiff_t>(own), n, all.begin() + p.offset);
    own += n;
  }
  EXPECT_EQ(own, theta.size());
  EXPECT_GT(lora, 0U);
  const std::vector<double> x = drawn(2 * 4 * 16, 8), a = base.at(theta, x), b = adapted.at(all, x);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]));
  }
}

TEST(MorphNetwork, SaysWhichAxisPatchesDoNotDivide) {
  try {
    (void)built({.grid = {1, 4, 5}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "patches need a multiple of 2 points along W, the grid has 5");
  }
}

}  // namespace
}  // namespace cauchy::test_morph_network
