#include "networks/kan_layers.hpp"

#include <fmt/format.h>

namespace cauchy::detail {
namespace {

constexpr double layer_norm_floor = 1e-5;  // added to the variance

/// (x - mean) / deviation over the rows, then a trainable scale and shift per row.
int kan_layer_norm(Graph& g, int x) {
  const int n = g.number(g.rows(x));
  const int centred = g.subtract(x, g.divide(g.row_sum(x), n));
  const int variance = g.divide(g.row_sum(g.multiply(centred, centred)), n);
  const int deviation = g.activation(g.add(variance, g.number(layer_norm_floor)), Activation::sqrt);
  const int unit = g.divide(centred, deviation);
  return g.shift(g.scale(unit, 1, true, "norm"), 0, true, "norm");
}

/// B_j(z_i), input by input.
int kan_basis_rows(Graph& graph, const std::vector<std::shared_ptr<const Basis>>& bases, int z) {
  if (bases.size() == 1) return graph.basis(z, bases[0]);
  std::vector<int> parts;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    parts.push_back(graph.basis(graph.slice(z, static_cast<int>(i), 1), bases[i]));
  }
  return graph.concatenate(parts);
}

}  // namespace

std::vector<double> extended_knots(std::span<const double> ends, int order) {
  const double width = (ends.back() - ends.front()) / static_cast<double>(ends.size() - 1);
  std::vector<double> knots;
  for (int k = order; k > 0; --k) knots.push_back(ends.front() - k * width);
  knots.insert(knots.end(), ends.begin(), ends.end());
  for (int k = 1; k <= order; ++k) knots.push_back(ends.back() + k * width);
  return knots;
}

int add_kan(Graph& graph, const KanShape& shape, int input, std::vector<KanOffsets>* offsets) {
  const auto last_block = [&] { return graph.parameters().back().offset; };
  int x = input;
  for (std::size_t l = 0; l < shape.n_layers(); ++l) {
    const int n_in = shape.widths[l], n_out = shape.widths[l + 1];
    KanOffsets at;
    int z = shape.layer_norm && l > 0 ? kan_layer_norm(graph, x) : x;
    if (shape.squash) z = graph.activation(z, Activation::tanh);
    const int functions = kan_basis_rows(graph, shape.bases[l], z);
    int y = 0;
    if (shape.edges) {
      // [output][input][function]: every edge is a row of its own before the sum over the inputs.
      y = graph.scale(graph.tile(functions, n_out), 0, true, "coefficient");
      graph.start_normal(shape.deviation[l]);
      at.coefficients = last_block();
      y = graph.scale(graph.row_sum(y, graph.rows(functions) / n_in), 1, true, "spline");
      at.scale = last_block();
      y = graph.row_sum(y, n_in);
    } else {
      y = graph.affine(functions, n_out, false, "coefficient");
      graph.start_normal(shape.deviation[l]);
      at.coefficients = last_block();
    }
    if (shape.base) {
      const int base = graph.affine(graph.activation(x, Activation::silu), n_out, false, "base");
      at.base = last_block();
      y = graph.add(base, y);
    }
    if (offsets != nullptr) offsets->push_back(at);
    x = y;
  }
  return x;
}

std::vector<KanOffsets> kan_offsets(const KanShape& shape, std::size_t* total) {
  std::vector<std::string> names;
  for (int i = 0; i < shape.widths[0]; ++i) names.push_back(fmt::format("x{}", i));
  Graph graph(std::move(names));
  std::vector<KanOffsets> offsets;
  (void)add_kan(graph, shape, graph.coordinates(), &offsets);
  if (total != nullptr) *total = graph.n_parameters();
  return offsets;
}

}  // namespace cauchy::detail
