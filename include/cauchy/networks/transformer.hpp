#pragma once

#include <string>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Transformer (Vaswani et al. 2017, layer normalisation first) on grids and clouds; with patches a
/// vision transformer (Dosovitskiy et al. 2020).
///   tokens  z = E patch(a) + G p(x)
///   block   z <- z + O attention(A n, B n, R n), n = N_1(z);  z <- z + A_2 s(A_1 N_2(z) + b_1) +
///   b_2 out     u = unpatch(W N(z) + b)
/// Attention is that of AttentionOperator, keys weighed by the quadrature weights of their patches;
/// E, A, B, R, O have biases. p: harmonics of the centres of the patches, hence for every grid.
///   parameters  c channels in, q points of a patch, p position features, w width, h hidden:
///               (c q + 1) w + p w + depth (4 (w + 1) w + 2 w h + h + w + 4 w) + 2 w + (w + 1) o q
///   cost        O(tokens^2 width + tokens width (width + hidden)) per block
struct Transformer {
  int width = 64;
  int depth = 4;
  int heads = 4;
  std::vector<int> patch = {1};  ///< points along each axis; one number: for all; clouds: 1
  int hidden = 256;              ///< of the layers of channels
  int positions = 4;             ///< harmonics along each axis
  Activation activation = Activation::gelu;
  double dropout = 0;  ///< behind attention and channels
};

///   error    throws Error on options outside their ranges, heads that do not divide the width,
///            patches that do not divide the grid
int add_field_network(TensorGraph& graph, const Transformer& network, int input,
                      const FieldGrid& grid, int n_outputs);
void visit_options(Transformer& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const Transformer& network);

}  // namespace cauchy
