#pragma once

#include <string>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Adaptive Fourier neural operator (Guibas et al. 2021) on grids of 1 to 3 axes.
///   tokens  z = E patch(a) + G p(x): patches of the grid, and harmonics p of their centres
///   block   z <- z + M N_1(z),  z <- z + A_2 s(A_1 N_2(z) + b_1) + b_2; N: layer normalisation
///   mixer   M z = F^-1 S_lambda(W_2 relu(W_1 c + b_1) + b_2), c = F z
///   out     u = unpatch(W N(z) + b)
/// W_i are complex, the same for all modes, with `blocks` diagonal blocks; relu and S_lambda act on
/// real and imaginary parts. c are Fourier coefficients (1/N sum), which do not grow with the
/// number of tokens; published code has sqrt(N) times these, and its lambda as well.
///   sparsity    lambda: S_lambda(Wc) minimises |y - Wc|^2 / 2 + lambda |y|_1
///   kept        part of the frequencies along every axis, in both bands: the lowest ones; others
///               become 0 before M's inverse transform
///   positions   of the patches by harmonics, hence for every grid; 0: none
///   symmetry    M does not commute with translations, which turn c by a phase that relu and
///               S_lambda do not respect; Fno does
///   parameters  c channels in, q points of a patch, p position features, w width, h hidden:
///               (c q + 1) w + p w + depth (4 w^2 / blocks + 4 w + 2 w h + h + w + 4 w) + 2 w
///               + (w + 1) o q
struct Afno {
  int width = 64;
  int depth = 4;
  std::vector<int> patch = {4};  ///< points along each axis; one number: for all
  int blocks = 8;                ///< of the complex matrices; they divide the width
  double sparsity = 0.001;
  double kept = 1;
  int hidden = 256;   ///< of the layers of channels
  int positions = 4;  ///< harmonics along each axis
  Activation activation = Activation::gelu;
  double dropout = 0;  ///< behind mixer and channels
};

///   error    throws Error on options outside their ranges, a cloud, patches that do not divide the
///            grid, blocks that do not divide the width
int add_field_network(TensorGraph& graph, const Afno& network, int input, const FieldGrid& grid,
                      int n_outputs);
void visit_options(Afno& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const Afno& network);

}  // namespace cauchy
