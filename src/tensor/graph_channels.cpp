// Building functions that act on the channels of every point.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/tensor/graph.hpp>

#include "tensor/graph_checks.hpp"

namespace cauchy {

using detail::refuse_tensor;

int TensorGraph::linear(int x, int channels, Activation activation, bool bias,
                        std::string_view name, int plus) {
  if (activation == Activation::wavelet) {  // has parameters of its own
    return this->activation(linear(x, channels, Activation::identity, bias, name, plus),
                            activation);
  }
  TensorOperation op{.code = TensorOp::linear,
                     .inputs = {x},
                     .shape = {channels, shape(x).grid},
                     .activation = activation};
  detail::require_shape("linear", op.shape);
  if (plus >= 0) {
    if (shape(plus) != op.shape) {
      refuse_tensor(fmt::format("linear: the value to be added is {}, the result {}",
                                to_string(shape(plus)), to_string(op.shape)));
    }
    op.inputs.push_back(plus);
  }
  const auto cols = static_cast<std::size_t>(shape(x).channels);
  op.n_weights = static_cast<std::size_t>(channels) * cols;
  op.weights = add_weights(name, "linear", static_cast<std::size_t>(channels), cols);
  if (bias) op.bias = add_bias(name, channels);
  return push(std::move(op));
}

int TensorGraph::activation(int x, Activation activation) {
  require_value(x, "activation");
  if (activation == Activation::identity) return x;
  if (activation == Activation::wavelet) {
    const int sine = this->activation(x, Activation::sin);
    const int cosine = this->activation(x, Activation::cos);
    return add(scale(sine, 1, "wavelet", true), scale(cosine, 1, "wavelet", true));
  }
  return push(
      {.code = TensorOp::activation, .inputs = {x}, .shape = shape(x), .activation = activation});
}

int TensorGraph::function(int x, ElementFunction function) {
  return push({.code = TensorOp::function, .inputs = {x}, .shape = shape(x), .function = function});
}

int TensorGraph::soft_shrink(int x, double lambda) {
  if (!(lambda >= 0) || !std::isfinite(lambda)) {
    refuse_tensor(fmt::format("soft_shrink: lambda must not be negative, got {}", lambda));
  }
  return push({.code = TensorOp::soft_shrink, .inputs = {x}, .shape = shape(x), .number = lambda});
}

int TensorGraph::trainable(TensorOp code, int x, std::size_t n, double initial,
                           std::string_view name) {
  TensorOperation op{.code = code, .inputs = {x}, .shape = shape(x)};
  op.n_weights = n;
  op.weights = add_block(
      {.name = fmt::format("{}{}", name, blocks_.size()),
       .role = code == TensorOp::scale ? ParameterBlock::Role::scale : ParameterBlock::Role::shift,
       .rows = static_cast<int>(n),
       .initial = initial});
  return push(std::move(op));
}

int TensorGraph::scale(int x, double initial, std::string_view name, bool single) {
  const std::size_t n = single ? 1 : static_cast<std::size_t>(shape(x).channels);
  return trainable(TensorOp::scale, x, n, initial, name);
}

int TensorGraph::shift(int x, double initial, bool everywhere, std::string_view name) {
  const std::size_t n = everywhere ? shape(x).size() : static_cast<std::size_t>(shape(x).channels);
  return trainable(TensorOp::shift, x, n, initial, name);
}

int TensorGraph::binary(TensorOp code, int x, int y) {
  const TensorShape &a = shape(x), &b = shape(y);
  const bool channels = a.channels == b.channels || a.channels == 1 || b.channels == 1;
  const bool grids = a.grid == b.grid || a.grid.empty() || b.grid.empty();
  if (!channels || !grids) {
    refuse_tensor(
        fmt::format("{}: operands are {} and {}", to_string(code), to_string(a), to_string(b)),
        "one of them may have a single channel, or no grid");
  }
  return push({.code = code,
               .inputs = {x, y},
               .shape = {std::max(a.channels, b.channels), a.grid.empty() ? b.grid : a.grid}});
}

int TensorGraph::add(int x, int y) { return binary(TensorOp::add, x, y); }
int TensorGraph::subtract(int x, int y) { return binary(TensorOp::subtract, x, y); }
int TensorGraph::multiply(int x, int y) { return binary(TensorOp::multiply, x, y); }
int TensorGraph::divide(int x, int y) { return binary(TensorOp::divide, x, y); }

int TensorGraph::concatenate(std::span<const int> values) {
  if (values.empty()) refuse_tensor("concatenate: needs at least one value");
  TensorOperation op{.code = TensorOp::concatenate,
                     .inputs = {values.begin(), values.end()},
                     .shape = {0, shape(values[0]).grid}};
  for (const int v : values) {
    if (shape(v).grid != op.shape.grid) {
      refuse_tensor(fmt::format("concatenate: values of {} and {}", to_string(shape(values[0])),
                                to_string(shape(v))),
                    "they need one grid");
    }
    op.shape.channels += shape(v).channels;
  }
  return push(std::move(op));
}

int TensorGraph::matrix_vector(int x, int y, int rows) {
  const TensorShape &a = shape(x), &b = shape(y);
  if (rows < 1 || a.channels != rows * b.channels || a.grid != b.grid) {
    refuse_tensor(fmt::format("matrix_vector: {} are no matrices of {} rows for vectors of {}",
                              to_string(a), rows, to_string(b)));
  }
  return push({.code = TensorOp::matrix_vector, .inputs = {x, y}, .shape = {rows, b.grid}});
}

int TensorGraph::dropout(int x, double rate) {
  if (!(rate >= 0 && rate < 1)) {
    refuse_tensor(fmt::format("dropout: the rate must lie in [0, 1), got {}", rate));
  }
  if (rate == 0) return x;
  return push({.code = TensorOp::dropout, .inputs = {x}, .shape = shape(x), .number = rate});
}

int TensorGraph::normalize(int x, NormalizeOver over, int groups, double epsilon) {
  if (!(epsilon > 0) || !std::isfinite(epsilon)) {
    refuse_tensor(fmt::format("normalize: epsilon must be positive, got {}", epsilon));
  }
  if (over == NormalizeOver::group && (groups < 1 || shape(x).channels % groups != 0)) {
    refuse_tensor(fmt::format("normalize: {} channels cannot be cut into {} groups",
                              shape(x).channels, groups));
  }
  return push({.code = TensorOp::normalize,
               .inputs = {x},
               .shape = shape(x),
               .groups = over == NormalizeOver::group ? groups : 1,
               .number = epsilon,
               .over = over});
}

}  // namespace cauchy
