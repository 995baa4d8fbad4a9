#include "tensor/backend/cpu/winograd.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/tensor/executor.hpp>

namespace cauchy::test_winograd {
namespace {

/// 3 -> 18 channels point by point, then 3 x 3 points to 17 channels: its adjoints by the input are
/// in the gradient of the first.
struct Net {
  std::shared_ptr<TensorGraph> graph = std::make_shared<TensorGraph>();
  int value = -1, loss = -1;

  Net(const std::vector<int>& grid, Border border) {
    TensorGraph& g = *graph;
    const int x = g.convolution(g.input("x", {3, grid}), 18, {.kernel = {1, 1}});
    value = g.convolution(x, 17, {.kernel = {3, 3}, .border = border});
    loss = g.reduce(g.function(value, ElementFunction::square));
    loss = g.reduce(g.reshape(loss, {1, {17}}));
  }
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max(size, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference / size;
}

TEST(Winograd, AgreesWithPlainSumsOnAnyGridAndBorder) {
  constexpr std::size_t n = 3;
  for (const Border border : {Border::zero, Border::periodic, Border::reflect}) {
    for (const std::vector<int>& grid : {std::vector<int>{16, 16}, {17, 18}, {40, 7}}) {
      const Net net(grid, border);
      const ConvolutionOptions options{
          .kernel = {3, 3}, .stride = {1, 1}, .padding = {1, 1}, .border = border};
      ASSERT_TRUE(detail::WinogradConvolution<float>::suits(18, 17, grid, grid, options));
      std::vector<double> x(n * TensorShape{3, grid}.size());
      Rng(3).fill_normal(x);
      const std::span<const double> batch[] = {x};
      const std::vector<double> theta = initial_parameters(net.graph->parameters(), Rng(4));
      std::vector<double> values[2], gradients[2];
      for (const int fast : {0, 1}) {
        const auto e = make_tensor_executor(
            net.graph, {{"loss", net.loss, 1}},
            {.threads = 1 + fast,
             .precision = fast == 1 ? Precision::f32 : Precision::f64,
             .backend = fast == 1 ? BackendKind::cpu : BackendKind::reference});
        values[fast].resize(n * TensorShape{17, grid}.size());
        e->predict(net.value, theta, n, batch, values[fast]);
        e->set_batch(n, batch);
        gradients[fast].resize(theta.size());
        (void)e->gradient(theta, gradients[fast]);
      }
      // Sums of 162 terms, whose transforms grow to some hundred times the inputs in between.
      const double tolerance = 200 * 1.2e-7;
      EXPECT_LT(largest_difference(values[1], values[0]), tolerance);
      EXPECT_LT(largest_difference(gradients[1], gradients[0]), tolerance);
    }
  }
}

TEST(Winograd, IsLeftToOthersWhereItGainsNothing) {
  const std::vector<int> grid{16, 16}, small{8, 8};
  const ConvolutionOptions good{.kernel = {3, 3}, .stride = {1, 1}, .padding = {1, 1}};
  ConvolutionOptions wide = good, strided = good;
  wide.kernel = {5, 5};
  strided.stride = {2, 2};
  using W = detail::WinogradConvolution<float>;
  EXPECT_TRUE(W::suits(16, 16, grid, grid, good));
  EXPECT_FALSE(W::suits(16, 16, small, small, good));
  EXPECT_FALSE(W::suits(3, 16, grid, grid, good));
  EXPECT_FALSE(W::suits(16, 16, grid, grid, wide));
  EXPECT_FALSE(W::suits(16, 16, grid, small, strided));
  EXPECT_FALSE(detail::WinogradConvolution<double>::suits(16, 16, grid, grid, good));
}

}  // namespace
}  // namespace cauchy::test_winograd
