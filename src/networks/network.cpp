#include <cauchy/networks/network.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {
namespace {

const NetworkPlugin& plugin_of(const CustomNetwork& network) {
  if (!network.plugin) throw Error("the network has no plug-in", "[networks]", "give it one");
  return *network.plugin;
}

Experts mixture_of_three() {
  Experts all;
  for (const Activation a : {Activation::tanh, Activation::sin, Activation::silu}) {
    all.experts.emplace_back(Mlp{.width = 20, .depth = 3, .activation = a});
  }
  return all;
}

}  // namespace

CAUCHY_COMPILE_HERE(Network)

NetworkList::NetworkList() noexcept = default;
NetworkList::NetworkList(std::initializer_list<Network> networks) : vector(networks) {}
NetworkList::NetworkList(const NetworkList& other) = default;
NetworkList::NetworkList(NetworkList&& other) noexcept = default;
NetworkList& NetworkList::operator=(const NetworkList& other) = default;
NetworkList& NetworkList::operator=(NetworkList&& other) noexcept = default;
NetworkList::~NetworkList() = default;

const std::vector<NetworkEntry>& all_networks() {
  static const std::vector<NetworkEntry> all = {
      {"mlp", "fully connected layers", Mlp{}},
      {"modified_mlp", "fully connected layers that choose between two encoders", ModifiedMlp{}},
      {"piratenet", "gated residual blocks that are the identity at the start", Piratenet{}},
      {"residual_mlp", "residual blocks of two layers (Deep Ritz)", ResidualMlp{}},
      {"dgm", "gated layers that see the inputs again (Deep Galerkin)", Dgm{}},
      {"rbf", "radial basis functions, centres and shapes trainable", Rbf{}},
      {"fourier", "layers on cosines and sines of the inputs", FourierNetwork{}},
      {"modified_fourier", "the same, layers mix two transforms of them", ModifiedFourier{}},
      {"highway_fourier", "the same, gates let a linear map pass", HighwayFourier{}},
      {"multiplicative_filter", "products of sines or windowed sines", MultiplicativeFilter{}},
      {"siren", "sines of sines, with an initialisation of its own", Siren{}},
      {"elm", "random features, of which the last layer alone is trained", Elm{}},
      {"separable", "sums of products of one small network per input", Separable{}},
      {"experts", "networks of any kinds, weighed by a gate", mixture_of_three()},
      {"pinnsformer", "attention over a short sequence of times", Pinnsformer{}},
      {"lstm", "long short-term memory along a short sequence of times", Lstm{}},
      {"kan", "Kolmogorov-Arnold network of B-splines", Kan{}},
      {"fast_kan", "Kolmogorov-Arnold network of Gaussians", FastKan{}},
      {"chebyshev_kan", "Kolmogorov-Arnold network of Chebyshev polynomials", ChebyshevKan{}},
      {"jacobi_kan", "Kolmogorov-Arnold network of Jacobi polynomials", JacobiKan{}},
      {"windows", "a small network in each of many overlapping windows (FBPINN)", Windows{}},
  };
  return all;
}

const NetworkEntry& entry_of(const Network& network) {
  for (const NetworkEntry& entry : all_networks()) {
    if (entry.options.index() == network.index()) return entry;
  }
  return all_networks().front();
}

// A plug-in behind the same three functions as the networks of the table.
std::string describe(const CustomNetwork& network) { return plugin_of(network).describe(); }
int add_network(Graph& graph, const CustomNetwork& network, int input, int n_outputs) {
  return plugin_of(network).add(graph, input, n_outputs);
}
void visit_options(CustomNetwork& network, OptionVisitor& v) {
  v.custom("kind", describe(network));
}

void visit_options(Network& network, OptionVisitor& v) {
  if (!std::holds_alternative<CustomNetwork>(network)) {
    v.alternative("kind", "network", network, all_networks(), entry_of(network));
  }
  std::visit([&](auto& options) { visit_options(options, v); }, network);
}

void visit_options(InitializeOptions& o, OptionVisitor& v) {
  Words<Initialization> words;
  for (const Initialization i : all_initializations()) words.emplace_back(to_string(i), i);
  v.word("initialization", o.weights, words);
  v.number("siren_w0", o.siren_w0, NumberRange::positive);
  v.word("biases", o.biases,
         {{"zero", BiasInitialization::zero}, {"uniform", BiasInitialization::uniform}});
}

std::string describe(const Network& network) {
  return std::visit([](const auto& n) { return describe(n); }, network);
}

int add_network(Graph& graph, const Network& network, int input, int n_outputs) {
  return std::visit([&](const auto& n) { return add_network(graph, n, input, n_outputs); },
                    network);
}

Graph make_network(const Network& network, std::vector<std::string> coordinates,
                   std::span<const std::string> fields) {
  Graph graph(std::move(coordinates));
  const int out = add_network(graph, network, graph.coordinates(), static_cast<int>(fields.size()));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    graph.output(fields[i], out, static_cast<int>(i));
  }
  return graph;
}

}  // namespace cauchy
