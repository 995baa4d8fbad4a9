#include <cauchy/engine/graph.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr std::array op_names{
    "coordinates", "input",  "affine",   "fixed_affine", "activation", "scale",
    "shift",       "add",    "subtract", "multiply",     "divide",     "concatenate",
    "slice",       "repeat", "row_sum",  "unit_rows",    "basis",      "expression"};
static_assert(op_names.size() == static_cast<std::size_t>(OpCode::expression) + 1);

[[noreturn]] void refuse_graph(const std::string& message) {
  throw Error(message, "[engine.graph]");
}

}  // namespace

std::string_view to_string(OpCode code) noexcept {
  return op_names[static_cast<std::size_t>(code)];
}

Graph::Graph(std::vector<std::string> coordinates) : coordinates_(std::move(coordinates)) {
  if (coordinates_.empty()) refuse_graph("a network needs at least one coordinate");
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    if (std::count(coordinates_.begin(), coordinates_.end(), coordinates_[i]) > 1) {
      refuse_graph(fmt::format("coordinate '{}' is named twice", coordinates_[i]));
    }
  }
}

int Graph::rows(int value) const {
  require_value(value, "rows");
  return ops_[static_cast<std::size_t>(value)].rows;
}

void Graph::require_value(int x, std::string_view where) const {
  if (x < 0 || x >= static_cast<int>(ops_.size())) {
    refuse_graph(fmt::format("{}: there is no value {} (the graph has {})", where, x, ops_.size()));
  }
}

int Graph::push(Operation op) {
  constexpr std::size_t max_operations = 20'000;  // a plan takes time like the square of them
  if (ops_.size() >= max_operations) {
    refuse_graph(fmt::format("the network has more than {} operations", max_operations));
  }
  for (const int x : op.inputs) require_value(x, to_string(op.code));
  origins_.push_back(origin(op));
  ops_.push_back(std::move(op));
  return static_cast<int>(ops_.size()) - 1;
}

/// Tells the weights before a new operation what comes after them.
Graph::Origin Graph::origin(const Operation& op) {
  Origin result;
  for (const int x : op.inputs) {
    const Origin& from = origins_[static_cast<std::size_t>(x)];
    result.after_weight = result.after_weight || from.after_weight;
    if (from.weight < 0) continue;
    if (op.code == OpCode::scale || op.code == OpCode::shift || op.code == OpCode::unit_rows) {
      result.weight = from.weight;
    }
    if (op.code == OpCode::activation) {
      ParameterBlock& block = blocks_[static_cast<std::size_t>(from.weight)];
      block.activated = true;
      block.after = op.activation;
    }
  }
  if (op.code == OpCode::affine) {
    const std::size_t block = block_at(op.weights);
    result.weight = static_cast<int>(block);
    if (!result.after_weight) blocks_[block].first_layer = true;
    result.after_weight = true;
  }
  return result;
}

std::ptrdiff_t Graph::add_block(ParameterBlock block) {
  block.offset = static_cast<std::ptrdiff_t>(n_parameters_);
  n_parameters_ += static_cast<std::size_t>(block.size());
  blocks_.push_back(std::move(block));
  return blocks_.back().offset;
}

std::size_t Graph::block_at(std::ptrdiff_t offset) const noexcept {
  const auto before = [](const ParameterBlock& b, std::ptrdiff_t at) { return b.offset < at; };
  const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), offset, before);
  return static_cast<std::size_t>(found - blocks_.begin());
}

ParameterBlock& Graph::weights_of(int value, std::string_view where) {
  require_value(value, where);
  const Operation& op = ops_[static_cast<std::size_t>(value)];
  if (op.weights < 0) {
    refuse_graph(fmt::format("{}: value {} has no parameters of its own", where, value));
  }
  return blocks_[block_at(op.weights)];
}

int Graph::coordinates() {
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (ops_[i].code == OpCode::coordinates) return static_cast<int>(i);
  }
  return push({.code = OpCode::coordinates, .rows = static_cast<int>(coordinates_.size())});
}

int Graph::input(std::string_view name, int n_rows) {
  if (n_rows < 1) {
    refuse_graph(fmt::format("input '{}': number of rows must be positive, got {}", name, n_rows));
  }
  for (const Input& i : inputs_) {
    if (i.name == name) refuse_graph(fmt::format("input '{}' is named twice", name));
  }
  inputs_.push_back({std::string(name), n_input_rows(), n_rows});
  return push({.code = OpCode::input, .rows = n_rows, .begin = inputs_.back().begin});
}

int Graph::affine(int x, int rows, bool bias, std::string_view name) {
  return grouped_affine(x, 1, rows, bias, name);
}

