#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Residual convolutional network (He et al. 2016, pre-activation) on grids of 1 to 3 axes.
///   v_0 = K * a + b,  v <- v + K_2 * s N_2(K_1 * s N_1(v)) for every block,  u = W s N(v) + b
/// N: group normalisation with scale and shift per channel.
///   resolution  a kernel covers points, not a length: answers depend on the grid
///   parameters  c channels in, o out, k^n points, B blocks:
///               (c k^n + 1) w + B (2 w^2 k^n + 6 w) + 2 w + (w + 1) o
struct Resnet {
  int width = 32;
  int blocks = 6;
  int kernel = 3;  ///< points along each axis, odd
  int groups = 1;  ///< of the normalisation; more of them forget more of the size of v; 0: none
  Activation activation = Activation::gelu;
  bool coordinates = true;  ///< as Fno
};

///   error    throws Error on options outside their ranges, a cloud, groups that do not divide the
///            width
int add_field_network(TensorGraph& graph, const Resnet& network, int input, const FieldGrid& grid,
                      int n_outputs);
void visit_options(Resnet& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const Resnet& network);

}  // namespace cauchy
