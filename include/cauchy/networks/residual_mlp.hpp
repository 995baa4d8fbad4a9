#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// The residual blocks of the Deep Ritz method (E and Yu 2018): two layers and the input of the
/// block, which the first block fills up with zeros,
///   h_0 = (x, 0 ... 0),  h_b = h_{b-1} + s(V_b s(W_b h_{b-1} + a_b) + c_b)   for b = 1 ... blocks
/// then one linear layer. The first W sees x alone. Parameters for n inputs, width w, B blocks and
/// m fields:
///   (n + 1) w + (2 B - 1) (w + 1) w + (w + 1) m,   151 + 220 (B - 1) for n = 2, w = 10, m = 1
struct ResidualMlp {
  static constexpr int max_blocks = 500;
  int width = 10;
  int blocks = 4;
  Activation activation = Activation::tanh;
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range, or there are more inputs than width
int add_network(Graph& graph, const ResidualMlp& network, int input, int n_outputs);

/// width, blocks, activation.
void visit_options(ResidualMlp& network, OptionVisitor& visitor);
/// For people: "4 residual blocks of 10 tanh".
[[nodiscard]] std::string describe(const ResidualMlp& network);

}  // namespace cauchy
