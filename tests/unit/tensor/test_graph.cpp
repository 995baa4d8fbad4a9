#include <cauchy/tensor/graph.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/networks/initialize.hpp>

#include "support/message_of.hpp"
#include "support/tensor_run.hpp"

namespace cauchy::test_graph {
namespace {

TEST(TensorGraph, OperationsHaveTheShapesOfTheirResults) {
  TensorGraph g;
  const int x = g.input("x", {2, {8, 6}}), n = g.input("n", {3, {}});
  const auto shape = [&](int v) { return to_string(g.shape(v)); };
  EXPECT_EQ(shape(n), "3");
  EXPECT_EQ(shape(g.linear(x, 5)), "5 x 8 x 6");
  EXPECT_EQ(shape(g.spectrum(x, {3, 2})), "4 x 6 x 2");
  EXPECT_EQ(shape(g.from_spectrum(g.spectrum(x, {3, 2}), {16, 5})), "2 x 16 x 5");
  EXPECT_EQ(shape(g.convolution(x, 4, {.kernel = {3, 3}, .stride = {2, 1}})), "4 x 4 x 6");
  EXPECT_EQ(shape(g.transposed_convolution(x, 4, {.kernel = {4, 3}, .stride = {2, 1}})),
            "4 x 16 x 6");
  EXPECT_EQ(shape(g.patch(x, {4, 3})), "24 x 2 x 2");
  EXPECT_EQ(shape(g.max_pool(x, {2, 3})), "2 x 4 x 2");
  EXPECT_EQ(shape(g.reduce(x)), "2");
  EXPECT_EQ(shape(g.along(x, 1, 4, std::vector<double>(24, 1))), "2 x 8 x 4");
  EXPECT_EQ(shape(g.transpose(x, {1, 2, 0})), "8 x 6 x 2");
  EXPECT_EQ(shape(g.multiply(g.slice(x, 0, 1), n)), "3 x 8 x 6");
  EXPECT_EQ(shape(g.attention(g.reshape(x, {4, {24}}), g.reshape(x, {4, {24}}),
                              g.reshape(x, {4, {24}}), 2)),
            "4 x 24");
}

TEST(TensorGraph, ParametersAreNamedBlocksWithoutGaps) {
  TensorGraph g;
  const int x = g.input("x", {3, {6}});
  const int y = g.linear(x, 4, Activation::gelu, true, "lift");
  g.mode_linear(g.spectrum(y, {2}), 5);
  g.shift(y, 0.5, true, "position");
  const auto& blocks = g.parameters();
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].name, "lift0.weight");
  EXPECT_EQ(blocks[1].name, "lift0.bias");
  EXPECT_EQ(blocks[2].name, "modes2.weight");
  EXPECT_EQ(blocks[3].name, "position3");
  EXPECT_TRUE(blocks[0].first_layer);
  EXPECT_TRUE(blocks[0].activated);
  EXPECT_EQ(blocks[0].after, Activation::gelu);
  EXPECT_FALSE(blocks[2].first_layer);
  EXPECT_EQ(blocks[2].size(), 5 * 4 * 2 * 2);
  EXPECT_EQ(blocks[3].size(), 24);
  EXPECT_EQ(g.n_parameters(), 12u + 4 + 80 + 24);
  const std::vector<double> theta = initial_parameters(blocks, Rng(1));
  EXPECT_EQ(theta.size(), g.n_parameters());
  EXPECT_EQ(theta.back(), 0.5);
}

TEST(TensorGraph, AnActivationBehindALayerIsKnownToItsWeights) {
  TensorGraph g;
  const int x = g.linear(g.input("x", {2, {4}}), 4);
  g.activation(g.scale(g.normalize(x, NormalizeOver::points), 1), Activation::relu);
  EXPECT_TRUE(g.parameters()[0].activated);
  EXPECT_EQ(g.parameters()[0].after, Activation::relu);
}

