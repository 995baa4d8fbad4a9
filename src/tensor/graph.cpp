// The graph itself: values, parameters, inputs and outputs.
#include <cauchy/tensor/graph.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tensor/graph_checks.hpp"

namespace cauchy {

using detail::refuse_tensor;

namespace {

constexpr std::array tensor_op_names{
    "input",       "constant",       "linear",        "activation",
    "function",    "soft_shrink",    "scale",         "shift",
    "add",         "subtract",       "multiply",      "divide",
    "concatenate", "pick",           "along",         "sparse",
    "reduce",      "spectrum",       "from_spectrum", "mode_linear",
    "mode_scale",  "complex_linear", "convolution",   "transposed_convolution",
    "max_pool",    "normalize",      "attention",     "matrix_vector",
    "dropout",     "expression"};
static_assert(tensor_op_names.size() == static_cast<std::size_t>(TensorOp::expression) + 1);

void require_finite(std::string_view where, std::span<const double> numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); })) {
    refuse_tensor(fmt::format("{}: numbers must be finite", where));
  }
}

}  // namespace

std::string_view to_string(TensorOp op) noexcept {
  return tensor_op_names[static_cast<std::size_t>(op)];
}

void TensorGraph::require_value(int x, std::string_view where) const {
  if (x < 0 || x >= static_cast<int>(ops_.size())) {
    refuse_tensor(
        fmt::format("{}: there is no value {} (the graph has {})", where, x, ops_.size()));
  }
}

const TensorShape& TensorGraph::shape(int value) const {
  require_value(value, "shape");
  return ops_[static_cast<std::size_t>(value)].shape;
}

int TensorGraph::push(TensorOperation op) {
  constexpr std::size_t max_operations = 20'000;  // a plan takes time like the square of them
  if (ops_.size() >= max_operations) {
    refuse_tensor(fmt::format("the network has more than {} operations", max_operations));
  }
  for (const int x : op.inputs) require_value(x, to_string(op.code));
  detail::require_shape(to_string(op.code), op.shape);
  origins_.push_back(origin(op));
  ops_.push_back(std::move(op));
  return static_cast<int>(ops_.size()) - 1;
}

// --- parameters ---------------------------------------------------------------------------------

/// Tells the weights before a new operation what comes after them.
TensorGraph::Origin TensorGraph::origin(const TensorOperation& op) {
  Origin result;
  for (const int x : op.inputs) {
    const Origin& from = origins_[static_cast<std::size_t>(x)];
    result.after_weight = result.after_weight || from.after_weight;
    if (from.weight < 0) continue;
    if (op.code == TensorOp::scale || op.code == TensorOp::shift ||
        op.code == TensorOp::normalize) {
      result.weight = from.weight;
    }
    if (op.code == TensorOp::activation) {
      ParameterBlock& block = blocks_[static_cast<std::size_t>(from.weight)];
      block.activated = true;
      block.after = op.activation;
    }
  }
  if (op.weights < 0) return result;
  ParameterBlock& block = block_at(op.weights);
  if (block.role != ParameterBlock::Role::weight) return result;
  if (!result.after_weight) block.first_layer = true;
  result.after_weight = true;
  if (op.activation == Activation::identity) {
    result.weight = static_cast<int>(&block - blocks_.data());
  } else {
    block.activated = true;
    block.after = op.activation;
  }
  return result;
}

std::ptrdiff_t TensorGraph::add_block(ParameterBlock block) {
  if (reused_ >= 0) {
    const auto next = static_cast<std::size_t>(reused_);
    if (next >= blocks_.size() || blocks_[next].role != block.role ||
        blocks_[next].rows != block.rows || blocks_[next].cols != block.cols) {
      refuse_tensor(
          next >= blocks_.size()
              ? fmt::format("'{}' wants more parameters than there are to reuse", block.name)
              : fmt::format("'{}' of {} x {} cannot reuse '{}' of {} x {}", block.name, block.rows,
                            block.cols, blocks_[next].name, blocks_[next].rows, blocks_[next].cols),
          "build the same network as the first time");
    }
    ++reused_;
    return blocks_[next].offset;
  }
  block.offset = static_cast<std::ptrdiff_t>(n_parameters_);
  n_parameters_ += static_cast<std::size_t>(block.size());
  blocks_.push_back(std::move(block));
  return blocks_.back().offset;
}

std::ptrdiff_t TensorGraph::add_weights(std::string_view name, std::string_view where,
                                        std::size_t rows, std::size_t cols, double spread,
                                        int groups) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (rows > most || cols > most || rows * cols > most) {
    refuse_tensor(fmt::format("{}: {} x {} weights are too many", where, rows, cols));
  }
  return add_block({.name = fmt::format("{}{}.weight", name, blocks_.size()),
                    .role = ParameterBlock::Role::weight,
                    .rows = static_cast<int>(rows),
                    .cols = static_cast<int>(cols),
                    .groups = groups,
                    .spread = spread});
}

std::ptrdiff_t TensorGraph::add_bias(std::string_view name, int rows) {
  // The number of its weight, which stands directly before it.
  return add_block({.name = fmt::format("{}{}.bias", name, blocks_.size() - 1),
                    .role = ParameterBlock::Role::bias,
                    .rows = rows});
}

