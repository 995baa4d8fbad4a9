#include <cauchy/networks/low_rank_operator.hpp>

#include <array>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/fields/kernel_layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view low_rank_place = "[networks.low_rank]";

void check_low_rank(const LowRankOperator& o) {
  using detail::require_count;
  require_count("width", o.width, 1, 10'000, low_rank_place);
  require_count("depth", o.depth, 1, Mlp::max_depth, low_rank_place);
  require_count("rank", o.rank, 1, 10'000, low_rank_place);
  require_count("kernel_width", o.kernel_width, 1, detail::max_width, low_rank_place);
  require_count("projection", o.projection, 0, detail::max_width, low_rank_place);
  detail::require_between_layers(o.activation, low_rank_place);
}

}  // namespace

int add_field_network(TensorGraph& graph, const LowRankOperator& o, int input,
                      const FieldGrid& grid, int n_outputs) {
  check_low_rank(o);
  detail::require_field(graph, input, grid, n_outputs, true, low_rank_place);
  const detail::PointSet points = detail::points_of(grid, low_rank_place);
  const std::vector<int> sizes = graph.shape(input).grid;
  const int given =
      graph.concatenate(std::array{input, detail::add_positions(graph, points, 0, sizes)});
  const auto functions = [&](std::string_view name) {
    return detail::add_point_layers(graph, given, o.kernel_width, o.rank * o.width, o.activation,
                                    name);
  };
  int v = graph.linear(given, o.width, Activation::identity, true, "lifting");
  for (int l = 0; l < o.depth; ++l) {
    // <psi_r, v>, a number for each r; then sum_r phi_r times it.
    const int products = graph.matrix_vector(functions("psi"), v, o.rank);
    const int numbers = graph.repeat(graph.reduce(products, points.weights), sizes);
    const int integral = graph.matrix_vector(functions("phi"), numbers, o.width);
    v = graph.linear(v, o.width, l + 1 < o.depth ? o.activation : Activation::identity, true,
                     "local", integral);
  }
  return detail::add_point_layers(graph, v, o.projection, n_outputs, o.activation, "projection");
}

void visit_options(LowRankOperator& o, OptionVisitor& v) {
  v.count("width", o.width, 1, 10'000);
  v.count("depth", o.depth, 1, Mlp::max_depth);
  v.count("rank", o.rank, 1, 10'000);
  v.count("kernel_width", o.kernel_width, 1, detail::max_width);
  detail::visit_last_layers(o.projection, o.activation, v);
  v.check([&] { check_low_rank(o); });
}

std::string describe(const LowRankOperator& o) {
  return fmt::format("low-rank operator of width {}, {} layers, rank {}", o.width, o.depth, o.rank);
}

}  // namespace cauchy