TEST(TensorGraph, FirstValuesKeepTheSizeOfWhatGoesThrough) {
  // Mean squares of 16 channels over all samples and modes; random R has variance 1 / 16 each.
  const std::size_t n = 64;
  const auto ratio = [&](const auto& build, std::vector<int> grid) {
    TensorGraph g;
    const int x = g.input("x", {32, std::move(grid)});
    const int y = build(g, x);
    const std::vector<double> in = test::random_numbers(n * g.shape(x).size(), 3);
    const std::vector<double> out =
        test::run_tensor(g, y, {in}, initial_parameters(g.parameters(), Rng(5)), n);
    const auto mean = [](const std::vector<double>& v) {
      double sum = 0;
      for (const double a : v) sum += a * a;
      return sum / static_cast<double>(v.size());
    };
    return mean(out) / mean(in);
  };
  using G = TensorGraph;
  EXPECT_NEAR(ratio([](G& g, int x) { return g.mode_linear(x, 16); }, {4, 2}), 1, 0.1);
  EXPECT_NEAR(ratio([](G& g, int x) { return g.mode_scale(x); }, {8}), 1, 0.2);
  EXPECT_NEAR(ratio([](G& g, int x) { return g.complex_linear(x, 16, 4, false); }, {4}), 1, 0.3);
  EXPECT_NEAR(ratio([](G& g, int x) { return g.linear(x, 32, Activation::identity, false); }, {4}),
              1, 0.2);
  EXPECT_NEAR(
      ratio([](G& g,
               int x) { return g.transposed_convolution(x, 32, {.kernel = {2}, .stride = {2}}); },
            {4}),
      1, 0.2);
}

TEST(TensorGraph, ReusedParametersAreThoseOfTheFirstTime) {
  TensorGraph g;
  const int x = g.input("x", {2, {4}});
  const int y = g.linear(g.linear(x, 3), 2);
  const std::size_t n = g.n_parameters();
  g.reuse(0);
  const int z = g.linear(g.linear(y, 3), 2);
  g.stop_reuse();
  EXPECT_EQ(g.n_parameters(), n);
  EXPECT_EQ(g.ops()[static_cast<std::size_t>(z)].weights,
            g.ops()[static_cast<std::size_t>(y)].weights);
  EXPECT_EQ(message_of([&] {
              g.stop_reuse();
              return 0;
            }),
            "[tensor]: stop_reuse: no parameters are reused; call reuse() first");
  g.reuse(0);
  EXPECT_EQ(message_of([&] { return g.linear(x, 4); }),
            "[tensor]: 'linear4.weight' of 4 x 2 cannot reuse 'linear0.weight' of 3 x 2; build the "
            "same network as the first time");
  g.reuse(4);
  EXPECT_EQ(message_of([&] { return g.linear(x, 4); }),
            "[tensor]: 'linear4.weight' wants more parameters than there are to reuse; build the "
            "same network as the first time");
}

TEST(TensorGraph, AgainIsTheSameFunctionOfAnotherValue) {
  TensorGraph g;
  const int x = g.input("x", {2, {3}}), y = g.input("y", {2, {3}});
  const int f = g.add(g.linear(x, 2, Activation::tanh), x);
  const int again = g.again(f, x, y);
  const std::vector<double> theta = test::random_numbers(g.n_parameters(), 1);
  const std::vector<double> a = test::random_numbers(6, 2), b = test::random_numbers(6, 3);
  EXPECT_EQ(test::run_tensor(g, again, {a, b}, theta), test::run_tensor(g, f, {b, a}, theta));
  EXPECT_EQ(g.parameters().size(), 2u);
}

TEST(TensorGraph, CountsProductsAndSums) {
  TensorGraph g;
  const int x = g.input("x", {3, {10}});
  g.linear(x, 4);
  EXPECT_EQ(g.flops(), 2 * 3 * 4 * 10 + 40);  // products and sums, then the bias
}

