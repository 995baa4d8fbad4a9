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
  const Mlp factor{.width = s.width, .depth = s.depth, .activation = s.activation};
  const int n = graph.rows(input), one = graph.number(1);
  int product = -1;
  for (int i = 0; i < n; ++i) {
    const int x = n == 1 ? input : graph.slice(input, i, 1);
    const int f = graph.add(add_network(graph, factor, x, s.rank), one);
    product = i == 0 ? f : graph.multiply(product, f);
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