ParameterBlock& TensorGraph::block_at(std::ptrdiff_t offset) {
  const auto before = [](const ParameterBlock& b, std::ptrdiff_t at) { return b.offset < at; };
  return *std::lower_bound(blocks_.begin(), blocks_.end(), offset, before);
}

ParameterBlock& TensorGraph::weights_of(int value, std::string_view where) {
  require_value(value, where);
  const TensorOperation& op = ops_[static_cast<std::size_t>(value)];
  if (op.weights < 0) {
    refuse_tensor(fmt::format("{}: value {} has no parameters of its own", where, value));
  }
  return block_at(op.weights);
}

void TensorGraph::reuse(std::size_t first) {
  if (first > blocks_.size()) {
    refuse_tensor(fmt::format("reuse: there is no block {} of parameters (the graph has {})", first,
                              blocks_.size()));
  }
  reused_ = static_cast<std::ptrdiff_t>(first);
}

void TensorGraph::stop_reuse() {
  if (reused_ < 0) refuse_tensor("stop_reuse: no parameters are reused", "call reuse() first");
  reused_ = -1;
}

int TensorGraph::again(int result, int input, int x) {
  require_value(result, "again");
  if (shape(x) != shape(input)) {
    refuse_tensor(fmt::format("again: a value of {} in place of one of {}", to_string(shape(x)),
                              to_string(shape(input))));
  }
  if (input > result) refuse_tensor("again: the input comes behind the result");
  std::vector<int> image(static_cast<std::size_t>(result) + 1);
  for (int i = 0; i <= result; ++i) image[static_cast<std::size_t>(i)] = i;
  image[static_cast<std::size_t>(input)] = x;
  for (int i = input + 1; i <= result; ++i) {
    TensorOperation op = ops_[static_cast<std::size_t>(i)];
    bool moved = false;
    for (int& from : op.inputs) {
      moved = moved || image[static_cast<std::size_t>(from)] != from;
      from = image[static_cast<std::size_t>(from)];
    }
    if (moved) image[static_cast<std::size_t>(i)] = push(std::move(op));
  }
  return image[static_cast<std::size_t>(result)];
}

void TensorGraph::start_normal(double deviation) {
  if (blocks_.empty()) refuse_tensor("start_normal: the graph has no parameters");
  if (!(deviation > 0)) {
    refuse_tensor(fmt::format("start_normal: the deviation must be positive, got {}", deviation));
  }
  if (reused_ < 0) blocks_.back().spread = deviation;
}

void TensorGraph::start_uniform(int value, double weight_bound, double bias_bound) {
  ParameterBlock& weights = weights_of(value, "start_uniform");
  if (!(weight_bound >= 0) || !(bias_bound >= 0)) {
    refuse_tensor("start_uniform: bounds must not be negative");
  }
  weights.bound = weight_bound;
  const std::ptrdiff_t bias = ops_[static_cast<std::size_t>(value)].bias;
  if (bias >= 0) block_at(bias).bound = bias_bound;
}

void TensorGraph::start_at(int value, std::vector<double> numbers) {
  ParameterBlock& weights = weights_of(value, "start_at");
  if (static_cast<std::ptrdiff_t>(numbers.size()) != weights.size()) {
    refuse_tensor(
        fmt::format("start_at: {} numbers for {} parameters", numbers.size(), weights.size()));
  }
  weights.first = std::move(numbers);
}

void TensorGraph::start_bias_at(int value, std::vector<double> numbers) {
  require_value(value, "start_bias_at");
  const std::ptrdiff_t bias = ops_[static_cast<std::size_t>(value)].bias;
  if (bias < 0) refuse_tensor(fmt::format("start_bias_at: value {} has no biases", value));
  ParameterBlock& block = block_at(bias);
  if (static_cast<std::ptrdiff_t>(numbers.size()) != block.size()) {
    refuse_tensor(
        fmt::format("start_bias_at: {} numbers for {} biases", numbers.size(), block.size()));
  }
  block.first = std::move(numbers);
}

// --- sources ------------------------------------------------------------------------------------

int TensorGraph::input(std::string_view name, TensorShape shape) {
  for (const Input& i : inputs_) {
    if (i.name == name) refuse_tensor(fmt::format("input '{}' is named twice", name));
  }
  const int value = push({.code = TensorOp::input, .shape = std::move(shape)});
  inputs_.push_back({std::string(name), value});
  return value;
}

int TensorGraph::constant(TensorShape shape, std::vector<double> numbers) {
  detail::require_shape("constant", shape);
  if (numbers.size() != shape.size()) {
    refuse_tensor(
        fmt::format("constant: {} numbers for an array of {}", numbers.size(), to_string(shape)));
  }
  require_finite("constant", numbers);
  TensorOperation op{.code = TensorOp::constant, .shape = std::move(shape)};
  op.fixed = std::make_shared<const std::vector<double>>(std::move(numbers));
  return push(std::move(op));
}

void TensorGraph::output(std::string_view name, int value) {
  require_value(value, "output");
  for (const Output& o : outputs_) {
    if (o.name == name) refuse_tensor(fmt::format("output '{}' is named twice", name));
  }
  outputs_.push_back({std::string(name), value});
}

}  // namespace cauchy
