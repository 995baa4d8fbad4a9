#include <cauchy/networks/fourier_network.hpp>

#include <fmt/format.h>

#include <cauchy/base/options.hpp>

#include "networks/layer_sizes.hpp"

namespace cauchy {

template <FourierForm form>
int add_network(Graph& graph, const FourierLayers<form>& network, int input, int n_outputs) {
  detail::check_layer_sizes(network.width, network.depth, n_outputs, "[networks.fourier_network]");
  const auto layer = [&](int x, const char* name) {
    const int z = graph.affine(x, network.width, true, name);
    return network.adaptive_slope ? graph.activation_with_slope(z, network.activation)
                                  : graph.activation(z, network.activation);
  };
  const auto hidden = [&](int phi) {
    const int one = graph.number(1);
    int first = -1,
        second = -1;  // T_1 and T_2, or the bypass and the gate, which share every layer
    if constexpr (form == FourierForm::modified) {
      first = layer(phi, "transform");
      second = layer(phi, "transform");
    } else if constexpr (form == FourierForm::highway) {
      const int gate = graph.affine(phi, network.width, true, "gate");
      second = graph.activation(gate, Activation::sigmoid);
      first = graph.affine(input, network.width, true, "bypass");
      first = graph.multiply(graph.subtract(one, second), first);
    }
    int h = phi;
    for (int i = 0; i < network.depth; ++i) {
      const int z = layer(h, "hidden");
      if constexpr (form == FourierForm::plain) h = z;
      if constexpr (form == FourierForm::modified) {
        h = graph.add(graph.multiply(graph.subtract(one, z), first), graph.multiply(z, second));
      }
      if constexpr (form == FourierForm::highway) h = graph.add(graph.multiply(z, second), first);
    }
    return h;
  };
  return graph.affine(add_fourier_layers(graph, network.features, input, hidden), n_outputs, true,
                      "output");
}

template <FourierForm form>
void visit_options(FourierLayers<form>& network, OptionVisitor& v) {
  detail::visit_layer_sizes(network.width, network.depth, v);
  detail::visit_activation(network.activation, v);
  v.flag("adaptive_slope", network.adaptive_slope);
  visit_options(network.features, v);
}

template <FourierForm form>
std::string describe(const FourierLayers<form>& network) {
  constexpr const char* names[] = {"", "modified, ", "highway, "};
  return fmt::format("{} x {} {}, {}{}", network.width, network.depth,
                     to_string(network.activation), names[static_cast<int>(form)],
                     describe(network.features));
}

template int add_network(Graph&, const FourierNetwork&, int, int);
template int add_network(Graph&, const ModifiedFourier&, int, int);
template int add_network(Graph&, const HighwayFourier&, int, int);
template void visit_options(FourierNetwork&, OptionVisitor&);
template void visit_options(ModifiedFourier&, OptionVisitor&);
template void visit_options(HighwayFourier&, OptionVisitor&);
template std::string describe(const FourierNetwork&);
template std::string describe(const ModifiedFourier&);
template std::string describe(const HighwayFourier&);

}  // namespace cauchy
