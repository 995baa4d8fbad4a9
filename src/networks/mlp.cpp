#include <cauchy/networks/mlp.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {

int add_mlp(Graph& graph, const Mlp& mlp, int input, int n_outputs) {
  const auto require_positive = [](std::string_view what, int n) {
    if (n < 1) throw Error(fmt::format("{} must be positive, got {}", what, n), "[networks.mlp]");
  };
  require_positive("width", mlp.width);
  require_positive("depth", mlp.depth);
  require_positive("the number of fields", n_outputs);
  int h = input;
  for (int layer = 0; layer < mlp.depth; ++layer) {
    h = graph.affine(h, mlp.width, true, "hidden");
    h = mlp.adaptive_slope ? graph.activation_with_slope(h, mlp.activation)
                           : graph.activation(h, mlp.activation);
  }
  return graph.affine(h, n_outputs, true, "output");
}

Graph make_network(const Mlp& mlp, std::vector<std::string> coordinates,
                   std::span<const std::string> fields) {
  Graph graph(std::move(coordinates));
  const int out = add_mlp(graph, mlp, graph.coordinates(), static_cast<int>(fields.size()));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    graph.output(fields[i], out, static_cast<int>(i));
  }
  return graph;
}

}  // namespace cauchy
