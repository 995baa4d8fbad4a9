#include <cauchy/networks/resnet.hpp>

#include <fmt/format.h>

#include <cauchy/base/options.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view resnet_place = "[networks.resnet]";

void check_resnet(const Resnet& r) {
  using detail::require_count;
  require_count("width", r.width, 1, detail::max_width, resnet_place);
  require_count("blocks", r.blocks, 1, Mlp::max_depth, resnet_place);
  detail::require_kernel(r.kernel, resnet_place);
  require_count("groups", r.groups, 0, detail::max_width, resnet_place);
  if (r.groups > 0) detail::require_divides("groups", r.groups, "width", r.width, resnet_place);
  detail::require_between_layers(r.activation, resnet_place);
}

}  // namespace

int add_field_network(TensorGraph& graph, const Resnet& r, int input, const FieldGrid& grid,
                      int n_outputs) {
  check_resnet(r);
  detail::require_field(graph, input, grid, n_outputs, false, resnet_place);
  const std::vector<bool> periodic = detail::periodic_axes(grid);
  const auto convolved = [&](int x) {
    return detail::add_convolution(graph, x, periodic, {.channels = r.width, .kernel = r.kernel});
  };
  const auto activated = [&](int x) {
    return graph.activation(detail::add_group_norm(graph, x, r.groups), r.activation);
  };
  int v = convolved(detail::with_positions(graph, input, grid, r.coordinates, 0, resnet_place));
  for (int b = 0; b < r.blocks; ++b) {
    v = graph.add(v, convolved(activated(convolved(activated(v)))));
  }
  return graph.linear(activated(v), n_outputs, Activation::identity, true, "output");
}

void visit_options(Resnet& r, OptionVisitor& v) {
  v.count("width", r.width, 1, detail::max_width);
  v.count("blocks", r.blocks, 1, Mlp::max_depth);
  v.count("kernel", r.kernel, 1, 99);
  v.count("groups", r.groups, 0, detail::max_width);
  detail::visit_activation(r.activation, v);
  v.flag("coordinates", r.coordinates);
  v.check([&] { check_resnet(r); });
}

std::string describe(const Resnet& r) {
  return fmt::format("ResNet of width {}, {} blocks", r.width, r.blocks);
}

}  // namespace cauchy
