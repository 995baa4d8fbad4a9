#include <cauchy/networks/transformer.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/fields/point_set.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view transformer_place = "[networks.transformer]";

void check_transformer(const Transformer& t) {
  using detail::require_count;
  require_count("width", t.width, 1, detail::max_width, transformer_place);
  require_count("depth", t.depth, 1, Mlp::max_depth, transformer_place);
  require_count("heads", t.heads, 1, detail::max_width, transformer_place);
  detail::require_divides("heads", t.heads, "width", t.width, transformer_place);
  require_count("hidden", t.hidden, 1, detail::max_width, transformer_place);
  require_count("positions", t.positions, 0, 1000, transformer_place);
  detail::require_between_layers(t.activation, transformer_place);
  if (!(t.dropout >= 0 && t.dropout < 1)) {
    throw Error(fmt::format("dropout must be in [0, 1), got {}", t.dropout), transformer_place);
  }
}

/// Points of a patch along every axis of the arrays; a cloud has one axis and no patches.
std::vector<int> transformer_patch(const Transformer& t, const FieldGrid& grid) {
  const std::vector<int> patch =
      detail::per_axis("patch", t.patch, grid.sizes().size(), transformer_place);
  if (grid.is_cloud()) {
    if (patch.front() != 1) {
      throw Error(fmt::format("a cloud of points has no patches of {}", patch.front()),
                  transformer_place, "take patch = 1");
    }
    return patch;
  }
  detail::require_multiples(grid, patch, "patches", transformer_place);
  return patch;
}

}  // namespace

int add_field_network(TensorGraph& graph, const Transformer& t, int input, const FieldGrid& grid,
                      int n_outputs) {
  check_transformer(t);
  detail::require_field(graph, input, grid, n_outputs, true, transformer_place);
  const std::vector<int> patch = transformer_patch(t, grid);
  const std::vector<double> weights = detail::patches_of(grid, patch, transformer_place).weights;
  const auto affine = [&](int x, std::string_view name) {
    return graph.linear(x, t.width, Activation::identity, true, name);
  };
  int z = detail::add_tokens(graph, input, grid, patch, t.width, t.positions, transformer_place);
  for (int l = 0; l < t.depth; ++l) {
    const int n = detail::add_layer_norm(graph, z);
    // One after the other, for the order of the parameters.
    const int query = affine(n, "query"), key = affine(n, "key"), value = affine(n, "value");
    const int attended = graph.attention(query, key, value, t.heads, weights);
    z = t.dropout == 0 ? graph.linear(attended, t.width, Activation::identity, true, "heads", z)
                       : graph.add(z, graph.dropout(affine(attended, "heads"), t.dropout));
    z = detail::add_channel_layers(graph, z, detail::add_layer_norm(graph, z), t.hidden,
                                   t.activation, t.dropout);
  }
  return detail::add_token_output(graph, z, patch, n_outputs);
}

void visit_options(Transformer& t, OptionVisitor& v) {
  detail::visit_layer_sizes(t.width, t.depth, v);
  v.count("heads", t.heads, 1, detail::max_width);
  detail::visit_whole_numbers("patch", t.patch, 10'000, v);
  v.count("hidden", t.hidden, 1, detail::max_width);
  v.count("positions", t.positions, 0, 1000);
  detail::visit_activation(t.activation, v);
  v.number("dropout", t.dropout, NumberRange::below_one);
  v.check([&] { check_transformer(t); });
}

std::string describe(const Transformer& t) {
  std::string text =
      fmt::format("transformer of width {}, {} layers, {} heads", t.width, t.depth, t.heads);
  if (std::any_of(t.patch.begin(), t.patch.end(), [](int p) { return p > 1; })) {
    text += fmt::format(", patches of {} points", detail::times_text(t.patch));
  }
  return text;
}

}  // namespace cauchy
