#pragma once

#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// PINNsFormer (Zhao et al. 2024): attention over a short sequence of times.
///   tokens   z_j = M (x, t + j step) + m for j = 0 ... sequence - 1 (spatio-temporal mixer)
///   encoder  `layers` times: z += attention(s(z), s(z)), z += F(s(z)); then s
///   decoder  the same from z, with keys and values of the encoder alone: no self-attention; then s
///   answer   the first token through two hidden layers; all of them with add_tokens()
/// s is the wavelet a sin + b cos with trainable a, b; F has two hidden layers of `feedforward`
/// rows. All tokens share all weights; there is no positional embedding: the times tell them apart.
/// Parameters for n inputs, m fields, w = width, f = feedforward, with P(a, b) = (a + 1) b:
///   P(n, w) + 2 layers (4 P(w, w) + P(w, f) + P(f, f) + P(f, w) + 8) + 4
///   + P(w, f) + P(f, f) + P(f, m) + 4
struct Pinnsformer {
  int width = 16;        ///< of a token; a multiple of heads
  int heads = 2;         ///< of every attention
  int layers = 1;        ///< of the encoder, and of the decoder
  int feedforward = 32;  ///< rows of hidden layers
  int sequence = 5;      ///< tokens
  double step = 0.01;    ///< between the times of tokens, in units of the input ([-1, 1])
  int time = 0;          ///< the input that is the time: the first one in a problem with time
  /// In the loss of a PINN equations and boundary conditions hold for every token at its own time.
  bool sequential = false;
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Pinnsformer& former, int input, int n_outputs);
/// The same layers with the answers of all tokens, the first one that of add_network(): one value
/// each, which stands for the fields at the time of its token. The parameters are the same.
[[nodiscard]] std::vector<int> add_tokens(Graph& graph, const Pinnsformer& former, int input,
                                          int n_outputs);

/// width, heads, layers, feedforward, sequence, step, time, sequential.
void visit_options(Pinnsformer& former, OptionVisitor& visitor);
/// For people: "pinnsformer, 5 tokens of 16, 2 heads".
[[nodiscard]] std::string describe(const Pinnsformer& former);

}  // namespace cauchy
