#include <cauchy/networks/modified_mlp.hpp>

#include <fmt/format.h>

#include <cauchy/base/options.hpp>
#include <cauchy/networks/mlp.hpp>

#include "networks/layers.hpp"

namespace cauchy {

int add_network(Graph& graph, const ModifiedMlp& net, int input, int n_outputs) {
  constexpr std::string_view place = "[networks.modified_mlp]";
  detail::require_count("width", net.width, 1, detail::max_width, place);
  detail::require_count("depth", net.depth, 1, Mlp::max_depth, place);
  detail::require_count("the number of fields", n_outputs, 1, detail::max_width, place);
  const detail::LayerForm form{net.factorized, net.factor_mean};
  int h = detail::add_embedding(graph, {input, net.fourier, net.fourier_scale, net.fourier_seed},
                                form, place);
  const detail::GateEncoders encoders =
      detail::add_encoders(graph, h, net.width, net.activation, form);
  for (int layer = 0; layer < net.depth; ++layer) {
    const int z = detail::add_layer(graph, h, net.width, form, "hidden");
    h = encoders.gate(graph, graph.activation(z, net.activation));
  }
  return detail::add_layer(graph, h, n_outputs, form, "output");
}

void visit_options(ModifiedMlp& net, OptionVisitor& v) {
  v.count("width", net.width, 1, detail::max_width);
  v.count("depth", net.depth, 1, Mlp::max_depth);
  v.word("activation", net.activation, detail::activation_words());
  v.flag("factorized", net.factorized);
  v.number("factor_mean", net.factor_mean, NumberRange::any);
  detail::visit_fourier(net.fourier, net.fourier_scale, net.fourier_seed, v);
}

std::string describe(const ModifiedMlp& net) {
  return fmt::format("{} x {} {} between two encoders{}", net.width, net.depth,
                     to_string(net.activation), detail::describe_form(net.fourier, net.factorized));
}

}  // namespace cauchy
