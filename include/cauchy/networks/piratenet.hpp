#pragma once

#include <cstdint>
#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Physics-informed residual adaptive network (Wang, Li, Chen and Perdikaris 2024): blocks that are
/// the identity at the start, so that the network begins as a linear function of its embedding and
/// grows deep as the training asks for it.
///   x_1 = cos(B x), sin(B x) of k Fourier features; k = 0: s(W x + b) with `width` rows
///   U = s(A x_1 + a),  V = s(C x_1 + c),  e rows of x_1
///   f = s(W1 x_l + b1),  y = (1 - f) U + f V
///   g = s(W2 y + b2),    z = (1 - g) U + g V
///   x_{l+1} = x_l + alpha_l (s(W3 z + b3) - x_l),  alpha_l trainable, at the start `alpha`
/// then one linear layer, which `last_layer = "least_squares"` of a PINN fits before the first
/// step. Parameters for n inputs, width w, m fields and L blocks, e = 2 k (or w):
///   2 (e + 1) w + L ((e + 1) w + (w + 1) w + (w + 1) e + 1) + (e + 1) m, and (n + 1) w when k = 0
/// Factorised layers as those of Mlp, one number per row more.
struct Piratenet {
  static constexpr int max_blocks = 100;
  int width = 32;
  int blocks = 2;
  Activation activation = Activation::tanh;
  double alpha = 0;
  int fourier = 16;  ///< k
  double fourier_scale = 1;
  std::uint64_t fourier_seed = 1;
  bool factorized = true;
  double factor_mean = 0.5;
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Piratenet& network, int input, int n_outputs);

/// width, blocks, activation, alpha, factorized, factor_mean, fourier, fourier_scale, fourier_seed.
void visit_options(Piratenet& network, OptionVisitor& visitor);
/// For people: "2 residual blocks of 32 tanh, 16 Fourier features, factorised".
[[nodiscard]] std::string describe(const Piratenet& network);

}  // namespace cauchy
