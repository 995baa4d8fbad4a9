#include <cauchy/networks/residual_mlp.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "networks/layers.hpp"

namespace cauchy {

int add_network(Graph& graph, const ResidualMlp& net, int input, int n_outputs) {
  constexpr std::string_view place = "[networks.residual_mlp]";
  detail::require_count("width", net.width, 1, detail::max_width, place);
  detail::require_count("blocks", net.blocks, 1, ResidualMlp::max_blocks, place);
  detail::require_count("the number of fields", n_outputs, 1, detail::max_width, place);
  const int n = graph.rows(input), w = net.width;
  if (n > w) {
    throw Error(fmt::format("{} inputs are passed on by layers of width {}", n, w),
                std::string(place), "make the width at least the number of inputs");
  }
  const auto layer = [&](int x) {
    return graph.activation(graph.affine(x, w, true, "hidden"), net.activation);
  };
  int h = input;
  for (int b = 0; b < net.blocks; ++b) {
    const int f = layer(layer(h));
    if (b == 0 && n < w) {
      std::vector<double> identity(static_cast<std::size_t>(w * n), 0.0);
      for (int i = 0; i < n; ++i) identity[static_cast<std::size_t>(i * n + i)] = 1;
      h = graph.fixed_affine(input, std::move(identity));
    }
    h = graph.add(h, f);
  }
  return graph.affine(h, n_outputs, true, "output");
}

void visit_options(ResidualMlp& net, OptionVisitor& v) {
  v.count("width", net.width, 1, detail::max_width);
  v.count("blocks", net.blocks, 1, ResidualMlp::max_blocks);
  v.word("activation", net.activation, detail::activation_words());
}

std::string describe(const ResidualMlp& net) {
  return fmt::format("{} residual blocks of {} {}", net.blocks, net.width,
                     to_string(net.activation));
}

}  // namespace cauchy
