#include <cauchy/networks/cnn.hpp>

#include <fmt/format.h>

#include <cauchy/base/options.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view cnn_place = "[networks.cnn]";
constexpr int most_cnn_levels = 10;

void check_cnn(const Cnn& c) {
  using detail::require_count;
  require_count("width", c.width, 1, 100'000, cnn_place);
  require_count("depth", c.depth, 1, Mlp::max_depth, cnn_place);
  require_count("levels", c.levels, 0, most_cnn_levels, cnn_place);
  detail::require_kernel(c.kernel, cnn_place);
  detail::require_between_layers(c.activation, cnn_place);
}

}  // namespace

int add_field_network(TensorGraph& graph, const Cnn& c, int input, const FieldGrid& grid,
                      int n_outputs) {
  check_cnn(c);
  detail::require_field(graph, input, grid, n_outputs, false, cnn_place);
  detail::require_multiples(grid, std::vector<int>(grid.axes.size(), 1 << c.levels),
                            fmt::format("{} levels", c.levels), cnn_place);
  const std::vector<bool> periodic = detail::periodic_axes(grid);
  const auto convolved = [&](int x, int channels, int stride, std::string_view name) {
    const int y = detail::add_convolution(
        graph, x, periodic,
        {.channels = channels, .kernel = c.kernel, .stride = stride, .name = name});
    return graph.activation(y, c.activation);
  };
  int v = detail::with_positions(graph, input, grid, c.coordinates, 0, cnn_place);
  int channels = c.width;
  for (int l = 0; l < c.levels; ++l) {
    v = convolved(v, channels, 2, "encoder");
    channels *= 2;
  }
  for (int l = 0; l < c.depth; ++l) v = convolved(v, channels, 1, "convolution");
  for (int l = 0; l < c.levels; ++l) {
    channels /= 2;
    v = graph.activation(detail::add_upsampling(graph, v, channels), c.activation);
  }
  return graph.linear(v, n_outputs, Activation::identity, true, "output");
}

void visit_options(Cnn& c, OptionVisitor& v) {
  detail::visit_layer_sizes(c.width, c.depth, v);
  v.count("kernel", c.kernel, 1, 99);
  v.count("levels", c.levels, 0, most_cnn_levels);
  detail::visit_activation(c.activation, v);
  v.flag("coordinates", c.coordinates);
  v.check([&] { check_cnn(c); });
}

std::string describe(const Cnn& c) {
  std::string text =
      fmt::format("CNN of width {}, {} convolutions of {} points", c.width, c.depth, c.kernel);
  if (c.levels > 0) text += fmt::format(", {} levels", c.levels);
  return text;
}

}  // namespace cauchy
