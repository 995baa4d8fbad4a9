#pragma once

#include <cstdint>
#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Fully connected network whose layers choose between two encodings of the inputs (Wang, Teng and
/// Perdikaris 2021):
///   U = s(A x + a),  V = s(B x + b),  h_0 = x
///   z_l = s(W_l h_{l-1} + b_l),  h_l = (1 - z_l) U + z_l V   for l = 1 ... depth
/// then one linear layer. Parameters for n inputs, width w, depth d and m fields:
///   3 (n + 1) w + (d - 1) (w + 1) w + (w + 1) m
/// Fourier features and factorised layers as those of Mlp: n = 2 k, and one number per row more.
struct ModifiedMlp {
  int width = 20;
  int depth = 4;
  Activation activation = Activation::tanh;
  int fourier = 0;  ///< Fourier features; 0: none
  double fourier_scale = 1;
  std::uint64_t fourier_seed = 1;
  bool factorized = false;
  double factor_mean = 0.5;
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const ModifiedMlp& network, int input, int n_outputs);

/// width, depth, activation, factorized, factor_mean, fourier, fourier_scale, fourier_seed.
void visit_options(ModifiedMlp& network, OptionVisitor& visitor);
/// For people: "20 x 4 tanh between two encoders".
[[nodiscard]] std::string describe(const ModifiedMlp& network);

}  // namespace cauchy
