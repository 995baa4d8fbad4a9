#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Separable network (canonical polyadic form): one small network f^(i) per input, and
///   u_k(x) = sum_r c_kr prod_i f_r^(i)(x_i) + b_k,   r = 1 ... rank
/// The factors start around 1, so that products of many of them neither vanish nor explode. An
/// input is a row of what the network sees: a periodic coordinate gives two, its cosine and sine.
/// Parameters for n inputs and m fields, width w, depth d, rank R:
///   n (2 w + (d - 1) (w + 1) w + (w + 1) R) + (R + 1) m
struct Separable {
  int rank = 8;
  int width = 8;
  int depth = 2;
  Activation activation = Activation::tanh;
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Separable& separable, int input, int n_outputs);

/// rank, width, depth, activation.
void visit_options(Separable& separable, OptionVisitor& visitor);
/// For people: "separable, rank 8 of 8 x 2 tanh".
[[nodiscard]] std::string describe(const Separable& separable);

}  // namespace cauchy
