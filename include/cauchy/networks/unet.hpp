#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// U-Net (Ronneberger et al. 2015) on grids of 1 to 3 axes. B: twice a convolution of 3^n points,
/// group normalisation with scale and shift, and s.
///   down  d_0 = B a,  d_{l+1} = B maxpool(d_l), 2 points along each axis; width 2^l channels
///   up    u_L = d_L,  u_l = B [d_l, T u_{l+1}],  T: transposed convolution of 2^n points, stride 2
///   out   W u_0 + b
///   resolution  kernels cover points, not a length: answers depend on the grid
///   parameters  with k = 3^n, t = 2^n, B(c, w) = k c w + k w^2 + 4 w and w_l = 2^l w:
///               B(c, w) + sum_{l=1}^L [B(w_{l-1}, w_l) + B(2 w_{l-1}, w_{l-1})
///               + t w_l w_{l-1} + w_{l-1}] + (w + 1) o
struct Unet {
  int width = 32;
  int levels = 3;
  /// Of the normalisation; more of them forget more of the size of v; 0: none, and then
  /// convolutions have biases.
  int groups = 1;
  Activation activation = Activation::gelu;
  bool coordinates = true;  ///< as Fno
};

///   error    throws Error on options outside their ranges, a cloud, a grid that 2^levels does not
///            divide, groups that do not divide the width
int add_field_network(TensorGraph& graph, const Unet& network, int input, const FieldGrid& grid,
                      int n_outputs);
void visit_options(Unet& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const Unet& network);

}  // namespace cauchy
