// Moves between points: picks, interpolation, pooling, convolutions.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <cauchy/tensor/graph.hpp>

#include "support/tensor_run.hpp"
#include "tensor/border.hpp"

namespace cauchy::test_graph_points {
namespace {

using test::distance;
using test::random_numbers;
using test::run_tensor;

TEST(TensorPoints, BordersContinueAnAxis) {
  using detail::border_node;
  const auto nodes = [](Border b) {
    std::vector<int> result;
    for (int i = -5; i < 9; ++i) result.push_back(border_node(i, 4, b));
    return result;
  };
  EXPECT_EQ(nodes(Border::zero),
            (std::vector<int>{-1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1}));
  EXPECT_EQ(nodes(Border::periodic), (std::vector<int>{3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0}));
  EXPECT_EQ(nodes(Border::reflect), (std::vector<int>{1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2}));
  EXPECT_EQ(border_node(3, 1, Border::reflect), 0);
}

TEST(TensorPoints, CropUndoesPad) {
  for (const Border b : {Border::zero, Border::periodic, Border::reflect}) {
    TensorGraph g;
    const int x = g.input("x", {2, {3, 4}});
    const int y = g.crop(g.pad(x, {2, 1}, {1, 3}, b), {2, 1}, {3, 4});
    const std::vector<double> in = random_numbers(24, 1);
    EXPECT_EQ(run_tensor(g, y, {in}), in);
  }
}

TEST(TensorPoints, PadWritesWhatLiesOutside) {
  TensorGraph g;
  const int x = g.input("x", {1, {3}});
  const std::vector<double> in = {1, 2, 3};
  const auto padded = [&](Border b) { return run_tensor(g, g.pad(x, {2}, {1}, b), {in}); };
  EXPECT_EQ(padded(Border::zero), (std::vector<double>{0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(padded(Border::periodic), (std::vector<double>{2, 3, 1, 2, 3, 1}));
  EXPECT_EQ(padded(Border::reflect), (std::vector<double>{3, 2, 1, 2, 3, 2}));
}

TEST(TensorPoints, UnpatchUndoesPatch) {
  TensorGraph g;
  const int x = g.input("x", {2, {4, 6}});
  const int patched = g.patch(x, {2, 3});
  std::vector<double> in(48);
  std::iota(in.begin(), in.end(), 0.0);
  const std::vector<double> out = run_tensor(g, patched, {in});
  // Channel 1 of the patches: point (0, 1) of each; channel 6: the second field.
  EXPECT_EQ((std::vector<double>{out[4], out[5], out[6], out[7], out[24]}),
            (std::vector<double>{1, 4, 13, 16, 24}));
  EXPECT_EQ(run_tensor(g, g.unpatch(patched, {2, 3}), {in}), in);
}

TEST(TensorPoints, TransposeAndRollMoveNumbers) {
  TensorGraph g;
  const int x = g.input("x", {2, {3}});
  const std::vector<double> in = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(run_tensor(g, g.transpose(x, {1, 0}), {in}), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(run_tensor(g, g.roll(x, {1}), {in}), (std::vector<double>{3, 1, 2, 6, 4, 5}));
  EXPECT_EQ(run_tensor(g, g.roll(x, {-4}), {in}), (std::vector<double>{2, 3, 1, 5, 6, 4}));
  const int n = g.input("n", {2, {}});
  EXPECT_EQ(run_tensor(g, g.repeat(n, {3}), {{}, {7, 8}}), (std::vector<double>{7, 7, 7, 8, 8, 8}));
}

TEST(TensorPoints, InterpolationIsExactForLinearFunctions) {
  const auto on = [](int n, int m) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j) values.push_back(1 + 2.0 * i / (n - 1) - 3.0 * j / (m - 1));
    }
    return values;
  };
  for (const auto& [n, m] : {std::pair{9, 11}, std::pair{3, 7}, std::pair{4, 6}}) {
    TensorGraph g;
    const int x = g.input("x", {1, {5, 6}});
    EXPECT_LT(distance(run_tensor(g, g.interpolate(x, {n, m}), {on(5, 6)}), on(n, m)), 1e-14);
  }
}

TEST(TensorPoints, PeriodicInterpolationGoesAroundTheCircle) {
  TensorGraph g;
  const int x = g.input("x", {1, {4}});
  EXPECT_EQ(run_tensor(g, g.interpolate(x, {8}, Border::periodic), {{0, 2, 4, 6}}),
            (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 3}));
}

TEST(TensorPoints, PoolingTakesBoxes) {
  TensorGraph g;
  const int x = g.input("x", {1, {2, 4}});
  const std::vector<double> in = {1, 5, 2, -4, 3, -1, -8, -6};
  EXPECT_EQ(run_tensor(g, g.max_pool(x, {2, 2}), {in}), (std::vector<double>{5, 2}));
  EXPECT_EQ(run_tensor(g, g.mean_pool(x, {2, 2}), {in}), (std::vector<double>{2, -4}));
}

TEST(TensorPoints, AConvolutionIsACorrelationWithItsKernel) {
  TensorGraph g;
  const int x = g.input("x", {1, {5}});
  const int y = g.convolution(x, 1, {.kernel = {3}});
  // Kernel (1, 10, 100), bias 0.5: y_i = x_{i-1} + 10 x_i + 100 x_{i+1} + 0.5.
  const std::vector<double> out =
      run_tensor(g, y, {{1, 2, 3, 4, 5}}, std::vector<double>{1, 10, 100, 0.5});
  EXPECT_EQ(out, (std::vector<double>{210.5, 321.5, 432.5, 543.5, 54.5}));
}

TEST(TensorPoints, ATransposedConvolutionIsTheAdjointOfTheConvolution) {
  // <conv x, y> = <x, transposed conv y> with the same weights, for every border.
  for (const Border border : {Border::zero, Border::periodic, Border::reflect}) {
    const ConvolutionOptions o{.kernel = {3, 4}, .stride = {1, 2}, .border = border, .bias = false};
    TensorGraph g;
    const int x = g.input("x", {2, {4, 6}}), y = g.input("y", {3, {4, 3}});
    const int forward = g.convolution(x, 3, o);
    ASSERT_EQ(g.shape(forward), g.shape(y));
    g.reuse(0);
    const int back = g.transposed_convolution(y, 2, o);
    g.stop_reuse();
    ASSERT_EQ(g.shape(back), g.shape(x));
    const std::vector<double> a = random_numbers(48, 1), b = random_numbers(36, 2);
    const std::vector<double> theta = random_numbers(g.n_parameters(), 3);
    const std::vector<double> fa = run_tensor(g, forward, {a, b}, theta);
    const std::vector<double> tb = run_tensor(g, back, {a, b}, theta);
    const double left = std::inner_product(fa.begin(), fa.end(), b.begin(), 0.0);
    const double right = std::inner_product(tb.begin(), tb.end(), a.begin(), 0.0);
    EXPECT_LT(std::abs(left - right), 1e-13 * std::abs(left));
  }
}

TEST(TensorPoints, ReduceIntegrates) {
  TensorGraph g;
  const int x = g.input("x", {2, {3}});
  const std::vector<double> in = {1, 2, 6, 0, 1, -1};
  EXPECT_LT(distance(run_tensor(g, g.reduce(x), {in}), std::vector<double>{3, 0}), 1e-15);
  EXPECT_EQ(run_tensor(g, g.reduce(x, {0.25, 0.5, 0.25}), {in}), (std::vector<double>{2.75, 0.25}));
}

}  // namespace
}  // namespace cauchy::test_graph_points