int Graph::grouped_affine(int x, int groups, int rows, bool bias, std::string_view name) {
  if (rows < 1) refuse_graph(fmt::format("affine: number of rows must be positive, got {}", rows));
  if (groups < 1 || this->rows(x) % groups != 0 || rows % groups != 0) {
    refuse_graph(fmt::format("grouped_affine: {} rows to {} rows cannot be cut into {} groups",
                             this->rows(x), rows, groups));
  }
  Operation op{.code = OpCode::affine, .inputs = {x}, .rows = rows, .group = groups};
  const int cols = this->rows(x) / groups;
  if (static_cast<long long>(rows) * cols > std::numeric_limits<int>::max()) {
    refuse_graph(fmt::format("affine: {} x {} weights are too many", rows, cols));
  }
  const std::string label = fmt::format("{}{}", name, blocks_.size());
  op.n_weights = rows * cols;
  op.weights = add_block({.name = label + ".weight",
                          .role = ParameterBlock::Role::weight,
                          .rows = rows,
                          .cols = cols,
                          .groups = groups});
  if (bias) {
    op.bias =
        add_block({.name = label + ".bias", .role = ParameterBlock::Role::bias, .rows = rows});
  }
  return push(std::move(op));
}

int Graph::shared_affine(int x, int affine) {
  require_value(affine, "shared_affine");
  Operation op = ops_[static_cast<std::size_t>(affine)];
  if (op.code != OpCode::affine) {
    refuse_graph(fmt::format("shared_affine: value {} is not an affine one", affine));
  }
  if (rows(x) * op.rows != op.n_weights * op.group) {
    refuse_graph(fmt::format("shared_affine: {} rows for a map of {}", rows(x),
                             op.n_weights * op.group / op.rows));
  }
  op.inputs = {x};
  return push(std::move(op));
}

int Graph::fixed_affine(int x, std::vector<double> weights, std::vector<double> bias) {
  const auto cols = static_cast<std::size_t>(this->rows(x)), rows = weights.size() / cols;
  if (weights.empty() || weights.size() != rows * cols ||
      weights.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    refuse_graph(fmt::format("fixed_affine: {} weights are no matrix with {} columns",
                             weights.size(), cols));
  }
  if (!bias.empty() && bias.size() != rows) {
    refuse_graph(fmt::format("fixed_affine: {} rows with {} biases", rows, bias.size()));
  }
  bias.resize(rows, 0.0);
  weights.insert(weights.end(), bias.begin(), bias.end());
  if (!std::all_of(weights.begin(), weights.end(), [](double v) { return std::isfinite(v); })) {
    refuse_graph("fixed_affine: weights and biases must be finite");
  }
  Operation op{.code = OpCode::fixed_affine, .inputs = {x}, .rows = static_cast<int>(rows)};
  op.fixed = std::make_shared<const std::vector<double>>(std::move(weights));
  return push(std::move(op));
}

int Graph::factorized_affine(int x, int rows, double mean, double spread, std::string_view name) {
  const int product = affine(x, rows, false, name);
  const int weight = static_cast<int>(blocks_.size()) - 1;
  const int zeros = expression(std::vector<Expr>(static_cast<std::size_t>(rows), Expr(0)));
  const int logarithms = shift(zeros, mean, true, "factor");
  blocks_.back().spread = spread;
  blocks_.back().divides = weight;
  const int scaled = multiply(product, activation(logarithms, Activation::exp));
  origins_[static_cast<std::size_t>(scaled)].weight = weight;  // what follows, follows the layer
  const int result = shift(scaled, 0, true, "bias");
  blocks_.back().role = ParameterBlock::Role::bias;
  return result;
}

int Graph::normalized_affine(int x, int rows, std::string_view name) {
  const int product = affine(x, rows, false, name);
  const int weight = static_cast<int>(blocks_.size()) - 1;
  const Operation& by = ops_[static_cast<std::size_t>(product)];
  const int unit = push({.code = OpCode::unit_rows,
                         .inputs = {product},
                         .rows = rows,
                         .weights = by.weights,
                         .n_weights = by.n_weights});
  const int scaled = scale(unit, 1, true, "norm");
  blocks_.back().norms = weight;
  const int result = shift(scaled, 0, true, "bias");
  blocks_.back().role = ParameterBlock::Role::bias;
  return result;
}

int Graph::activation(int x, Activation a) {
  require_value(x, "activation");
  if (a == Activation::wavelet) return wavelet(x);
  return push({.code = OpCode::activation, .inputs = {x}, .rows = rows(x), .activation = a});
}

int Graph::activation_with_slope(int x, Activation a, double initial_slope) {
  return activation(scale(x, initial_slope, false, "slope"), a);
}

int Graph::wavelet(int x, double a, double b) {
  return add(scale(activation(x, Activation::sin), a, false, "wavelet"),
             scale(activation(x, Activation::cos), b, false, "wavelet"));
}

