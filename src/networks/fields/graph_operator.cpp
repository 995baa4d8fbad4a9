#include <cauchy/networks/graph_operator.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/fields/kernel_layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view gno_place = "[networks.gno]";

void check_gno(const GraphOperator& g) {
  detail::check_kernel_stack(detail::kernel_stack_of(g), gno_place);
  detail::require_radius(g.radius, gno_place);
  detail::require_count("neighbours", g.neighbours, 0, detail::max_width, gno_place);
}

}  // namespace

int add_field_network(TensorGraph& graph, const GraphOperator& g, int input, const FieldGrid& grid,
                      int n_outputs) {
  check_gno(g);
  detail::require_field(graph, input, grid, n_outputs, true, gno_place);
  const detail::PointSet points = detail::points_of(grid, gno_place);
  const detail::PairTables pairs(
      detail::near_pairs(points, points, g.radius, static_cast<std::size_t>(g.neighbours)));
  const int channels =
      std::max(g.kernel_width, g.form == KernelForm::matrix ? g.width * g.width : g.width);
  detail::require_pairs(pairs.size(), channels, gno_place);
  return detail::add_kernel_stack(graph, detail::kernel_stack_of(g), input, points, {}, pairs,
                                  n_outputs);
}

void visit_options(GraphOperator& g, OptionVisitor& v) {
  detail::visit_kernel_options(g, v);
  v.number("radius", g.radius, NumberRange::positive);
  v.count("neighbours", g.neighbours, 0, detail::max_width);
  detail::visit_last_layers(g.projection, g.activation, v);
  v.check([&] { check_gno(g); });
}

std::string describe(const GraphOperator& g) {
  return fmt::format("graph operator: {}, radius {}",
                     detail::describe_kernel_stack(detail::kernel_stack_of(g)), g.radius);
}

}  // namespace cauchy
