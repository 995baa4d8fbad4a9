#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Convolutional network on grids of 1 to 3 axes: `depth` layers v <- s(K * v + b), then a linear
/// layer in every point. With levels > 0 an encoder and a decoder without connections beside: each
/// level halves the grid by a convolution of stride 2 and doubles the channels, the decoder goes
/// back by transposed convolutions; the `depth` layers lie between them.
///   border      periodic along periodic axes, zero elsewhere
///   resolution  a kernel covers points, not a length: answers depend on the grid
///   parameters  plain, c channels in, o out, k^n points: (c k^n + 1) w + (d - 1) (w k^n + 1) w
///               + (w + 1) o
struct Cnn {
  int width = 32;
  int depth = 4;
  int kernel = 3;  ///< points along each axis, odd
  int levels = 0;
  Activation activation = Activation::gelu;
  bool coordinates = true;  ///< as Fno
};

///   error    throws Error on options outside their ranges, a cloud, a grid that 2^levels does not
///            divide
int add_field_network(TensorGraph& graph, const Cnn& network, int input, const FieldGrid& grid,
                      int n_outputs);
void visit_options(Cnn& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const Cnn& network);

}  // namespace cauchy
