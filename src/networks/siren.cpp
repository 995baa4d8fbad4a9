#include <cauchy/networks/siren.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/networks/initialize.hpp>

#include "networks/layer_sizes.hpp"

namespace cauchy {

int add_network(Graph& graph, const Siren& siren, int input, int n_outputs) {
  detail::check_layer_sizes(siren.width, siren.depth, n_outputs, "[networks.siren]");
  if (!(siren.w0 > 0) || !std::isfinite(siren.w0)) {
    throw Error(fmt::format("w0 must be positive, got {}", siren.w0), "[networks.siren]");
  }
  int h = input;
  for (int i = 0; i <= siren.depth; ++i) {
    const bool hidden = i < siren.depth;
    const UniformBounds bounds = siren_bounds(graph.rows(h), i == 0, hidden, siren.w0);
    h = graph.affine(h, hidden ? siren.width : n_outputs, true, hidden ? "hidden" : "output");
    graph.start_uniform(h, bounds.weight, bounds.bias);
    if (hidden) h = graph.activation(h, Activation::sin);
  }
  return h;
}

void visit_options(Siren& siren, OptionVisitor& v) {
  detail::visit_layer_sizes(siren.width, siren.depth, v);
  v.number("w0", siren.w0, NumberRange::positive);
}

std::string describe(const Siren& siren) {
  return fmt::format("{} x {} siren, w0 = {}", siren.width, siren.depth, siren.w0);
}

}  // namespace cauchy
