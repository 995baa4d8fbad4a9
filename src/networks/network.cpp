#include <cauchy/networks/network.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {
namespace {

const NetworkPlugin& plugin_of(const CustomNetwork& network) {
  if (!network.plugin) throw Error("the network has no plug-in", "[networks]", "give it one");
  return *network.plugin;
}

std::string describe_one(const Mlp& n) { return describe(n); }
std::string describe_one(const CustomNetwork& n) { return plugin_of(n).describe(); }

int add_one(Graph& graph, const Mlp& n, int input, int outputs) {
  return add_mlp(graph, n, input, outputs);
}
int add_one(Graph& graph, const CustomNetwork& n, int input, int outputs) {
  return plugin_of(n).add(graph, input, outputs);
}

}  // namespace

const std::vector<NetworkEntry>& all_networks() {
  static const std::vector<NetworkEntry> all = {
      {"mlp", "fully connected layers of one width", Mlp{}},
  };
  return all;
}

const NetworkEntry& entry_of(const Network& network) {
  for (const NetworkEntry& entry : all_networks()) {
    if (entry.options.index() == network.index()) return entry;
  }
  return all_networks().front();
}

void visit_options(CustomNetwork& network, OptionVisitor& v) {
  v.custom("kind", describe_one(network));
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
}

std::string describe(const Network& network) {
  return std::visit([](const auto& n) { return describe_one(n); }, network);
}

int add_network(Graph& graph, const Network& network, int input, int n_outputs) {
  return std::visit([&](const auto& n) { return add_one(graph, n, input, n_outputs); }, network);
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
