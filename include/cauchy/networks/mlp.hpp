#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

/// Fully connected network: `depth` hidden layers of `width` features, then one linear layer with
/// one row per field. Parameters for n inputs and m fields:
///   (n + 1) w + (d - 1) (w + 1) w + (w + 1) m
struct Mlp {
  int width = 20;
  int depth = 4;
  Activation activation = Activation::tanh;
  bool adaptive_slope = false;  ///< s(a z) with one trainable a per layer
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when width, depth or n_outputs is not positive
int add_mlp(Graph& graph, const Mlp& mlp, int input, int n_outputs);

/// The whole network from the coordinates to the fields.
[[nodiscard]] Graph make_network(const Mlp& mlp, std::vector<std::string> coordinates,
                                 std::span<const std::string> fields);

}  // namespace cauchy
