#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Law of the random weights of an Elm: entries of [-1, 1], or standard normal ones.
enum class FeatureLaw : std::uint8_t { uniform, normal };

/// Extreme learning machine: random features that are never trained, and one linear layer that is.
///   u(x) = sum_k a_k s(w_k . x + b_k) + a_0,   w_k = scale * random,   b_k = -w_k . c_k
/// The centres c_k are even in [-1, 1]^n, so that every feature turns within the inputs, whatever
/// the scale (sin, cos: b_k is an even angle instead). With a depth of several layers the features
/// pass through `depth` - 1 random layers of the same width. Parameters for m fields:
///   (features + 1) m
/// All of them enter linearly: a linear problem is one linear least-squares problem.
struct Elm {
  int features = 400;
  int depth = 1;
  Activation activation = Activation::sin;
  FeatureLaw law = FeatureLaw::uniform;
  double scale = 0;  ///< 0: automatic_scale()
  /// Factors of the scale, one per input of the first layer: answers need not vary as much along
  /// every axis. Empty: 1.
  std::vector<double> stretch = {};
  std::uint64_t seed = 1;
};

/// The scale of the weights for n inputs in [-1, 1]: c features^(1/n), where c is such that about
/// all features are independent to rounding. A smaller scale wastes features, a larger one resolves
/// more than smooth answers have, and less accurately.
[[nodiscard]] double automatic_scale(const Elm& elm, int n_inputs);

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Elm& elm, int input, int n_outputs);

/// features, depth, activation, law, scale, stretch, seed.
void visit_options(Elm& elm, OptionVisitor& visitor);
/// For people: "400 random sin features".
[[nodiscard]] std::string describe(const Elm& elm);

}  // namespace cauchy
