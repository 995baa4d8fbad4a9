#include "networks/fields/kernel_layers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "networks/fields/field_layers.hpp"

namespace cauchy::detail {

int add_kernel(TensorGraph& graph, const KernelLayers& kernel, int features) {
  int h = features;
  for (int l = 0; l < kernel.depth; ++l) {
    h = graph.linear(h, kernel.hidden, kernel.activation, true, "kernel");
  }
  // The unit matrix at the start: the integral is a mean of v, and signals pass through many of
  // them.
  const bool matrix = kernel.form == KernelForm::matrix;
  const auto w = static_cast<std::size_t>(kernel.width);
  std::vector<double> unit(matrix ? w * w : w, matrix ? 0.0 : 1.0);
  for (std::size_t c = 0; c < w; ++c) unit[matrix ? c * w + c : c] = 1;
  const int k =
      graph.linear(h, static_cast<int>(unit.size()), Activation::identity, true, "kernel");
  graph.start_bias_at(k, std::move(unit));
  return k;
}

int add_integral(TensorGraph& graph, const PairTables& pairs, KernelForm form, int k, int v,
                 std::vector<int> sizes) {
  const int at_keys = pairs.at_keys(graph, v);
  const int product = form == KernelForm::matrix
                          ? graph.matrix_vector(k, at_keys, graph.shape(v).channels)
                          : graph.multiply(k, at_keys);
  return pairs.sum(graph, product, std::move(sizes));
}

int add_pair_features(TensorGraph& graph, const PairTables& pairs, int queries, int keys) {
  return graph.concatenate(
      std::array{pairs.at_queries(graph, queries), pairs.at_keys(graph, keys)});
}

void require_pairs(std::size_t pairs, int channels, std::string_view place) {
  constexpr double most = 1 << 28;  // 1 GiB of f32, several times in a step
  if (static_cast<double>(pairs) * channels <= most) return;
  throw Error(ErrorKind::memory,
              fmt::format("{} pairs of points with {} numbers each are too many", pairs, channels),
              place, "take fewer samples or neighbours, a smaller radius, or low_rank");
}

void require_radius(double radius, std::string_view place) {
  if (radius > 0 && std::isfinite(radius)) return;
  throw Error(fmt::format("radius must be positive, got {}", radius), place);
}

std::vector<std::size_t> nystrom_points(const PointSet& points, int samples, std::uint64_t seed,
                                        std::string_view place) {
  const auto m = static_cast<std::size_t>(samples);
  if (m <= points.size()) return farthest_first(points, m, seed);
  throw Error(fmt::format("{} samples are more than the {} points", samples, points.size()), place,
              "take fewer, or 0 for all points");
}

void check_kernel_stack(const KernelStack& s, std::string_view place) {
  require_count("width", s.kernel.width, 1, s.kernel.form == KernelForm::matrix ? 1000 : max_width,
                place);
  require_count("depth", s.depth, 1, Mlp::max_depth, place);
  require_count("kernel_width", s.kernel.hidden, 1, max_width, place);
  require_count("kernel_depth", s.kernel.depth, 1, Mlp::max_depth, place);
  require_count("projection", s.projection, 0, max_width, place);
  require_between_layers(s.kernel.activation, place);
}

int add_kernel_stack(TensorGraph& graph, const KernelStack& stack, int input,
                     const PointSet& points, const std::vector<std::size_t>& chosen,
                     const PairTables& pairs, int n_outputs) {
  const std::vector<int> sizes = graph.shape(input).grid;
  const auto keys_of = [&](int x) { return chosen.empty() ? x : at_points(graph, x, chosen); };
  const int positions = add_positions(graph, points, 0, sizes);
  const int given = graph.concatenate(std::array{input, positions});
  const Activation activation = stack.kernel.activation;
  int v = graph.linear(given, stack.kernel.width, Activation::identity, true, "lifting");
  int features = -1;  // those of f1 and f2 are the same for all layers
  for (int l = 0; l < stack.depth; ++l) {
    const int v_keys = keys_of(v);
    if (l == 0 || stack.family == KernelFamily::f3) {
      int f = stack.family == KernelFamily::f1 ? positions : given;
      if (stack.family == KernelFamily::f3) f = graph.concatenate(std::array{v, positions});
      features = add_pair_features(graph, pairs, f, keys_of(f));
    }
    const int k = add_kernel(graph, stack.kernel, features);
    const int integral = add_integral(graph, pairs, stack.kernel.form, k, v_keys, sizes);
    v = graph.linear(v, stack.kernel.width, l + 1 < stack.depth ? activation : Activation::identity,
                     true, "local", integral);
  }
  return add_point_layers(graph, v, stack.projection, n_outputs, activation, "projection");
}

std::string describe_kernel_stack(const KernelStack& s) {
  return fmt::format("{} kernels{}, width {}, {} layers",
                     std::array{"f1", "f2", "f3"}[static_cast<std::size_t>(s.family)],
                     s.kernel.form == KernelForm::matrix ? " (matrices)" : "", s.kernel.width,
                     s.depth);
}

void visit_kernel_sizes(int& width, int& depth, OptionVisitor& v) {
  v.count("kernel_width", width, 1, max_width);
  v.count("kernel_depth", depth, 1, Mlp::max_depth);
}

void visit_last_layers(int& projection, Activation& activation, OptionVisitor& v) {
  v.count("projection", projection, 0, max_width);
  visit_activation(activation, v);
}

}  // namespace cauchy::detail
