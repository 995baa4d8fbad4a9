// Building functions of convolutions.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/tensor/graph.hpp>

#include "tensor/graph_checks.hpp"

namespace cauchy {

using detail::refuse_tensor;
using detail::require_per_axis;
using detail::sizes_text;

namespace {

/// Fills in what was left open, and checks.
ConvolutionOptions complete(std::string_view where, ConvolutionOptions o,
                            const std::vector<int>& grid) {
  if (grid.empty()) refuse_tensor(fmt::format("{}: a value without grid", where));
  require_per_axis(where, "kernel", o.kernel, grid);
  if (o.stride.empty()) o.stride.assign(grid.size(), 1);
  require_per_axis(where, "stride", o.stride, grid);
  if (o.padding.empty()) {
    for (const int k : o.kernel) o.padding.push_back((k - 1) / 2);
  }
  require_per_axis(where, "padding", o.padding, grid, 0);
  return o;
}

}  // namespace

int TensorGraph::convolution(int x, int channels, ConvolutionOptions options) {
  const TensorShape from = shape(x);
  TensorOperation op{.code = TensorOp::convolution,
                     .inputs = {x},
                     .shape = {channels, std::vector<int>(from.grid.size())}};
  op.convolution = complete("convolution", std::move(options), from.grid);
  const ConvolutionOptions& o = op.convolution;
  for (std::size_t a = 0; a < from.grid.size(); ++a) {
    const int room = from.grid[a] + 2 * o.padding[a] - o.kernel[a];
    if (room < 0) {
      refuse_tensor(fmt::format("convolution: a kernel of {} with padding {} on a grid of {}",
                                sizes_text(o.kernel), sizes_text(o.padding),
                                sizes_text(from.grid)));
    }
    op.shape.grid[a] = room / o.stride[a] + 1;
  }
  if (channels < 1) {
    refuse_tensor(
        fmt::format("convolution: number of channels must be positive, got {}", channels));
  }
  const std::size_t cols =
      static_cast<std::size_t>(from.channels) * TensorShape{1, o.kernel}.points();
  op.n_weights = static_cast<std::size_t>(channels) * cols;
  op.weights = add_weights(o.name, "convolution", static_cast<std::size_t>(channels), cols);
  if (o.bias) op.bias = add_bias(o.name, channels);
  return push(std::move(op));
}

int TensorGraph::transposed_convolution(int x, int channels, ConvolutionOptions options) {
  const TensorShape from = shape(x);
  TensorOperation op{.code = TensorOp::transposed_convolution, .inputs = {x}};
  op.convolution = complete("transposed_convolution", std::move(options), from.grid);
  const ConvolutionOptions& o = op.convolution;
  op.shape = {channels, from.grid};
  for (std::size_t a = 0; a < from.grid.size(); ++a) {
    op.shape.grid[a] *= o.stride[a];
    const int reach = o.kernel[a] - 2 * o.padding[a];
    if (reach < 1 || reach > o.stride[a]) {
      refuse_tensor(
          fmt::format("transposed_convolution: a kernel of {} with padding {} and stride {} does "
                      "not lead to a grid of stride times the points",
                      o.kernel[a], o.padding[a], o.stride[a]),
          "kernel - 2 padding must lie between 1 and the stride");
    }
  }
  if (channels < 1) {
    refuse_tensor(fmt::format("transposed_convolution: number of channels must be positive, got {}",
                              channels));
  }
  const auto rows = static_cast<std::size_t>(from.channels);
  const std::size_t kernel = TensorShape{1, o.kernel}.points();
  const std::size_t cols = static_cast<std::size_t>(channels) * kernel;
  op.n_weights = rows * cols;
  op.weights = add_weights(o.name, "transposed_convolution", rows, cols);
  if (o.bias) op.bias = add_bias(o.name, channels);
  const auto strides = static_cast<double>(TensorShape{1, o.stride}.points());
  const int value = push(std::move(op));
  // A number of the result is the sum of one part in `strides` of kernel x channels of x.
  const double inputs = static_cast<double>(rows * kernel) / strides;
  start_uniform(value, std::sqrt(6 / (inputs + channels)));
  return value;
}

}  // namespace cauchy
