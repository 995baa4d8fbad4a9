#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// The gated network of the Deep Galerkin Method (Sirignano and Spiliopoulos 2018): every layer
/// sees the inputs x again, and gates decide what it keeps,
///   S = s(W x + b),  then for every layer
///   Z = s(U_z x + W_z S + b_z),  G = s(U_g x + W_g S_1 + b_g),  R = s(U_r x + W_r S + b_r)
///   H = s(U_h x + W_h (S R) + b_h),  S <- (1 - G) H + Z S
/// then one linear layer. S_1 is the first S, as in the paper; common programs take the S of the
/// layer. Parameters for n inputs, width w, L layers and m fields:
///   (n + 1) w + 4 L (n + w + 1) w + (w + 1) m
struct Dgm {
  static constexpr int max_layers = 100;
  int width = 20;
  int layers = 3;
  Activation activation = Activation::tanh;
  bool first_state = true;  ///< G sees S_1; false: the S of its layer
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Dgm& network, int input, int n_outputs);

/// width, layers, activation, first_state.
void visit_options(Dgm& network, OptionVisitor& visitor);
/// For people: "3 gated layers of 20 tanh".
[[nodiscard]] std::string describe(const Dgm& network);

}  // namespace cauchy
