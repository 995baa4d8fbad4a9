#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Trainable slopes a of s(a z), at the start 1: none, one for all hidden layers, one per layer, or
/// one per feature.
enum class Slope : std::uint8_t { none, network, layer, neuron };

/// Fully connected network: hidden layers h_l = s(W_l h_{l-1} + b_l) of the widths w_1 ... w_d,
/// then one linear layer with one row per field. Parameters for n = w_0 inputs and m fields:
///   sum_l (w_{l-1} + 1) w_l + (w_d + 1) m
/// With k Fourier features the first layer sees cos(B x) and sin(B x) in place of x, n = 2 k; the k
/// rows of B are normal with standard deviation fourier_scale, drawn once and never trained.
/// Options that add parameters and let the network start as the plain one:
///   slope        s(a z): 1, d or w_1 + ... + w_d slopes
///   factorized   diag(exp(s)) V x + b in every layer (random weight factorisation), one s per row;
///                s is normal around factor_mean with standard deviation 0.1
///   weight_norm  g v / |v| for the rows of hidden layers, one g per row
/// Options that make another network:
///   skip         h_{l+k} gets h_l added, for l = 1, 1 + k, 1 + 2k, ... as long as h_{l+k} exists
///   layer_norm   s(N(W h + b)), N normalises the features of a point; scale and shift per feature
struct Mlp {
  /// No plain network of so many layers trains, and a plan takes time like the square of them.
  static constexpr int max_depth = 1000;
  int width = 20;  ///< of all hidden layers
  int depth = 4;   ///< number of hidden layers
  /// Widths of the hidden layers, one by one, in place of width and depth; empty: those.
  std::vector<int> widths = {};
  Activation activation = Activation::tanh;
  Slope slope = Slope::none;
  int fourier = 0;           ///< Fourier features; 0: none
  double fourier_scale = 1;  ///< of their frequencies, for inputs in [-1, 1]
  std::uint64_t fourier_seed = 1;
  bool factorized = false;
  double factor_mean = 0.5;
  bool weight_norm = false;
  bool layer_norm = false;
  int skip = 0;  ///< layers between the ends of a skip connection; 0: none
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range, when the ends of a skip connection
///            differ in width or there is none, when weights are to be normalised and factorised
int add_network(Graph& graph, const Mlp& mlp, int input, int n_outputs);

/// width and depth, or widths; activation, slope, skip, layer_norm, weight_norm, factorized,
/// factor_mean, fourier, fourier_scale, fourier_seed.
void visit_options(Mlp& mlp, OptionVisitor& visitor);
/// For people: "20 x 5 tanh, 16 Fourier features, factorised", "64-32 tanh".
[[nodiscard]] std::string describe(const Mlp& mlp);

}  // namespace cauchy
