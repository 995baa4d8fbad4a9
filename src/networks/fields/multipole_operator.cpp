#include <cauchy/networks/multipole_operator.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/fields/kernel_layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view multipole_place = "[networks.multipole]";

void check_multipole(const MultipoleOperator& m) {
  using detail::require_count;
  require_count("width", m.width, 1, detail::max_width, multipole_place);
  require_count("cycles", m.cycles, 1, Mlp::max_depth, multipole_place);
  require_count("levels", m.levels, 1, 10, multipole_place);
  require_count("samples", m.samples, 1, detail::max_width, multipole_place);
  require_count("neighbours", m.neighbours, 0, detail::max_width, multipole_place);
  require_count("kernel_width", m.kernel_width, 1, detail::max_width, multipole_place);
  require_count("kernel_depth", m.kernel_depth, 1, Mlp::max_depth, multipole_place);
  require_count("projection", m.projection, 0, detail::max_width, multipole_place);
  detail::require_between_layers(m.activation, multipole_place);
  detail::require_radius(m.radius, multipole_place);
  if (m.samples >> (2 * (m.levels - 1)) < 1) {
    throw Error(
        fmt::format("{} samples on level 1 leave no point on level {}", m.samples, m.levels),
        multipole_place, "take more samples or fewer levels");
  }
}

/// The points of a level, its pairs, and what the kernels of those see.
struct MultipoleLevel {
  detail::PointSet points;
  std::vector<int> sizes;
  int features = -1;  ///< a and the positions at the points
};
struct MultipoleKernel {
  detail::PairTables pairs;
  int features;  ///< at the pairs
};

/// Means over the neighbours, at most `most` (0: all), that a level has in another one.
MultipoleKernel kernel_between(TensorGraph& graph, const MultipoleLevel& to,
                               const MultipoleLevel& from, double radius, int most, int channels) {
  detail::PairTables pairs(
      detail::near_pairs(to.points, from.points, radius, static_cast<std::size_t>(most)));
  detail::require_pairs(pairs.size(), channels, multipole_place);
  const int features = detail::add_pair_features(graph, pairs, to.features, from.features);
  return {std::move(pairs), features};
}

}  // namespace

int add_field_network(TensorGraph& graph, const MultipoleOperator& m, int input,
                      const FieldGrid& grid, int n_outputs) {
  check_multipole(m);
  detail::require_field(graph, input, grid, n_outputs, true, multipole_place);
  const std::vector<int> sizes = graph.shape(input).grid;
  std::vector<MultipoleLevel> levels{{detail::points_of(grid, multipole_place), sizes}};
  levels[0].features = graph.concatenate(
      std::array{input, detail::add_positions(graph, levels[0].points, 0, sizes)});
  const std::vector<std::size_t> chosen =
      detail::nystrom_points(levels[0].points, m.samples, m.seed, multipole_place);
  const auto n_levels = static_cast<std::size_t>(m.levels);
  for (std::size_t l = 1; l <= n_levels; ++l) {
    const std::span<const std::size_t> of_level =
        std::span(chosen).first(chosen.size() >> (2 * (l - 1)));
    levels.push_back({detail::chosen_points(levels[0].points, of_level),
                      {static_cast<int>(of_level.size())},
                      detail::at_points(graph, levels[0].features, of_level)});
  }
  std::vector<MultipoleKernel> inside, down, up;  // K_ll, K_{l+1,l}, K_{l,l+1}
  const int channels = std::max(m.kernel_width, m.width);
  const auto between = [&](std::size_t to, std::size_t from, double radius, int most) {
    return kernel_between(graph, levels[to], levels[from], radius, most, channels);
  };
  for (std::size_t l = 0; l < n_levels; ++l) {
    const double radius = m.radius * static_cast<double>(1 << l);
    inside.push_back(between(l, l, radius, m.neighbours));
    down.push_back(between(l + 1, l, 2 * radius, m.neighbours));
    up.push_back(between(l, l + 1, 2 * radius, m.neighbours));
  }
  // The box has sides of 1: no two points are farther apart than 2.
  inside.push_back(between(n_levels, n_levels, 2, 0));

  const detail::KernelLayers layers{m.width, m.kernel_width, m.kernel_depth, KernelForm::diagonal,
                                    m.activation};
  const auto applied = [&](const MultipoleKernel& kernel, int v, const std::vector<int>& to) {
    const int k = detail::add_kernel(graph, layers, kernel.features);
    return detail::add_integral(graph, kernel.pairs, KernelForm::diagonal, k, v, to);
  };
  int v = graph.linear(levels[0].features, m.width, Activation::identity, true, "lifting");
  for (int cycle = 0; cycle < m.cycles; ++cycle) {
    std::vector<int> values{v};
    for (std::size_t l = 0; l < n_levels; ++l) {
      values.push_back(
          graph.activation(applied(down[l], values[l], levels[l + 1].sizes), m.activation));
    }
    for (std::size_t l = n_levels + 1; l-- > 0;) {
      int sum = applied(inside[l], values[l], levels[l].sizes);
      if (l < n_levels) sum = graph.add(sum, applied(up[l], values[l + 1], levels[l].sizes));
      const bool last = l == 0 && cycle + 1 == m.cycles;
      values[l] = graph.linear(values[l], m.width, last ? Activation::identity : m.activation, true,
                               "local", sum);
    }
    v = values[0];
  }
  return detail::add_point_layers(graph, v, m.projection, n_outputs, m.activation, "projection");
}

void visit_options(MultipoleOperator& m, OptionVisitor& v) {
  v.count("width", m.width, 1, detail::max_width);
  v.count("cycles", m.cycles, 1, Mlp::max_depth);
  v.count("levels", m.levels, 1, 10);
  v.count("samples", m.samples, 1, detail::max_width);
  v.number("radius", m.radius, NumberRange::positive);
  v.count("neighbours", m.neighbours, 0, detail::max_width);
  detail::visit_kernel_sizes(m.kernel_width, m.kernel_depth, v);
  v.seed("seed", m.seed);
  detail::visit_last_layers(m.projection, m.activation, v);
  v.check([&] { check_multipole(m); });
}

std::string describe(const MultipoleOperator& m) {
  return fmt::format("multipole operator of width {}, {} cycles over {} coarser levels of {}",
                     m.width, m.cycles, m.levels, m.samples);
}

}  // namespace cauchy
