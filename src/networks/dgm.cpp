#include <cauchy/networks/dgm.hpp>

#include <fmt/format.h>

#include <cauchy/base/options.hpp>

#include "networks/layers.hpp"

namespace cauchy {

int add_network(Graph& graph, const Dgm& net, int input, int n_outputs) {
  constexpr std::string_view place = "[networks.dgm]";
  detail::require_count("width", net.width, 1, detail::max_width, place);
  detail::require_count("layers", net.layers, 1, Dgm::max_layers, place);
  detail::require_count("the number of fields", n_outputs, 1, detail::max_width, place);
  // U x + W y + b is one layer on top of x and y.
  const auto beside_input = [&](int y) {
    const int both[] = {input, y};
    return graph.concatenate(both);
  };
  const auto layer = [&](int x, std::string_view name) {
    return graph.activation(graph.affine(x, net.width, true, name), net.activation);
  };
  int s = layer(input, "hidden");
  const int first = beside_input(s);
  int now = first;
  for (int l = 0; l < net.layers; ++l) {
    const int z = layer(now, "keep");
    const int g = layer(net.first_state ? first : now, "forget");
    const int r = layer(now, "reset");
    const int h = layer(beside_input(graph.multiply(s, r)), "hidden");
    // (1 - G) H + Z S
    s = graph.add(graph.subtract(h, graph.multiply(g, h)), graph.multiply(z, s));
    if (l + 1 < net.layers) now = beside_input(s);
  }
  return graph.affine(s, n_outputs, true, "output");
}

void visit_options(Dgm& net, OptionVisitor& v) {
  v.count("width", net.width, 1, detail::max_width);
  v.count("layers", net.layers, 1, Dgm::max_layers);
  v.word("activation", net.activation, detail::activation_words());
  v.flag("first_state", net.first_state);
}

std::string describe(const Dgm& net) {
  return fmt::format("{} gated layers of {} {}", net.layers, net.width, to_string(net.activation));
}

}  // namespace cauchy
