// Building functions of spectra, attention and expressions; the cost of a graph.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/tensor/graph.hpp>

#include "tensor/expression_channels.hpp"
#include "tensor/graph_checks.hpp"

namespace cauchy {

using detail::refuse_tensor;
using detail::sizes_text;

namespace {

/// Kept modes (m per axis) against the frequencies of a grid.
void require_modes(std::string_view where, const std::vector<int>& modes,
                   const std::vector<int>& grid) {
  if (grid.empty() || grid.size() > 3) {
    refuse_tensor(fmt::format("{}: a grid of 1 to 3 axes is needed, got {}", where, grid.size()));
  }
  detail::require_per_axis(where, "modes", modes, grid);
  for (std::size_t a = 0; a < grid.size(); ++a) {
    const int most = a + 1 == grid.size() ? grid[a] / 2 + 1 : (grid[a] + 1) / 2;
    if (modes[a] > most) {
      refuse_tensor(
          fmt::format("{}: {} modes along axis {} of {} points", where, modes[a], a + 1, grid[a]),
          fmt::format("it has {} frequencies: keep fewer modes, or refine the grid", most));
    }
  }
}

int pairs_of(std::string_view where, const TensorShape& shape) {
  if (shape.channels % 2 != 0) {
    refuse_tensor(fmt::format("{}: {} channels are no complex ones", where, shape.channels),
                  "real and imaginary parts come in pairs, as from spectrum()");
  }
  return shape.channels / 2;
}

void require_complex_channels(std::string_view where, int channels) {
  if (channels < 1) {
    refuse_tensor(
        fmt::format("{}: number of complex channels must be positive, got {}", where, channels));
  }
}

}  // namespace

int TensorGraph::spectrum(int x, std::vector<int> modes) {
  const TensorShape& from = shape(x);
  require_modes("spectrum", modes, from.grid);
  for (std::size_t a = 0; a + 1 < modes.size(); ++a) modes[a] *= 2;
  return push(
      {.code = TensorOp::spectrum, .inputs = {x}, .shape = {2 * from.channels, std::move(modes)}});
}

int TensorGraph::from_spectrum(int x, std::vector<int> grid) {
  const TensorShape& from = shape(x);
  const int channels = pairs_of("from_spectrum", from);
  std::vector<int> modes = from.grid;
  for (std::size_t a = 0; a + 1 < modes.size(); ++a) {
    if (modes[a] % 2 != 0) {
      refuse_tensor(fmt::format("from_spectrum: {} are no modes", sizes_text(from.grid)),
                    "all axes but the last have positive and negative ones");
    }
    modes[a] /= 2;
  }
  detail::require_per_axis("from_spectrum", "points", grid, modes);
  require_modes("from_spectrum", modes, grid);
  return push(
      {.code = TensorOp::from_spectrum, .inputs = {x}, .shape = {channels, std::move(grid)}});
}

int TensorGraph::mode_linear(int x, int channels, std::string_view name) {
  const TensorShape& from = shape(x);
  const int inputs = pairs_of("mode_linear", from);
  require_complex_channels("mode_linear", channels);
  TensorOperation op{
      .code = TensorOp::mode_linear, .inputs = {x}, .shape = {2 * channels, from.grid}};
  const std::size_t rows = static_cast<std::size_t>(channels),
                    cols = static_cast<std::size_t>(inputs) * from.points() * 2;
  op.n_weights = rows * cols;
  // |R|^2 = 2 / (in + out) on the average, as glorot: a mode keeps its size forward and backward.
  op.weights = add_weights(name, "mode_linear", rows, cols, std::sqrt(1.0 / (inputs + channels)));
  return push(std::move(op));
}

int TensorGraph::mode_scale(int x, std::string_view name) {
  const TensorShape& from = shape(x);
  const auto rows = static_cast<std::size_t>(pairs_of("mode_scale", from));
  TensorOperation op{.code = TensorOp::mode_scale, .inputs = {x}, .shape = from};
  op.n_weights = rows * from.points() * 2;
  op.weights = add_weights(name, "mode_scale", rows, from.points() * 2, std::sqrt(0.5));
  return push(std::move(op));
}

int TensorGraph::complex_linear(int x, int channels, int groups, bool bias, std::string_view name) {
  const TensorShape& from = shape(x);
  const int inputs = pairs_of("complex_linear", from);
  require_complex_channels("complex_linear", channels);
  if (groups < 1 || inputs % groups != 0 || channels % groups != 0) {
    refuse_tensor(
        fmt::format("complex_linear: {} complex channels to {} cannot be cut into {} groups",
                    inputs, channels, groups));
  }
  TensorOperation op{.code = TensorOp::complex_linear,
                     .inputs = {x},
                     .shape = {2 * channels, from.grid},
                     .groups = groups};
  const int cols = inputs / groups;
  op.n_weights = static_cast<std::size_t>(channels) * static_cast<std::size_t>(cols) * 2;
  op.weights = add_weights(name, "complex_linear", static_cast<std::size_t>(channels),
                           static_cast<std::size_t>(cols) * 2,
                           std::sqrt(1.0 / (cols + channels / groups)), groups);
  if (bias) op.bias = add_bias(name, 2 * channels);
  return push(std::move(op));
}

int TensorGraph::attention(int q, int k, int v, int heads, std::vector<double> weights) {
  const TensorShape &a = shape(q), &b = shape(k), &c = shape(v);
  if (a.channels != b.channels || b.grid != c.grid) {
    refuse_tensor(fmt::format("attention: queries of {}, keys of {}, values of {}", to_string(a),
                              to_string(b), to_string(c)),
                  "queries and keys need as many channels, keys and values one grid");
  }
  if (heads < 1 || a.channels % heads != 0 || c.channels % heads != 0) {
    refuse_tensor(fmt::format("attention: {} and {} channels cannot be shared by {} heads",
                              a.channels, c.channels, heads));
  }
  if (!weights.empty() && weights.size() != b.points()) {
    refuse_tensor(fmt::format("attention: {} weights for {} keys", weights.size(), b.points()));
  }
  bool some = weights.empty();
  for (const double w : weights) {
    if (!(w >= 0) || !std::isfinite(w)) {
      refuse_tensor(fmt::format("attention: weights of keys must not be negative, got {}", w));
    }
    some = some || w > 0;
  }
  if (!some) refuse_tensor("attention: no key has a weight");
  TensorOperation op{.code = TensorOp::attention,
                     .inputs = {q, k, v},
                     .shape = {c.channels, a.grid},
                     .groups = heads};
  if (!weights.empty()) {
    op.fixed = std::make_shared<const std::vector<double>>(std::move(weights));
  }
  return push(std::move(op));
}

int TensorGraph::expression(std::span<const int> values, std::vector<std::string> names,
                            std::vector<Expr> expressions) {
  if (values.empty()) refuse_tensor("expression: needs at least one value");
  if (expressions.empty()) refuse_tensor("expression: needs at least one expression");
  const std::vector<int>& grid = shape(values[0]).grid;
  std::size_t channels = 0;
  for (const int v : values) {
    channels += static_cast<std::size_t>(shape(v).channels);
    if (shape(v).grid != grid) {
      refuse_tensor(fmt::format("expression: values of {} and {}", to_string(shape(values[0])),
                                to_string(shape(v))),
                    "they need one grid");
    }
  }
  if (names.size() != channels) {
    refuse_tensor(fmt::format("expression: {} names for {} channels", names.size(), channels));
  }
  if (channels > detail::max_expression_channels ||
      expressions.size() > detail::max_expression_channels) {
    refuse_tensor(fmt::format("expression: {} expressions of {} channels are more than {}",
                              expressions.size(), channels, detail::max_expression_channels));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      refuse_tensor(fmt::format("expression: '{}' is named twice", names[i]));
    }
  }
  static_cast<void>(detail::expression_atoms(names, expressions));  // throws
  return push({.code = TensorOp::expression,
               .inputs = {values.begin(), values.end()},
               .shape = {static_cast<int>(expressions.size()), grid},
               .names = std::move(names),
               .expressions = std::move(expressions)});
}

