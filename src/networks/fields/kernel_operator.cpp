#include <cauchy/networks/kernel_operator.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/fields/kernel_layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view kernel_place = "[networks.kernel]";

void check_kernel(const KernelOperator& k) {
  detail::check_kernel_stack(detail::kernel_stack_of(k), kernel_place);
  detail::require_count("samples", k.samples, 0, detail::max_width, kernel_place);
}

}  // namespace

int add_field_network(TensorGraph& graph, const KernelOperator& k, int input, const FieldGrid& grid,
                      int n_outputs) {
  check_kernel(k);
  detail::require_field(graph, input, grid, n_outputs, true, kernel_place);
  const detail::PointSet points = detail::points_of(grid, kernel_place);
  const std::vector<std::size_t> chosen =
      detail::nystrom_points(points, k.samples, k.seed, kernel_place);
  const std::size_t n_keys = chosen.empty() ? points.size() : chosen.size();
  const int channels =
      std::max(k.kernel_width, k.form == KernelForm::matrix ? k.width * k.width : k.width);
  detail::require_pairs(points.size() * n_keys, channels, kernel_place);
  const detail::PairTables pairs(
      detail::all_pairs(points, chosen.empty() ? points : detail::chosen_points(points, chosen)));
  return detail::add_kernel_stack(graph, detail::kernel_stack_of(k), input, points, chosen, pairs,
                                  n_outputs);
}

void visit_options(KernelOperator& k, OptionVisitor& v) {
  detail::visit_kernel_options(k, v);
  v.count("samples", k.samples, 0, detail::max_width);
  v.seed("seed", k.seed);
  detail::visit_last_layers(k.projection, k.activation, v);
  v.check([&] { check_kernel(k); });
}

std::string describe(const KernelOperator& k) {
  std::string text =
      "kernel operator: " + detail::describe_kernel_stack(detail::kernel_stack_of(k));
  if (k.samples > 0) text += fmt::format(", {} samples", k.samples);
  return text;
}

}  // namespace cauchy
