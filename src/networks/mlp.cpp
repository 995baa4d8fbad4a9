#include <cauchy/networks/mlp.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {

int add_network(Graph& graph, const Mlp& mlp, int input, int n_outputs) {
  const auto require_positive = [](std::string_view what, int n) {
    if (n < 1) throw Error(fmt::format("{} must be positive, got {}", what, n), "[networks.mlp]");
  };
  require_positive("width", mlp.width);
  require_positive("depth", mlp.depth);
  require_positive("the number of fields", n_outputs);
  if (mlp.depth > Mlp::max_depth) {
    throw Error(fmt::format("depth must be at most {}, got {}", Mlp::max_depth, mlp.depth),
                "[networks.mlp]");
  }
  int h = input;
  for (int layer = 0; layer < mlp.depth; ++layer) {
    h = graph.affine(h, mlp.width, true, "hidden");
    h = mlp.adaptive_slope ? graph.activation_with_slope(h, mlp.activation)
                           : graph.activation(h, mlp.activation);
  }
  return graph.affine(h, n_outputs, true, "output");
}

void visit_options(Mlp& mlp, OptionVisitor& v) {
  constexpr std::uint64_t most = 1'000'000;  // far beyond what fits in memory
  Words<Activation> activations;
  for (const Activation a : all_activations()) activations.emplace_back(to_string(a), a);
  v.count("width", mlp.width, 1, most);
  v.count("depth", mlp.depth, 1, Mlp::max_depth);
  v.word("activation", mlp.activation, activations);
  v.flag("adaptive_slope", mlp.adaptive_slope);
}

std::string describe(const Mlp& mlp) {
  return fmt::format("{} x {} {}", mlp.width, mlp.depth, to_string(mlp.activation));
}

}  // namespace cauchy
