#include <cauchy/networks/attention_operator.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/fields/kernel_layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view attention_place = "[networks.attention]";

void check_attention(const AttentionOperator& a) {
  using detail::require_count;
  require_count("width", a.width, 1, detail::max_width, attention_place);
  require_count("depth", a.depth, 1, Mlp::max_depth, attention_place);
  require_count("heads", a.heads, 1, detail::max_width, attention_place);
  detail::require_divides("heads", a.heads, "width", a.width, attention_place);
  require_count("positions", a.positions, 0, 1000, attention_place);
  require_count("samples", a.samples, 0, detail::max_width, attention_place);
  require_count("projection", a.projection, 0, detail::max_width, attention_place);
  detail::require_between_layers(a.activation, attention_place);
}

}  // namespace

int add_field_network(TensorGraph& graph, const AttentionOperator& a, int input,
                      const FieldGrid& grid, int n_outputs) {
  check_attention(a);
  detail::require_field(graph, input, grid, n_outputs, true, attention_place);
  const detail::PointSet points = detail::points_of(grid, attention_place);
  const std::vector<std::size_t> chosen =
      detail::nystrom_points(points, a.samples, a.seed, attention_place);
  const std::vector<double> weights =
      chosen.empty() ? points.weights : detail::chosen_points(points, chosen).weights;
  const auto matrix = [&](int x, std::string_view name) {
    return graph.linear(x, a.width, Activation::identity, false, name);
  };
  int v = detail::with_positions(graph, input, grid, a.positions > 0, a.positions, attention_place);
  v = graph.linear(v, a.width, Activation::identity, true, "lifting");
  for (int l = 0; l < a.depth; ++l) {
    const int keys = chosen.empty() ? v : detail::at_points(graph, v, chosen);
    // One after the other, for the order of the parameters.
    const int query = matrix(v, "query"), key = matrix(keys, "key"), value = matrix(keys, "value");
    int sum = graph.attention(query, key, value, a.heads, weights);
    if (a.heads > 1) sum = matrix(sum, "heads");
    v = graph.linear(v, a.width, l + 1 < a.depth ? a.activation : Activation::identity, true,
                     "local", sum);
  }
  return detail::add_point_layers(graph, v, a.projection, n_outputs, a.activation, "projection");
}

void visit_options(AttentionOperator& a, OptionVisitor& v) {
  detail::visit_layer_sizes(a.width, a.depth, v);
  v.count("heads", a.heads, 1, detail::max_width);
  v.count("positions", a.positions, 0, 1000);
  v.count("samples", a.samples, 0, detail::max_width);
  v.seed("seed", a.seed);
  detail::visit_last_layers(a.projection, a.activation, v);
  v.check([&] { check_attention(a); });
}

std::string describe(const AttentionOperator& a) {
  std::string text =
      fmt::format("attention operator of width {}, {} layers, {} heads", a.width, a.depth, a.heads);
  if (a.samples > 0) text += fmt::format(", {} keys", a.samples);
  return text;
}

}  // namespace cauchy
