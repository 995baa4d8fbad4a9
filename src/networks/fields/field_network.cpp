#include <cauchy/networks/field_network.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {
namespace {

const FieldNetworkPlugin& field_plugin_of(const CustomFieldNetwork& network) {
  if (!network.plugin) throw Error("the network has no plug-in", "[networks]", "give it one");
  return *network.plugin;
}

}  // namespace

CAUCHY_COMPILE_HERE(FieldNetwork)

const std::vector<FieldNetworkEntry>& all_field_networks() {
  static const std::vector<FieldNetworkEntry> all = {
      {"fno", "Fourier neural operator: one matrix per low frequency", Fno{}},
      {"cnn", "convolutions, or an encoder and a decoder of them", Cnn{}, true, false, false},
      {"resnet", "residual blocks of convolutions", Resnet{}, true, false, false},
      {"unet", "convolutions on several grids with connections between them", Unet{}, true, false,
       false},
      {"afno", "adaptive Fourier operator: patches, one small network for all frequencies", Afno{},
       true, false, false},
      {"low_rank", "sums of learnt functions times integrals with learnt functions",
       LowRankOperator{}, true, true},
      {"kernel", "integrals with a learnt kernel over all points or samples", KernelOperator{},
       true, true},
      {"gno", "graph operator: integrals with a learnt kernel over neighbours", GraphOperator{},
       true, true},
      {"multipole", "graph operators on several levels of points", MultipoleOperator{}, true, true},
      {"attention", "attention with quadrature weights as a kernel", AttentionOperator{}, true,
       true},
      {"transformer", "blocks of attention and layers of channels, with patches on grids",
       Transformer{}, true, true},
      {"spherical", "local and spectral convolutions on the sphere, in degrees", Spherical{}, true,
       false, true, true},
  };
  return all;
}

const FieldNetworkEntry& entry_of(const FieldNetwork& network) {
  for (const FieldNetworkEntry& entry : all_field_networks()) {
    if (entry.options.index() == network.index()) return entry;
  }
  return all_field_networks().front();
}

// A plug-in behind the same three functions as the networks of the table.
std::string describe(const CustomFieldNetwork& network) {
  return field_plugin_of(network).describe();
}
int add_field_network(TensorGraph& graph, const CustomFieldNetwork& network, int input,
                      const FieldGrid& grid, int n_outputs) {
  return field_plugin_of(network).add(graph, input, grid, n_outputs);
}
void visit_options(CustomFieldNetwork& network, OptionVisitor& v) {
  v.custom("kind", describe(network));
}

void visit_options(FieldNetwork& network, OptionVisitor& v) {
  if (!std::holds_alternative<CustomFieldNetwork>(network)) {
    v.alternative("kind", "field network", network, all_field_networks(), entry_of(network));
  }
  std::visit([&](auto& options) { visit_options(options, v); }, network);
}

std::string describe(const FieldNetwork& network) {
  return std::visit([](const auto& n) { return describe(n); }, network);
}

int add_field_network(TensorGraph& graph, const FieldNetwork& network, int input,
                      const FieldGrid& grid, int n_outputs) {
  return std::visit(
      [&](const auto& n) { return add_field_network(graph, n, input, grid, n_outputs); }, network);
}

}  // namespace cauchy
