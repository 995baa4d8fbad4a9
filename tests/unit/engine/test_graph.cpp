#include <cauchy/engine/graph.hpp>

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_graph {
namespace {

using ::testing::HasSubstr;

TEST(Graph, NumbersValuesInTheOrderOfBuilding) {
  Graph g({"t", "x"});
  const int x = g.coordinates();
  const int h = g.affine(x, 20);
  EXPECT_EQ(x, 0);
  EXPECT_EQ(h, 1);
  EXPECT_EQ(g.rows(x), 2);
  EXPECT_EQ(g.rows(h), 20);
  EXPECT_EQ(g.coordinates(), x);  // one value, however often it is asked for
  EXPECT_EQ(g.ops().size(), 2u);
}

TEST(Graph, LaysOutParametersOneAfterTheOther) {
  Graph g({"t", "x"});
  g.constant("nu", 0.25);
  const int h = g.activation(g.affine(g.coordinates(), 3), Activation::tanh);
  const int s = g.scale(h, 1.5, true);
  g.affine(s, 1, false);
  EXPECT_EQ(g.n_parameters(), 1u + 3 * 2 + 3 + 3 + 3);
  const auto& blocks = g.parameters();
  ASSERT_EQ(blocks.size(), 5u);
  const std::array<std::ptrdiff_t, 5> offsets{0, 1, 7, 10, 13};
  for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(blocks[i].offset, offsets[i]);
  EXPECT_EQ(blocks[0].initial, 0.25);
  EXPECT_EQ(blocks[1].role, ParameterBlock::Role::weight);
  EXPECT_EQ(blocks[1].cols, 2);
  EXPECT_EQ(blocks[1].after, Activation::tanh);
  EXPECT_EQ(blocks[3].initial, 1.5);
  EXPECT_EQ(blocks[4].after, Activation::identity);
  EXPECT_EQ(g.find_constant("nu"), 0);
  EXPECT_EQ(g.find_constant("mu"), -1);
}

TEST(Graph, TellsAWeightWhichActivationFollowsASlope) {
  Graph g({"x"});
  g.activation_with_slope(g.affine(g.coordinates(), 4), Activation::sin, 10);
  EXPECT_EQ(g.parameters()[0].after, Activation::sin);
  EXPECT_EQ(g.parameters()[2].initial, 10);
}

TEST(Graph, TellsAWeightWhetherItIsFirstAndWhetherItIsActivated) {
  Graph g({"x"});
  const int scaled = g.shift(g.scale(g.affine(g.coordinates(), 4, false), 1), 1, true);
  const int h = g.affine(g.activation(scaled, Activation::tanh), 4, false);
  g.affine(g.add(h, g.coordinates()), 2, false);
  g.activation(g.add(h, h), Activation::sin);  // of a sum, not of the layer
  g.activation(g.affine(g.expression({Coordinate("x")}), 3, false), Activation::identity);
  std::vector<ParameterBlock> weights;
  for (const ParameterBlock& block : g.parameters()) {
    if (block.role == ParameterBlock::Role::weight) weights.push_back(block);
  }
  ASSERT_EQ(weights.size(), 4u);
  const std::array first{true, false, false, true}, activated{true, false, false, true};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(weights[i].first_layer, first[i]) << i;
    EXPECT_EQ(weights[i].activated, activated[i]) << i;
  }
  EXPECT_EQ(weights[0].after, Activation::tanh);
}

TEST(Graph, ComputesShapes) {
  Graph g({"x"});
  const int three = g.affine(g.coordinates(), 3), one = g.affine(g.coordinates(), 1);
  EXPECT_EQ(g.rows(g.multiply(three, one)), 3);
  EXPECT_EQ(g.rows(g.divide(one, three)), 3);
  EXPECT_EQ(g.rows(g.concatenate(std::array{three, one, three})), 7);
  EXPECT_EQ(g.rows(g.slice(three, 1, 2)), 2);
  EXPECT_EQ(g.rows(g.row_sum(three)), 1);
  EXPECT_EQ(g.rows(g.repeat_rows(three, 4)), 12);
  EXPECT_EQ(g.rows(g.tile(three, 2)), 6);
  EXPECT_EQ(g.rows(g.row_sum(g.tile(three, 2), 2)), 3);
  EXPECT_EQ(g.rows(g.shift(three, 0.5, true)), 3);
  EXPECT_EQ(g.rows(g.input("a", 5)), 5);
  EXPECT_EQ(g.rows(g.input("b", 2)), 2);
  EXPECT_EQ(g.n_input_rows(), 7);
  EXPECT_EQ(g.inputs()[1].begin, 5);
  EXPECT_EQ(g.rows(g.basis(three, chebyshev_basis(4))), 15);
  EXPECT_EQ(g.rows(g.expression({Coordinate("x"), Expr(1)})), 2);
  EXPECT_EQ(g.rows(g.activation(three, Activation::wavelet)), 3);
}

TEST(Graph, FixedNumbersAreNoParametersAndBlocksOfAGroupedLayerAreStacked) {
  Graph g({"t", "x"});
  const int features = g.fixed_affine(g.coordinates(), {1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3});
  EXPECT_EQ(g.rows(features), 4);
  EXPECT_EQ(g.n_parameters(), 0u);
  const int h = g.grouped_affine(features, 2, 6);
  EXPECT_EQ(g.rows(h), 6);
  ASSERT_EQ(g.parameters().size(), 2u);
  const ParameterBlock& weight = g.parameters()[0];
  EXPECT_EQ(weight.rows, 6);
  EXPECT_EQ(weight.cols, 2);
  EXPECT_EQ(weight.groups, 2);
  EXPECT_TRUE(weight.first_layer);  // fixed numbers are no weights
  EXPECT_EQ(g.n_parameters(), 6u * 2 + 6);
}

TEST(Graph, RefusesShapesThatDoNotFit) {
  Graph g({"x"});
  const int two = g.affine(g.coordinates(), 2), three = g.affine(g.coordinates(), 3);
  EXPECT_THAT(message_of([&] { g.add(two, three); }), HasSubstr("2 and 3 rows"));
  EXPECT_THAT(message_of([&] { g.affine(two, 0); }), HasSubstr("must be positive, got 0"));
  EXPECT_THAT(message_of([&] { g.affine(g.affine(two, 1 << 16, false), 1 << 16); }),
              HasSubstr("too many"));
  EXPECT_THAT(message_of([&] { g.grouped_affine(three, 2, 4); }),
              HasSubstr("3 rows to 4 rows cannot be cut into 2 groups"));
  EXPECT_THROW(g.grouped_affine(two, 2, 3), Error);
  EXPECT_THROW(g.grouped_affine(two, 0, 2), Error);
  EXPECT_THAT(message_of([&] {
                g.fixed_affine(two, {1, 2, 3});
              }),
              HasSubstr("3 weights are no matrix with 2 columns"));
  EXPECT_THROW(g.fixed_affine(two, {}), Error);
  EXPECT_THAT(message_of([&] {
                g.fixed_affine(two, {1, 2}, {1, 2});
              }),
              HasSubstr("1 rows with 2 biases"));
  EXPECT_THAT(message_of([&] { g.fixed_affine(two, {1, std::nan("")}); }), HasSubstr("finite"));
  EXPECT_THAT(message_of([&] { g.slice(three, 2, 2); }), HasSubstr("with 3 rows"));
  EXPECT_THROW(g.slice(three, -1, 2), Error);
  EXPECT_THROW(g.slice(three, 0, 0), Error);
  EXPECT_THROW(g.concatenate({}), Error);
  EXPECT_THROW(g.basis(three, nullptr), Error);
  EXPECT_THROW(g.expression({}), Error);
  EXPECT_THAT(message_of([&] { g.activation(99, Activation::tanh); }), HasSubstr("no value 99"));
  EXPECT_THROW(g.row_sum(-1), Error);
  EXPECT_THAT(message_of([&] { g.row_sum(three, 2); }), HasSubstr("3 rows cannot be summed"));
  EXPECT_THROW(g.row_sum(three, 0), Error);
  EXPECT_THROW(g.repeat_rows(three, 0), Error);
  EXPECT_THROW(g.repeat_rows(99, 2), Error);
  EXPECT_THAT(message_of([&] { g.tile(three, 1 << 30); }), HasSubstr("too many"));
  EXPECT_THROW(g.shift(99, 0), Error);
  EXPECT_THAT(message_of([&] { g.input("a", 0); }), HasSubstr("must be positive, got 0"));
}

TEST(Graph, AValueOnceMoreHasTheSameParametersAndOnlyWhatItNeeds) {
  Graph g({"t", "x"});
  const int x = g.coordinates();
  const int a = g.affine(x, 3), b = g.affine(x, 3);
  const int aside = g.activation(a, Activation::tanh);  // nothing needs it
  const int fixed = g.number(2);
  const int h = g.multiply(g.scale(g.affine(g.activation(a, Activation::sin), 4), 1), fixed);
  const std::size_t n_parameters = g.n_parameters(), n_ops = g.ops().size();
  const int other = g.again(h, a, b);
  EXPECT_EQ(g.n_parameters(), n_parameters);
  ASSERT_EQ(g.ops().size(), n_ops + 4);  // sine, affine, scale, product
  EXPECT_EQ(other, static_cast<int>(n_ops) + 3);
  const Operation &first = g.ops()[n_ops + 1], &of = g.ops()[static_cast<std::size_t>(aside) + 3];
  EXPECT_EQ(first.code, OpCode::affine);
  EXPECT_EQ(first.weights, of.weights);
  EXPECT_EQ(first.bias, of.bias);
  EXPECT_EQ(g.ops()[n_ops].inputs, std::vector<int>{b});
  EXPECT_EQ(g.ops()[n_ops + 3].inputs, (std::vector<int>{other - 1, fixed}));
  EXPECT_EQ(g.again(a, a, b), b);
  // What is known of the weights is as it was.
  EXPECT_TRUE(g.parameters()[0].activated);
  EXPECT_FALSE(g.parameters()[4].first_layer);
  EXPECT_THAT(message_of([&] { g.again(h, a, h); }), HasSubstr("4 rows in place of 3"));
  EXPECT_THAT(message_of([&] { g.again(a, b, a); }), HasSubstr("does not depend"));
  EXPECT_THAT(message_of([&] { g.again(b, h, h); }), HasSubstr("does not depend"));
  EXPECT_THROW(g.again(h, a, 99), Error);
}

TEST(Graph, KnowsHowItsNetworkWantsToStart) {
  Graph g({"x"});
  const int h = g.affine(g.coordinates(), 2);
  g.start_uniform(h, 3, 0.5);
  EXPECT_EQ(g.parameters()[0].bound, 3);
  EXPECT_EQ(g.parameters()[1].bound, 0.5);
  const int s = g.scale(h, 1, true);
  g.start_at(s, {4, 5});
  EXPECT_EQ(g.parameters()[2].first, (std::vector<double>{4, 5}));
  EXPECT_THAT(message_of([&] { g.start_at(s, {4}); }), HasSubstr("1 numbers for 2 parameters"));
  EXPECT_THAT(message_of([&] { g.start_at(g.coordinates(), {4}); }),
              HasSubstr("no parameters of its own"));
  EXPECT_THROW(g.start_uniform(h, -1, 0), Error);
}

TEST(Graph, RefusesNamesThatDoNotFit) {
  EXPECT_THROW(Graph({}), Error);
  EXPECT_THAT(message_of([] { Graph({"x", "x"}); }), HasSubstr("'x' is named twice"));
  Graph g({"x"});
  const int h = g.affine(g.coordinates(), 2);
  g.output("u", h, 1);
  EXPECT_THAT(message_of([&] { g.output("u", h, 0); }), HasSubstr("two outputs"));
  EXPECT_THAT(message_of([&] { g.output("v", h, 2); }), HasSubstr("row 2 of a value with 2 rows"));
  g.constant("k", 1);
  EXPECT_THROW(g.constant("k", 2), Error);
  g.input("a", 1);
  EXPECT_THAT(message_of([&] { g.input("a", 2); }), HasSubstr("'a' is named twice"));
  EXPECT_THAT(message_of([&] { g.expression({Coordinate("y")}); }),
              HasSubstr("unknown coordinate 'y'"));
  EXPECT_THAT(message_of([&] { g.expression({Field("u")}); }), HasSubstr("'u'"));
}

TEST(Graph, SharedAffineHasTheWeightsOfItsModel) {
  Graph g({"x", "y"});
  const int first = g.affine(g.coordinates(), 3);
  const int again = g.shared_affine(g.expression({Expr(1), Expr(2)}), first);
  EXPECT_EQ(g.n_parameters(), 9u);
  EXPECT_EQ(g.rows(again), 3);
  EXPECT_EQ(g.ops().back().weights, g.ops()[static_cast<std::size_t>(first)].weights);
  EXPECT_THROW((void)g.shared_affine(first, first), Error);  // three rows for two
  EXPECT_THROW((void)g.shared_affine(g.coordinates(), g.coordinates()), Error);
}

}  // namespace
}  // namespace cauchy::test_graph
