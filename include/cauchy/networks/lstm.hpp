#pragma once

#include <string>

#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al.
/// 2000): a state h and a memory c go along a short sequence of times that ends at the point,
///   x_j = (x, t - (sequence - 1 - j) step),  j = 0 ... sequence - 1;  h = c = 0 before
///   i, f, o = sigmoid(W_i (x_j, h) + b_i), sigmoid(W_f (x_j, h) + b_f + 1), sigmoid(W_o ...)
///   g = tanh(W_g (x_j, h) + b_g),  c <- f c + i g,  h <- o tanh(c)
/// and a linear layer on the last h is the answer. The 1 lets memory last at the start, when
/// biases are 0 (Jozefowicz et al. 2015). A further layer reads the states of the one before in
/// place of x_j. All times share all weights. Parameters for n inputs, width w, L layers, m fields:
///   4 (n + w + 1) w + 4 (L - 1) (2 w + 1) w + (w + 1) m
struct Lstm {
  static constexpr int max_layers = 100, max_sequence = 1000;
  int width = 16;      ///< rows of state and memory
  int layers = 1;      ///< cells on top of one another
  int sequence = 5;    ///< times
  double step = 0.05;  ///< between them, in units of the input ([-1, 1])
  int time = 0;        ///< the input that is the time: the first one in a problem with time
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Lstm& network, int input, int n_outputs);

/// width, layers, sequence, step, time.
void visit_options(Lstm& network, OptionVisitor& visitor);
/// For people: "lstm, 5 times, 1 layer of 16".
[[nodiscard]] std::string describe(const Lstm& network);

}  // namespace cauchy