// --- cost ---------------------------------------------------------------------------------------

namespace {

/// Products and sums of a transform to kept modes, one axis after the other, the last one first.
double transform_flops(const TensorShape& real, const std::vector<int>& modes) {
  double size = static_cast<double>(real.size()), flops = 0;
  for (std::size_t a = real.grid.size(); a-- > 0;) {
    const double rest = size / real.grid[a];
    flops += rest * modes[a] * real.grid[a] * (a + 1 == real.grid.size() ? 4 : 8);
    size = rest * modes[a];
  }
  return flops;
}

}  // namespace

double TensorGraph::flops(int value) const {
  const TensorOperation& op = ops_[static_cast<std::size_t>(value)];
  const auto size = static_cast<double>(op.shape.size());
  const auto points = static_cast<double>(op.shape.points());
  const TensorShape from = op.inputs.empty() ? op.shape : shape(op.inputs[0]);
  const auto weights = static_cast<double>(op.n_weights);
  switch (op.code) {
    case TensorOp::input:
    case TensorOp::constant:
    case TensorOp::concatenate:
    case TensorOp::pick:
      return 0;
    case TensorOp::linear:
    case TensorOp::convolution:
      return 2 * weights * points + size;
    case TensorOp::transposed_convolution:
      return 2 * weights * static_cast<double>(from.points()) + size;
    case TensorOp::along:
      return 2 * size * from.grid[static_cast<std::size_t>(op.axis)];
    case TensorOp::sparse:
      return 2 * static_cast<double>(op.matrix->points.size()) * from.channels;
    case TensorOp::reduce:
      return 2 * static_cast<double>(from.size());
    case TensorOp::spectrum:
      return transform_flops(from, op.shape.grid);
    case TensorOp::from_spectrum:
      return transform_flops(op.shape, from.grid);
    case TensorOp::mode_linear:
    case TensorOp::mode_scale:
      return 4 * weights;  // a complex product and sum: 8, for two numbers of R
    case TensorOp::complex_linear:
      return 4 * weights * points;
    case TensorOp::attention:
      return 2 * points * static_cast<double>(shape(op.inputs[1]).points()) *
             (from.channels + op.shape.channels);
    case TensorOp::matrix_vector:
      return 2 * static_cast<double>(from.size());
    case TensorOp::max_pool:
      return static_cast<double>(from.size());
    case TensorOp::normalize:
      return 6 * size;
    default:
      return size;
  }
}

double TensorGraph::flops() const {
  double total = 0;
  for (int value = 0; value < static_cast<int>(ops_.size()); ++value) total += flops(value);
  return total;
}

}  // namespace cauchy
