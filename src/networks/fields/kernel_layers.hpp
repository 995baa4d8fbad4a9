#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/options.hpp>
#include <cauchy/networks/kernel_operator.hpp>

#include "networks/fields/point_pairs.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy::detail {

/// A kernel that is learnt: fully connected on pairs of points.
struct KernelLayers {
  int width = 1;  ///< channels of what it is applied to
  int hidden = 1, depth = 1;
  KernelForm form = KernelForm::diagonal;
  Activation activation = Activation::gelu;
};
/// k of the features [F, pairs]: [width or width^2, pairs]; around the unit matrix at the start.
int add_kernel(TensorGraph& graph, const KernelLayers& kernel, int features);
/// sum_y w(x, y) k(x, y) v(y): k [width or width^2, pairs], v [width, keys] to [width, sizes].
int add_integral(TensorGraph& graph, const PairTables& pairs, KernelForm form, int k, int v,
                 std::vector<int> sizes);
/// The features of pairs: [p(x), f(x), p(y), f(y)].
int add_pair_features(TensorGraph& graph, const PairTables& pairs, int queries, int keys);

/// Throws Error at `place` when the largest array over the pairs of points would have more than
/// 2^31 numbers.
void require_pairs(std::size_t pairs, int channels, std::string_view place);

/// Throws Error at `place` unless it is positive and finite.
void require_radius(double radius, std::string_view place);
/// The numbers of `samples` of the points, evenly spread; none for 0, which means all.
///   error    throws Error at `place` for more samples than points
[[nodiscard]] std::vector<std::size_t> nystrom_points(const PointSet& points, int samples,
                                                      std::uint64_t seed, std::string_view place);

/// The layers that KernelOperator and GraphOperator share.
struct KernelStack {
  KernelFamily family;
  KernelLayers kernel;
  int depth, projection;
};
/// `chosen`: the points that are keys of the pairs; empty: all.
int add_kernel_stack(TensorGraph& graph, const KernelStack& stack, int input,
                     const PointSet& points, const std::vector<std::size_t>& chosen,
                     const PairTables& pairs, int n_outputs);
void check_kernel_stack(const KernelStack& stack, std::string_view place);

template <class Options>
KernelStack kernel_stack_of(const Options& o) {
  return {o.family,
          {o.width, o.kernel_width, o.kernel_depth, o.form, o.activation},
          o.depth,
          o.projection};
}
/// "f2 kernels, width 32, 4 layers".
[[nodiscard]] std::string describe_kernel_stack(const KernelStack& stack);
void visit_kernel_sizes(int& width, int& depth, OptionVisitor& visitor);
template <class Options>
void visit_kernel_options(Options& o, OptionVisitor& v) {
  v.word("family", o.family,
         {{"f1", KernelFamily::f1}, {"f2", KernelFamily::f2}, {"f3", KernelFamily::f3}});
  v.word("form", o.form, {{"diagonal", KernelForm::diagonal}, {"matrix", KernelForm::matrix}});
  visit_layer_sizes(o.width, o.depth, v);
  visit_kernel_sizes(o.kernel_width, o.kernel_depth, v);
}
/// projection and activation.
void visit_last_layers(int& projection, Activation& activation, OptionVisitor& visitor);

}  // namespace cauchy::detail
