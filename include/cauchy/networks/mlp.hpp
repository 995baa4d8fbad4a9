#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Fully connected network: `depth` hidden layers of `width` features, then one linear layer with
/// one row per field. Parameters for n inputs and m fields:
///   (n + 1) w + (d - 1) (w + 1) w + (w + 1) m
struct Mlp {
  /// No plain network of so many layers trains, and a plan takes time like the square of them.
  static constexpr int max_depth = 1000;
  int width = 20;
  int depth = 4;
  Activation activation = Activation::tanh;
  bool adaptive_slope = false;  ///< s(a z) with one trainable a per layer
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when width, depth or n_outputs is not positive, or depth too large
int add_network(Graph& graph, const Mlp& mlp, int input, int n_outputs);

/// width, depth, activation, adaptive_slope.
void visit_options(Mlp& mlp, OptionVisitor& visitor);
/// For people: "20 x 5 tanh".
[[nodiscard]] std::string describe(const Mlp& mlp);

}  // namespace cauchy
