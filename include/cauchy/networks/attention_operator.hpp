#pragma once

#include <cstdint>
#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Attention as a kernel operator, on grids and clouds.
///   v_{l+1}(x) = s(W v_l(x) + b + sum_j p_j(x) R v_l(y_j)), no s behind the last layer
///   p_j(x) = w_j exp(A v_l(x) . B v_l(y_j) / sqrt(d)) / sum_i w_i exp(A v_l(x) . B v_l(y_i) /
///   sqrt(d))
/// The p_j(x) add up to 1 over the keys y_j; w_j: quadrature weights, so that more points change
/// nothing in the limit. Several heads share the channels, d = width / heads, and a matrix mixes
/// them. v_0 = P (a, positions), u = Q v_depth, one hidden layer of `projection` channels.
///   positions   cos and sin of that many harmonics along each axis (and x itself where the axis is
///               not periodic); 0: none, and then the operator does not know where points are
///   samples     keys are that many of the points, as KernelOperator; 0: all
///   parameters  per layer 4 w^2 + w, one head; several: 5 w^2 + w
///   cost        O(n_points keys width) per layer
struct AttentionOperator {
  int width = 64;
  int depth = 4;
  int heads = 4;
  int positions = 4;
  int samples = 0;
  std::uint64_t seed = 1;
  int projection = 128;
  Activation activation = Activation::gelu;
};

///   error    throws Error on options outside their ranges, heads that do not divide the width,
///   more
///            samples than points
int add_field_network(TensorGraph& graph, const AttentionOperator& network, int input,
                      const FieldGrid& grid, int n_outputs);
void visit_options(AttentionOperator& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const AttentionOperator& network);

}  // namespace cauchy
