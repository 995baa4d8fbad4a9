#include <cauchy/networks/unet.hpp>

#include <array>

#include <fmt/format.h>

#include <cauchy/base/options.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view unet_place = "[networks.unet]";
constexpr int most_unet_levels = 10;

void check_unet(const Unet& u) {
  using detail::require_count;
  require_count("width", u.width, 1, 100'000, unet_place);
  require_count("levels", u.levels, 1, most_unet_levels, unet_place);
  require_count("groups", u.groups, 0, detail::max_width, unet_place);
  if (u.groups > 0) detail::require_divides("groups", u.groups, "width", u.width, unet_place);
  detail::require_between_layers(u.activation, unet_place);
}

}  // namespace

int add_field_network(TensorGraph& graph, const Unet& u, int input, const FieldGrid& grid,
                      int n_outputs) {
  check_unet(u);
  detail::require_field(graph, input, grid, n_outputs, false, unet_place);
  const std::size_t axes = grid.axes.size();
  detail::require_multiples(grid, std::vector<int>(axes, 1 << u.levels),
                            fmt::format("{} levels", u.levels), unet_place);
  const std::vector<bool> periodic = detail::periodic_axes(grid);
  const auto block = [&](int x, int channels) {
    for (int i = 0; i < 2; ++i) {
      // A shift behind the normalisation takes the place of the bias.
      x = detail::add_convolution(graph, x, periodic,
                                  {.channels = channels, .bias = u.groups == 0});
      x = graph.activation(detail::add_group_norm(graph, x, u.groups), u.activation);
    }
    return x;
  };
  int v = detail::with_positions(graph, input, grid, u.coordinates, 0, unet_place);
  std::vector<int> down;  // values of the levels, the finest first
  for (int l = 0; l <= u.levels; ++l) {
    if (l > 0) v = graph.max_pool(v, std::vector<int>(axes, 2));
    down.push_back(v = block(v, u.width << l));
  }
  for (int l = u.levels - 1; l >= 0; --l) {
    const int up = detail::add_upsampling(graph, v, u.width << l);
    v = block(graph.concatenate(std::array{down[static_cast<std::size_t>(l)], up}), u.width << l);
  }
  return graph.linear(v, n_outputs, Activation::identity, true, "output");
}

void visit_options(Unet& u, OptionVisitor& v) {
  v.count("width", u.width, 1, 100'000);
  v.count("levels", u.levels, 1, most_unet_levels);
  v.count("groups", u.groups, 0, detail::max_width);
  detail::visit_activation(u.activation, v);
  v.flag("coordinates", u.coordinates);
  v.check([&] { check_unet(u); });
}

std::string describe(const Unet& u) {
  return fmt::format("U-Net of width {}, {} levels", u.width, u.levels);
}

}  // namespace cauchy
