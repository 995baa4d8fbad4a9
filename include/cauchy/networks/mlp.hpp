#pragma once

#include <cstdint>
#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Fully connected network: `depth` hidden layers of `width` features, then one linear layer with
/// one row per field. Parameters for n inputs and m fields:
///   (n + 1) w + (d - 1) (w + 1) w + (w + 1) m
/// With k Fourier features the first layer sees cos(B x) and sin(B x) in place of x, n = 2 k; the k
/// rows of B are normal with standard deviation fourier_scale, drawn once and never trained.
/// Factorised layers are diag(exp(s)) V x + b with trainable s, V and b (random weight
/// factorisation), one number per row more; they start as plain ones, s normal around factor_mean
/// with standard deviation 0.1.
struct Mlp {
  /// No plain network of so many layers trains, and a plan takes time like the square of them.
  static constexpr int max_depth = 1000;
  int width = 20;
  int depth = 4;
  Activation activation = Activation::tanh;
  bool adaptive_slope = false;  ///< s(a z) with one trainable a per layer
  int fourier = 0;              ///< Fourier features; 0: none
  double fourier_scale = 1;     ///< of their frequencies, for inputs in [-1, 1]
  std::uint64_t fourier_seed = 1;
  bool factorized = false;
  double factor_mean = 0.5;
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Mlp& mlp, int input, int n_outputs);

/// width, depth, activation, adaptive_slope, fourier, fourier_scale, fourier_seed, factorized,
/// factor_mean.
void visit_options(Mlp& mlp, OptionVisitor& visitor);
/// For people: "20 x 5 tanh, 16 Fourier features, factorised".
[[nodiscard]] std::string describe(const Mlp& mlp);

}  // namespace cauchy