int Graph::trainable(OpCode code, int x, double initial, bool per_row, std::string_view name) {
  Operation op{.code = code, .inputs = {x}, .rows = rows(x)};
  op.n_weights = per_row ? op.rows : 1;
  op.weights = add_block(
      {.name = fmt::format("{}{}", name, blocks_.size()),
       .role = code == OpCode::scale ? ParameterBlock::Role::scale : ParameterBlock::Role::shift,
       .rows = op.n_weights,
       .initial = initial});
  return push(std::move(op));
}

int Graph::scale(int x, double initial, bool per_row, std::string_view name) {
  return trainable(OpCode::scale, x, initial, per_row, name);
}

int Graph::same_scale(int x, int scaled) {
  require_value(scaled, "same_scale");
  const Operation& first = ops_[static_cast<std::size_t>(scaled)];
  if (first.code != OpCode::scale || (first.n_weights > 1 && first.rows != rows(x))) {
    refuse_graph(fmt::format("same_scale: value {} is no scale for {} rows", scaled, rows(x)));
  }
  return push({.code = OpCode::scale,
               .inputs = {x},
               .rows = rows(x),
               .weights = first.weights,
               .n_weights = first.n_weights});
}

int Graph::shift(int x, double initial, bool per_row, std::string_view name) {
  return trainable(OpCode::shift, x, initial, per_row, name);
}

int Graph::binary(OpCode code, int x, int y) {
  const int a = rows(x), b = rows(y);
  if (a != b && a != 1 && b != 1) {
    refuse_graph(fmt::format("{}: operands have {} and {} rows", to_string(code), a, b));
  }
  return push({.code = code, .inputs = {x, y}, .rows = std::max(a, b)});
}

int Graph::add(int x, int y) { return binary(OpCode::add, x, y); }
int Graph::subtract(int x, int y) { return binary(OpCode::subtract, x, y); }
int Graph::multiply(int x, int y) { return binary(OpCode::multiply, x, y); }
int Graph::divide(int x, int y) { return binary(OpCode::divide, x, y); }

int Graph::concatenate(std::span<const int> values) {
  if (values.empty()) refuse_graph("concatenate: needs at least one value");
  Operation op{.code = OpCode::concatenate, .inputs = {values.begin(), values.end()}};
  for (const int v : values) op.rows += rows(v);
  return push(std::move(op));
}

int Graph::slice(int x, int begin, int n_rows) {
  if (begin < 0 || n_rows < 1 || begin + n_rows > rows(x)) {
    refuse_graph(fmt::format("slice: rows {} to {} of a value with {} rows", begin,
                             begin + n_rows - 1, rows(x)));
  }
  return push({.code = OpCode::slice, .inputs = {x}, .rows = n_rows, .begin = begin});
}

int Graph::repeat(int x, int times, bool each) {
  const int n = rows(x);
  if (times < 1) refuse_graph(fmt::format("repeat: rows must stand at least once, got {}", times));
  if (static_cast<long long>(n) * times > std::numeric_limits<int>::max()) {
    refuse_graph(fmt::format("repeat: {} x {} rows are too many", n, times));
  }
  return push(
      {.code = OpCode::repeat, .inputs = {x}, .rows = n * times, .group = each ? times : 1});
}

int Graph::repeat_rows(int x, int times) { return repeat(x, times, true); }
int Graph::tile(int x, int times) { return repeat(x, times, false); }

int Graph::row_sum(int x) {
  require_value(x, "row_sum");
  return row_sum(x, rows(x));
}

int Graph::row_sum(int x, int group) {
  const int n = rows(x);
  if (group < 1 || n % group != 0) {
    refuse_graph(fmt::format("row_sum: {} rows cannot be summed in groups of {}", n, group));
  }
  return push({.code = OpCode::row_sum, .inputs = {x}, .rows = n / group, .group = group});
}

int Graph::layer_norm(int x, double epsilon) {
  if (!(epsilon > 0))
    refuse_graph(fmt::format("layer_norm: epsilon must be positive, got {}", epsilon));
  const int n = number(rows(x));
  const int centred = subtract(x, divide(row_sum(x), n));
  const int variance = divide(row_sum(multiply(centred, centred)), n);
  const int deviation = activation(add(variance, number(epsilon)), Activation::sqrt);
  const int scaled = scale(divide(centred, deviation), 1, true, "norm");
  origins_[static_cast<std::size_t>(scaled)].weight = origins_[static_cast<std::size_t>(x)].weight;
  return shift(scaled, 0, true, "norm");
}

int Graph::basis(int x, std::shared_ptr<const Basis> basis) {
  if (!basis || basis->size() < 1) refuse_graph("basis: needs at least one function");
  Operation op{.code = OpCode::basis, .inputs = {x}, .rows = rows(x) * basis->size()};
  op.basis = std::move(basis);
  return push(std::move(op));
}

