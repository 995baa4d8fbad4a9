#include <cauchy/networks/separable.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/networks/mlp.hpp>

namespace cauchy {
namespace {

void check_separable(const Separable& s, int n_outputs) {
  const auto require_positive = [](std::string_view what, int n) {
    if (n < 1) {
      throw Error(fmt::format("{} must be positive, got {}", what, n), "[networks.separable]");
    }
  };
  require_positive("rank", s.rank);
  require_positive("width", s.width);
  require_positive("depth", s.depth);
  require_positive("the number of fields", n_outputs);
}

}  // namespace

int add_network(Graph& graph, const Separable& s, int input, int n_outputs) {
  check_separable(s, n_outputs);
  const int n = graph.rows(input);
  int h = input;  // the networks of all inputs side by side
  for (int layer = 0; layer < s.depth; ++layer) {
    h = graph.activation(graph.grouped_affine(h, n, n * s.width, true, "factor"), s.activation);
  }
  const int factors =
      graph.add(graph.grouped_affine(h, n, n * s.rank, true, "factor"), graph.number(1));
  int product = graph.slice(factors, 0, s.rank);
  for (int i = 1; i < n; ++i) {
    product = graph.multiply(product, graph.slice(factors, i * s.rank, s.rank));
  }
  return graph.affine(product, n_outputs, true, "output");
}

void visit_options(Separable& s, OptionVisitor& v) {
  constexpr std::uint64_t most = 1'000'000;
  Words<Activation> activations;
  for (const Activation a : all_activations()) activations.emplace_back(to_string(a), a);
  v.count("rank", s.rank, 1, most);
  v.count("width", s.width, 1, most);
  v.count("depth", s.depth, 1, Mlp::max_depth);
  v.word("activation", s.activation, activations);
}

std::string describe(const Separable& s) {
  return fmt::format("separable, rank {} of {} x {} {}", s.rank, s.width, s.depth,
                     to_string(s.activation));
}

}  // namespace cauchy
