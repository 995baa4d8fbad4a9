#include "networks/fields/field_layers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

#include "networks/fields/point_set.hpp"
#include "networks/layers.hpp"

namespace cauchy::detail {

void require_field(const TensorGraph& graph, int input, const FieldGrid& grid, int n_outputs,
                   bool cloud, std::string_view place) {
  require_count("the number of outputs", n_outputs, 1, max_width, place);
  if (grid.is_cloud() && !cloud) {
    throw Error(ErrorKind::unsupported, "this network needs a grid, not a cloud of points", place,
                "take kernel, gno, low_rank, multipole, attention or transformer");
  }
  if (graph.shape(input).grid != grid.sizes()) {
    throw Error(fmt::format("the input has the shape {}, the grid is {}",
                            to_string(graph.shape(input)), to_string(grid)),
                place);
  }
}

void require_between_layers(Activation activation, std::string_view place) {
  if (activation != Activation::exp && activation != Activation::sqrt) return;
  throw Error(
      fmt::format("{} cannot stand between layers of a field network", to_string(activation)),
      place, "take gelu");
}

void require_divides(std::string_view part_name, int part, std::string_view whole_name, int whole,
                     std::string_view place) {
  if (part > 0 && whole % part == 0) return;
  throw Error(fmt::format("{} must divide {}, got {} and {}", part_name, whole_name, part, whole),
              place);
}

void require_kernel(int kernel, std::string_view place) {
  if (kernel >= 1 && kernel <= 99 && kernel % 2 == 1) return;
  throw Error(fmt::format("a kernel has an odd number of points from 1 to 99, got {}", kernel),
              place);
}

void require_multiples(const FieldGrid& grid, const std::vector<int>& divisors,
                       std::string_view what, std::string_view place) {
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    const FieldGrid::Axis& axis = grid.axes[a];
    if (axis.n % divisors[a] == 0) continue;
    throw Error(fmt::format("{} need a multiple of {} points along '{}', the grid has {}", what,
                            divisors[a], axis.name, axis.n),
                place);
  }
}

std::vector<int> per_axis(std::string_view what, const std::vector<int>& numbers, std::size_t axes,
                          std::string_view place) {
  if (numbers.size() != 1 && numbers.size() != axes) {
    throw Error(fmt::format("{} has {} numbers for a grid of {} axes", what, numbers.size(), axes),
                place, "give one for all axes or one for each");
  }
  for (const int n : numbers) require_count(what, n, 1, max_width, place);
  return numbers.size() == axes ? numbers : std::vector<int>(axes, numbers.front());
}

int with_positions(TensorGraph& graph, int input, const FieldGrid& grid, bool wanted, int harmonics,
                   std::string_view place) {
  if (!wanted) return input;
  const int positions =
      add_positions(graph, points_of(grid, place), harmonics, graph.shape(input).grid);
  return graph.concatenate(std::array{input, positions});
}

int add_point_layers(TensorGraph& graph, int x, int hidden, int channels, Activation activation,
                     std::string_view name) {
  if (hidden > 0) x = graph.linear(x, hidden, activation, true, name);
  return graph.linear(x, channels, Activation::identity, true, name);
}

int add_channel_layers(TensorGraph& graph, int x, int y, int hidden, Activation activation,
                       double dropout) {
  const int h = graph.linear(y, hidden, activation, true, "channels");
  const int width = graph.shape(x).channels;
  if (dropout == 0) return graph.linear(h, width, Activation::identity, true, "channels", x);
  return graph.add(
      x, graph.dropout(graph.linear(h, width, Activation::identity, true, "channels"), dropout));
}

std::vector<bool> periodic_axes(const FieldGrid& grid) {
  std::vector<bool> periodic;
  for (const FieldGrid::Axis& axis : grid.axes) periodic.push_back(axis.periodic);
  return periodic;
}

int add_convolution(TensorGraph& graph, int x, const std::vector<bool>& periodic,
                    const GridConvolution& c) {
  const std::size_t axes = periodic.size();
  const int reach = (c.kernel - 1) / 2;
  const auto n_periodic =
      static_cast<std::size_t>(std::count(periodic.begin(), periodic.end(), true));
  ConvolutionOptions options{.kernel = std::vector<int>(axes, c.kernel),
                             .stride = std::vector<int>(axes, c.stride),
                             .padding = std::vector<int>(axes, reach),
                             .border = n_periodic == axes ? Border::periodic : Border::zero,
                             .bias = c.bias,
                             .name = std::string(c.name)};
  if (n_periodic > 0 && n_periodic < axes) {
    // One operation has one border: periodic axes are continued by hand.
    std::vector<int> around(axes, 0);
    for (std::size_t a = 0; a < axes; ++a) {
      if (periodic[a]) around[a] = reach, options.padding[a] = 0;
    }
    x = graph.pad(x, around, around, Border::periodic);
  }
  return graph.convolution(x, c.channels, std::move(options));
}

int add_upsampling(TensorGraph& graph, int x, int channels) {
  const std::vector<int> two(graph.shape(x).grid.size(), 2), none(two.size(), 0);
  return graph.transposed_convolution(
      x, channels, {.kernel = two, .stride = two, .padding = none, .name = "upsampling"});
}

int add_group_norm(TensorGraph& graph, int x, int groups) {
  if (groups == 0) return x;
  const int n = graph.normalize(x, NormalizeOver::group, groups);
  return graph.shift(graph.scale(n, 1, "norm"), 0, false, "norm");
}

int add_layer_norm(TensorGraph& graph, int x) {
  const int n = graph.normalize(x, NormalizeOver::channels);
  return graph.shift(graph.scale(n, 1, "norm"), 0, false, "norm");
}

int add_tokens(TensorGraph& graph, int input, const FieldGrid& grid, const std::vector<int>& patch,
               int width, int harmonics, std::string_view place) {
  const bool cut = std::any_of(patch.begin(), patch.end(), [](int p) { return p > 1; });
  if (cut) input = graph.patch(input, patch);
  int positions = -1;
  if (harmonics > 0) {
    const int p =
        add_positions(graph, patches_of(grid, patch, place), harmonics, graph.shape(input).grid);
    positions = graph.linear(p, width, Activation::identity, false, "position");
  }
  return graph.linear(input, width, Activation::identity, true, "embedding", positions);
}

int add_token_output(TensorGraph& graph, int z, const std::vector<int>& patch, int n_outputs) {
  int inside = 1;
  for (const int p : patch) inside *= p;
  const int u = graph.linear(add_layer_norm(graph, z), n_outputs * inside, Activation::identity,
                             true, "output");
  return inside > 1 ? graph.unpatch(u, patch) : u;
}

void visit_whole_numbers(std::string_view key, std::vector<int>& numbers, int most,
                         OptionVisitor& v) {
  std::vector<double> read(numbers.begin(), numbers.end());
  v.numbers(key, read, NumberRange::positive);
  v.check([&] {
    if (read.empty()) throw Error(fmt::format("'{}' needs a number", key));
    for (const double n : read) {
      if (n == std::floor(n) && n <= most) continue;
      throw Error(fmt::format("'{}' are whole numbers of at most {}, got {}", key, most, n));
    }
  });
  numbers.clear();
  for (const double n : read) numbers.push_back(static_cast<int>(std::min<double>(n, most)));
}

std::string times_text(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " x "));
}

}  // namespace cauchy::detail