void Graph::start_normal(double deviation) {
  if (blocks_.empty()) refuse_graph("start_normal: there are no parameters");
  if (!(deviation > 0)) {
    refuse_graph(fmt::format("start_normal: a deviation must be positive, got {}", deviation));
  }
  blocks_.back().spread = deviation;
}

int Graph::expression(std::vector<Expr> row_expressions) {
  if (row_expressions.empty()) refuse_graph("expression: needs at least one row");
  Operation op{.code = OpCode::expression, .rows = static_cast<int>(row_expressions.size())};
  for (const Expr& e : postorder(row_expressions)) {
    if (e.kind() == Kind::field || e.kind() == Kind::symbol || e.kind() == Kind::call) {
      refuse_graph(fmt::format("expression: '{}' is not a coordinate or a parameter", e.name()));
    }
    if (e.kind() == Kind::coordinate &&
        std::find(coordinates_.begin(), coordinates_.end(), e.name()) == coordinates_.end()) {
      refuse_graph(fmt::format("expression: unknown coordinate '{}'; coordinates are: {}", e.name(),
                               fmt::join(coordinates_, ", ")));
    }
  }
  op.expressions = std::move(row_expressions);
  return push(std::move(op));
}

int Graph::again(int result, int input, int x) {
  require_value(result, "again");
  if (rows(input) != rows(x)) {
    refuse_graph(fmt::format("again: {} rows in place of {}", rows(x), rows(input)));
  }
  // Values that depend on `input`, and among them those that `result` depends on.
  const auto n = static_cast<std::size_t>(std::max(result, input)) + 1;
  std::vector<bool> depends(n, false), needed(n, false);
  depends[static_cast<std::size_t>(input)] = true;
  for (std::size_t v = static_cast<std::size_t>(input) + 1; v < n; ++v) {
    for (const int from : ops_[v].inputs) {
      if (depends[static_cast<std::size_t>(from)]) depends[v] = true;
    }
  }
  if (!depends[static_cast<std::size_t>(result)]) {
    refuse_graph(fmt::format("again: value {} does not depend on value {}", result, input));
  }
  needed[static_cast<std::size_t>(result)] = true;
  for (std::size_t v = n; v-- > 0;) {
    if (!needed[v]) continue;
    for (const int from : ops_[v].inputs) needed[static_cast<std::size_t>(from)] = true;
  }
  std::vector<int> image(n, x);
  for (std::size_t v = static_cast<std::size_t>(input) + 1; v < n; ++v) {
    if (!depends[v] || !needed[v]) continue;
    Operation op = ops_[v];
    for (int& from : op.inputs) {
      if (depends[static_cast<std::size_t>(from)]) from = image[static_cast<std::size_t>(from)];
    }
    image[v] = push(std::move(op));
  }
  return image[static_cast<std::size_t>(result)];
}

void Graph::start_uniform(int value, double weight_bound, double bias_bound) {
  ParameterBlock& weights = weights_of(value, "start_uniform");
  const std::ptrdiff_t bias = ops_[static_cast<std::size_t>(value)].bias;
  if (!(weight_bound >= 0) || !(bias_bound >= 0)) {
    refuse_graph("start_uniform: bounds must not be negative");
  }
  weights.bound = weight_bound;
  if (bias >= 0) blocks_[block_at(bias)].bound = bias_bound;
}

void Graph::start_at(int value, std::vector<double> numbers) {
  ParameterBlock& weights = weights_of(value, "start_at");
  if (static_cast<std::ptrdiff_t>(numbers.size()) != weights.size()) {
    refuse_graph(
        fmt::format("start_at: {} numbers for {} parameters", numbers.size(), weights.size()));
  }
  weights.first = std::move(numbers);
}

void Graph::constant(std::string_view name, double initial) {
  if (find_constant(name) >= 0) refuse_graph(fmt::format("constant '{}' is named twice", name));
  add_block(
      {.name = std::string(name), .role = ParameterBlock::Role::constant, .initial = initial});
}

std::ptrdiff_t Graph::find_constant(std::string_view name) const noexcept {
  for (const ParameterBlock& b : blocks_) {
    if (b.role == ParameterBlock::Role::constant && b.name == name) return b.offset;
  }
  return -1;
}

void Graph::output(std::string_view field, int value, int row) {
  if (row < 0 || row >= rows(value)) {
    refuse_graph(
        fmt::format("output '{}': row {} of a value with {} rows", field, row, rows(value)));
  }
  for (const Output& o : outputs_) {
    if (o.field == field) refuse_graph(fmt::format("field '{}' has two outputs", field));
  }
  outputs_.push_back({std::string(field), value, row});
}

}  // namespace cauchy
