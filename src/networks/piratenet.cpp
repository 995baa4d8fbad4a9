#include <cauchy/networks/piratenet.hpp>

#include <fmt/format.h>

#include <cauchy/base/options.hpp>

#include "networks/layers.hpp"

namespace cauchy {

int add_network(Graph& graph, const Piratenet& net, int input, int n_outputs) {
  constexpr std::string_view place = "[networks.piratenet]";
  detail::require_count("width", net.width, 1, detail::max_width, place);
  detail::require_count("blocks", net.blocks, 1, Piratenet::max_blocks, place);
  detail::require_count("the number of fields", n_outputs, 1, detail::max_width, place);
  detail::require_finite("alpha", net.alpha, place);
  const detail::LayerForm form{net.factorized, net.factor_mean};
  const auto dense = [&](int x, int rows, const char* name) {
    return graph.activation(detail::add_layer(graph, x, rows, form, name), net.activation);
  };
  int x = detail::add_embedding(graph, {input, net.fourier, net.fourier_scale, net.fourier_seed},
                                form, place);
  if (net.fourier == 0) x = dense(x, net.width, "embedding");
  const detail::GateEncoders encoders =
      detail::add_encoders(graph, x, net.width, net.activation, form);
  for (int block = 0; block < net.blocks; ++block) {
    int h = encoders.gate(graph, dense(x, net.width, "hidden"));
    h = encoders.gate(graph, dense(h, net.width, "hidden"));
    h = dense(h, graph.rows(x), "hidden");
    x = graph.add(x, graph.scale(graph.subtract(h, x), net.alpha, false, "alpha"));
  }
  return detail::add_layer(graph, x, n_outputs, form, "output");
}

void visit_options(Piratenet& net, OptionVisitor& v) {
  v.count("width", net.width, 1, detail::max_width);
  v.count("blocks", net.blocks, 1, Piratenet::max_blocks);
  v.word("activation", net.activation, detail::activation_words());
  v.number("alpha", net.alpha, NumberRange::any);
  v.flag("factorized", net.factorized);
  v.number("factor_mean", net.factor_mean, NumberRange::any);
  detail::visit_fourier(net.fourier, net.fourier_scale, net.fourier_seed, v);
}

std::string describe(const Piratenet& net) {
  return fmt::format("{} residual blocks of {} {}{}", net.blocks, net.width,
                     to_string(net.activation), detail::describe_form(net.fourier, net.factorized));
}

}  // namespace cauchy
