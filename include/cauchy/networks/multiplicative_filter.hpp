#pragma once

#include <cstdint>
#include <string>

#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Multiplicative filter network (Fathony, Sahu, Willmott, Kolter 2021): filters of the input,
/// multiplied instead of composed, which is a sum of exponentially many sines of the input.
///   z <- g_1(x),  z <- (W_i z + b_i) g_{i+1}(x) for i = 1 ... depth - 1,  u = W z + b
///   fourier  g(x) = sin(V x + p)
///   gabor    g(x) = sin(V x + p) exp(-c |x - mu|^2 / 2), c and mu of each row trainable
/// At the start V is uniform in +-scale / sqrt(depth), so that the frequencies of the product, sums
/// of those of the filters, are about `scale`; p in +-pi, W in +-1 / sqrt(w); gabor: mu in [-1, 1],
/// c gamma distributed with shape alpha / depth, V times sqrt(c). Parameters for n inputs, m
/// fields:
///   d w (n + 1) + (d - 1) w (w + 1) + (w + 1) m, gabor d w (n + 1) more
struct MultiplicativeFilter {
  enum class Filter : std::uint8_t { fourier, gabor };
  int width = 64;
  int depth = 3;  ///< filters
  Filter filter = Filter::fourier;
  double scale = 10;  ///< angular frequency, for inputs in [-1, 1]
  double alpha = 6;   ///< gabor: how narrow the windows are
  std::uint64_t seed = 1;
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const MultiplicativeFilter& network, int input, int n_outputs);

/// width, depth, filter, filter_scale, alpha, filter_seed.
void visit_options(MultiplicativeFilter& network, OptionVisitor& visitor);
/// For people: "64 x 3 gabor filters".
[[nodiscard]] std::string describe(const MultiplicativeFilter& network);

}  // namespace cauchy
