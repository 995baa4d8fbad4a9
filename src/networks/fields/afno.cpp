#include <cauchy/networks/afno.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "networks/fields/afno_mixer.hpp"
#include "networks/fields/field_layers.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view afno_place = "[networks.afno]";

void check_afno(const Afno& a) {
  using detail::require_count;
  require_count("width", a.width, 1, detail::max_width, afno_place);
  require_count("depth", a.depth, 1, Mlp::max_depth, afno_place);
  require_count("blocks", a.blocks, 1, detail::max_width, afno_place);
  detail::require_divides("blocks", a.blocks, "width", a.width, afno_place);
  require_count("hidden", a.hidden, 1, detail::max_width, afno_place);
  require_count("positions", a.positions, 0, 1000, afno_place);
  detail::require_between_layers(a.activation, afno_place);
  if (!(a.sparsity >= 0) || !std::isfinite(a.sparsity)) {
    throw Error(fmt::format("sparsity must not be negative, got {}", a.sparsity), afno_place);
  }
  if (!(a.kept > 0 && a.kept <= 1)) {
    throw Error(fmt::format("kept must be in (0, 1], got {}", a.kept), afno_place);
  }
  if (!(a.dropout >= 0 && a.dropout < 1)) {
    throw Error(fmt::format("dropout must be in [0, 1), got {}", a.dropout), afno_place);
  }
}

}  // namespace

namespace detail {

std::vector<int> afno_modes(const std::vector<int>& tokens, double kept) {
  std::vector<int> modes;
  for (std::size_t a = 0; a < tokens.size(); ++a) {
    const bool last = a + 1 == tokens.size();
    const int all = last ? tokens[a] / 2 + 1 : (tokens[a] + 1) / 2;
    modes.push_back(std::clamp(static_cast<int>(std::ceil(kept * all)), 1, all));
  }
  return modes;
}

int add_afno_mixer(TensorGraph& graph, int z, int blocks, double sparsity, double kept) {
  const TensorShape shape = graph.shape(z);
  int c = graph.spectrum(z, afno_modes(shape.grid, kept));
  c = graph.complex_linear(c, shape.channels, blocks, true, "mixer");
  c = graph.complex_linear(graph.activation(c, Activation::relu), shape.channels, blocks, true,
                           "mixer");
  return graph.from_spectrum(graph.soft_shrink(c, sparsity), shape.grid);
}

}  // namespace detail

int add_field_network(TensorGraph& graph, const Afno& a, int input, const FieldGrid& grid,
                      int n_outputs) {
  check_afno(a);
  detail::require_field(graph, input, grid, n_outputs, false, afno_place);
  const std::vector<int> patch = detail::per_axis("patch", a.patch, grid.axes.size(), afno_place);
  detail::require_multiples(grid, patch, "patches", afno_place);
  int z = detail::add_tokens(graph, input, grid, patch, a.width, a.positions, afno_place);
  for (int l = 0; l < a.depth; ++l) {
    int mixed = detail::add_afno_mixer(graph, detail::add_layer_norm(graph, z), a.blocks,
                                       a.sparsity, a.kept);
    if (a.dropout > 0) mixed = graph.dropout(mixed, a.dropout);
    z = graph.add(z, mixed);
    z = detail::add_channel_layers(graph, z, detail::add_layer_norm(graph, z), a.hidden,
                                   a.activation, a.dropout);
  }
  return detail::add_token_output(graph, z, patch, n_outputs);
}

void visit_options(Afno& a, OptionVisitor& v) {
  detail::visit_layer_sizes(a.width, a.depth, v);
  detail::visit_whole_numbers("patch", a.patch, 10'000, v);
  v.count("blocks", a.blocks, 1, detail::max_width);
  v.number("sparsity", a.sparsity, NumberRange::not_negative);
  v.number("kept", a.kept, NumberRange::up_to_one);
  v.count("hidden", a.hidden, 1, detail::max_width);
  v.count("positions", a.positions, 0, 1000);
  detail::visit_activation(a.activation, v);
  v.number("dropout", a.dropout, NumberRange::below_one);
  v.check([&] { check_afno(a); });
}

std::string describe(const Afno& a) {
  return fmt::format("AFNO of width {}, {} layers, patches of {} points", a.width, a.depth,
                     detail::times_text(a.patch));
}

}  // namespace cauchy