TEST(TensorGraph, SaysWhatDoesNotFit) {
  TensorGraph g;
  const int x = g.input("x", {2, {8, 6}}), y = g.input("y", {3, {8, 6}});
  const int c = g.spectrum(x, {3, 2}), one = g.slice(x, 0, 1);
  const std::vector<std::pair<std::function<int()>, std::string>> cases = {
      {[&] {
         return g.input("x", {1, {2}});
       },
       "input 'x' is named twice"},
      {[&] {
         return g.input("z", {0, {2}});
       },
       "input: number of channels must be positive, got 0"},
      {[&] {
         return g.input("z", {1, {2, 0}});
       },
       "input: axes must have points, got 0"},
      {[&] {
         return g.input("z", {1, {1, 1, 1, 1, 1}});
       },
       "input: a grid has at most 4 axes, got 5"},
      {[&] {
         return g.input("z", {4096, {4096, 4096}});
       },
       "input: an array of 4096 x 4096 x 4096 is too large"},
      {[&] { return g.linear(99, 1); }, "shape: there is no value 99 (the graph has 4)"},
      {[&] { return g.linear(x, 0); }, "linear: number of channels must be positive, got 0"},
      {[&] { return g.linear(x, 4, Activation::gelu, true, "w", y); },
       "linear: the value to be added is 3 x 8 x 6, the result 4 x 8 x 6"},
      {[&] { return g.add(x, y); },
       "add: operands are 2 x 8 x 6 and 3 x 8 x 6; one of them may have a single channel, or no "
       "grid"},
      {[&] {
         return g.constant({1, {2}}, {1});
       },
       "constant: 1 numbers for an array of 1 x 2"},
      {[&] {
         return g.constant({1, {}}, {NAN});
       },
       "constant: numbers must be finite"},
      {[&] {
         return g.spectrum(x, {5, 2});
       },
       "spectrum: 5 modes along axis 1 of 8 points; it has 4 frequencies: keep fewer modes, or "
       "refine the grid"},
      {[&] { return g.spectrum(x, {3}); },
       "spectrum: modes for 1 axes, but the grid is 8 x 6; give one number per axis"},
      {[&] {
         return g.from_spectrum(c, {4, 6});
       },
       "from_spectrum: 3 modes along axis 1 of 4 points; it has 2 frequencies: keep fewer modes, "
       "or refine the grid"},
      {[&] { return g.mode_linear(y, 2); },
       "mode_linear: 3 channels are no complex ones; real and imaginary parts come in pairs, as "
       "from spectrum()"},
      {[&] { return g.complex_linear(c, 3, 2); },
       "complex_linear: 2 complex channels to 3 cannot be cut into 2 groups"},
      {[&] {
         return g.patch(x, {3, 3});
       },
       "patch: boxes of 3 x 3 do not divide a grid of 8 x 6; pad or interpolate first"},
      {[&] {
         return g.unpatch(x, {2, 2});
       },
       "unpatch: 2 channels are no patches of 2 x 2"},
      {[&] {
         return g.crop(x, {6, 0}, {4, 6});
       },
       "crop: points 6 to 9 of an axis with 8"},
      {[&] {
         return g.pick(x, {1, {1}}, {96});
       },
       "pick: there is no number 96 in an array of 2 x 8 x 6"},
      {[&] { return g.slice(x, 1, 2); }, "slice: channels 1 to 2 of a value with 2"},
      {[&] {
         return g.reshape(x, {5, {}});
       },
       "reshape: 2 x 8 x 6 and 5 have not as many numbers"},
      {[&] {
         return g.transpose(x, {0, 1, 1});
       },
       "transpose: 0, 1, 1 is no order of the axes 0 to 2"},
      {[&] { return g.along(x, 2, 1, {}); }, "along: there is no axis 2 in 2 x 8 x 6"},
      {[&] {
         return g.reduce(x, {1, 2});
       },
       "reduce: 2 weights for 48 points"},
      {[&] {
         return g.convolution(x, 1, {.kernel = {9, 1}, .padding = {0, 0}});
       },
       "convolution: a kernel of 9 x 1 with padding 0 x 0 on a grid of 8 x 6"},
      {[&] {
         return g.transposed_convolution(x, 1, {.kernel = {3, 3}, .padding = {0, 1}});
       },
       "transposed_convolution: a kernel of 3 with padding 0 and stride 1 does not lead to a grid "
       "of stride times the points; kernel - 2 padding must lie between 1 and the stride"},
      {[&] { return g.normalize(y, NormalizeOver::group, 2); },
       "normalize: 3 channels cannot be cut into 2 groups"},
      {[&] { return g.dropout(x, 1); }, "dropout: the rate must lie in [0, 1), got 1"},
      {[&] { return g.attention(x, y, y); },
       "attention: queries of 2 x 8 x 6, keys of 3 x 8 x 6, values of 3 x 8 x 6; queries and keys "
       "need as many channels, keys and values one grid"},
      {[&] { return g.attention(x, x, y, 2); },
       "attention: 2 and 3 channels cannot be shared by 2 heads"},
      {[&] { return g.attention(x, x, x, 1, {1}); }, "attention: 1 weights for 48 keys"},
      {[&] { return g.matrix_vector(x, y, 2); },
       "matrix_vector: 2 x 8 x 6 are no matrices of 2 rows for vectors of 3 x 8 x 6"},
      {[&] {
         return g.expression(std::vector{one}, {"u", "v"}, {Expr(1)});
       },
       "expression: 2 names for 1 channels"},
      {[&] { return g.expression(std::vector{one}, {"u"}, {Expr(Symbol("v"))}); },
       "expression: 'v' is no channel; channels are: u"},
      {[&] {
         return g.expression(std::vector{x}, {"u", "u"}, {Expr(1)});
       },
       "expression: 'u' is named twice"},
  };
  for (const auto& [call, message] : cases) EXPECT_EQ(message_of(call), "[tensor]: " + message);
}

TEST(TensorGraph, EveryOperationHasAName) {
  EXPECT_EQ(to_string(TensorOp::input), "input");
  EXPECT_EQ(to_string(TensorOp::reduce), "reduce");
  EXPECT_EQ(to_string(TensorOp::expression), "expression");
}

}  // namespace
}  // namespace cauchy::test_graph
