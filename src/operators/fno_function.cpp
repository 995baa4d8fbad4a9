#include "operators/fno_function.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>

#include "operators/grid_derivative.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* exact_place = "[train.physics]";

/// s(z) as an expression that does not overflow on the way.
Expr activated(Activation activation, const Expr& z) {
  const Expr sigmoid = (1 + tanh(z / 2)) / 2;
  switch (activation) {
    case Activation::identity:
      return z;
    case Activation::tanh:
      return tanh(z);
    case Activation::sin:
      return sin(z);
    case Activation::cos:
      return cos(z);
    case Activation::sigmoid:
      return sigmoid;
    case Activation::silu:
      return z * sigmoid;
    case Activation::gelu:
      return z * (1 + erf(z / sqrt(Expr(2)))) / 2;
    case Activation::softplus:
      return max(z, 0) + log(1 + exp(-abs(z)));
    case Activation::elu:
      return max(z, 0) + exp(min(z, 0)) - 1;
    case Activation::relu:
      return max(z, 0);
    case Activation::relu3:
      return pow(max(z, 0), 3);
    case Activation::gaussian:
      return exp(-z * z);
    default:
      throw Error(ErrorKind::unsupported,
                  fmt::format("{} has no exact derivatives", to_string(activation)), exact_place,
                  "use activation = \"gelu\"");
  }
}

int order_along(const MultiIndex& index, const std::string& axis) {
  for (const auto& [name, order] : index) {
    if (name == axis) return order;
  }
  return 0;
}

}  // namespace

FnoFunction::FnoFunction(TensorGraph& graph, const Fno& network, int input, const FieldGrid& grid,
                         int n_outputs)
    : graph_(graph), network_(network), grid_(grid) {
  check_fno_field(graph, network, input, grid, n_outputs);
  const bool series = network.smooth || (network.skip == FnoSkip::none && network.local == 0);
  for (const FieldGrid::Axis& axis : grid.axes) {
    if (axis.periodic || series) continue;
    throw Error(ErrorKind::unsupported,
                fmt::format("along '{}', which is not periodic, an FNO has exact derivatives only "
                            "when its last layer is a Fourier series",
                            axis.name),
                exact_place, "give the network smooth = true, or derivative = \"difference_5\"");
  }
  features_ = add_fno_features(graph, network, input, grid);
  const int v = features({});
  if (network.projection == 0) {
    answer_ = graph.linear(v, n_outputs, Activation::identity, true, "projection");
  } else {
    z_ = graph.linear(v, network.projection, Activation::identity, true, "projection");
    const int h = graph.activation(z_, network.activation);
    answer_ = graph.linear(h, n_outputs, Activation::identity, true, "projection");
  }
  hidden_values_[{}] = z_;
  values_[{}] = answer_;
}

int FnoFunction::operator()(const MultiIndex& index) {
  const auto known = values_.find(index);
  if (known != values_.end()) return known->second;
  for (const auto& part : index) {
    const auto is_it = [&](const FieldGrid::Axis& axis) { return axis.name == part.first; };
    if (std::any_of(grid_.axes.begin(), grid_.axes.end(), is_it)) continue;
    throw Error(ErrorKind::unsupported, fmt::format("the network has no axis '{}'", part.first),
                exact_place, "give the axes of the data the names of the coordinates");
  }
  const int order = total_order(index);
  if (z_ >= 0 && order > useful_order(network_.activation)) {
    throw Error(
        ErrorKind::unsupported,
        fmt::format("{} has no derivative of order {}", to_string(network_.activation), order),
        exact_place, "use activation = \"gelu\", or derivative = \"difference_5\"");
  }
  const int x = z_ < 0 ? features(index) : projected(index);
  return values_[index] = linear_again(answer_, x);
}

/// The derivative of s(z), [hidden, grid]: all channels are points of one expression.
int FnoFunction::projected(const MultiIndex& index) {
  Expr h = activated(network_.activation, Field("z"));
  for (const auto& [name, order] : index) h = d_n(h, Coordinate(name), order);
  const TensorShape shape = graph_.shape(z_);
  TensorShape line{1, shape.grid};
  line.grid.insert(line.grid.begin(), shape.channels);
  std::vector<int> values;
  std::vector<std::string> names;
  const Expr roots[] = {h};
  for (const Expr& atom : field_atoms(roots)) {
    values.push_back(graph_.reshape(hidden(atom.index()), line));
    names.push_back(to_string(atom));
  }
  return graph_.reshape(graph_.expression(values, std::move(names), {h}), shape);
}

int FnoFunction::hidden(const MultiIndex& index) {
  const auto known = hidden_values_.find(index);
  if (known != hidden_values_.end()) return known->second;
  return hidden_values_[index] = linear_again(z_, features(index));
}

int FnoFunction::features(const MultiIndex& index) {
  const auto known = feature_values_.find(index);
  if (known != feature_values_.end()) return known->second;
  int v = features_.value;
  const std::size_t axes = grid_.axes.size();
  std::vector<int> sizes = graph_.shape(v).grid;
  for (std::size_t a = 0; a < axes; ++a) {
    if (order_along(index, grid_.axes[a].name) == 0) sizes[a] = grid_.axes[a].n;
  }
  if (sizes != graph_.shape(v).grid) v = graph_.crop(v, std::vector<int>(axes, 0), sizes);
  for (std::size_t a = 0; a < axes; ++a) {
    const int order = order_along(index, grid_.axes[a].name);
    if (order == 0) continue;
    std::vector<double> nodes;
    for (int i = 0; i < grid_.axes[a].n; ++i) nodes.push_back(grid_.axes[a].node(i));
    v = add_along(graph_, v, a, series_matrix(features_.period.axes[a], nodes, order));
  }
  return feature_values_[index] = v;
}

int FnoFunction::linear_again(int made, int x) {
  const std::ptrdiff_t offset = graph_.ops()[static_cast<std::size_t>(made)].weights;
  const auto& blocks = graph_.parameters();
  const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const ParameterBlock& b) {
    return static_cast<std::ptrdiff_t>(b.offset) == offset;
  });
  graph_.reuse(static_cast<std::size_t>(block - blocks.begin()));
  const int y = graph_.linear(x, graph_.shape(made).channels, Activation::identity, false);
  graph_.stop_reuse();
  return y;
}

}  // namespace cauchy::detail
