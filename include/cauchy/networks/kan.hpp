#pragma once

#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

// Kolmogorov-Arnold networks: every edge of a layer is a trainable function of one variable,
//   y_o = sum_i phi_oi(x_i),    phi(x) = w_b silu(x) + w_s sum_j c_j B_j(z(x)).
// The functions B_j are evaluated once per input and one matrix product does the sums over i and j.
// `hidden` are the features of the layers between inputs and fields; there are no biases.

/// B-splines B_j of degree `order` over `grid` equal intervals of [lower, upper], which go on for
/// `order` intervals on both sides; z = x. Beyond them an edge is its silu alone. Parameters per
/// edge: grid + order + 1, with w_s = 1 multiplied into c; grid + order + 2 with `edges`.
/// At the start w_b follows the initialisation, c is normal with deviation noise / grid.
struct Kan {
  std::vector<int> hidden = {5};
  int grid = 5;
  int order = 3;
  double lower = -1, upper = 1;
  double noise = 0.1;
  bool edges = false;  ///< the edges one by one, w_s trained: the layer as published, slower
  /// In the loss: sparsity * sum over layers of (|Phi|_1 + entropy * S(Phi)), see KanPenalty.
  double sparsity = 0, entropy = 2;
  /// grid + 1 ends of intervals for each input of each layer, in order; empty: equal intervals.
  std::vector<double> knots = {};
};

/// Gaussians exp(-((z - c_j) / h)^2) around `grid` centres from lower to upper, h their distance.
/// With layer_norm, z are the features of a layer less their mean, divided by their deviation, then
/// a trainable scale and shift per row; not the inputs: two coordinates would become their order.
/// Parameters per edge: grid, and 1 more with `base` (the silu term).
struct FastKan {
  std::vector<int> hidden = {8};
  int grid = 8;
  double lower = -2, upper = 2;
  bool base = true;
  bool layer_norm = true;
  double noise = 0.1;  ///< first c are normal with this deviation / sqrt(inputs)
};

/// Chebyshev polynomials T_0 ... T_degree of z = tanh(x), no silu. Parameters per edge: degree + 1,
/// at the start normal with deviation 1 / (inputs (degree + 1)). With layer_norm the features of
/// hidden layers are normalised before the tanh, against vanishing gradients.
struct ChebyshevKan {
  std::vector<int> hidden = {8};
  int degree = 4;
  bool layer_norm = false;
};

/// The same with Jacobi polynomials P_j^(a,b): a = b = 0 Legendre, -1/2 Chebyshev up to factors.
struct JacobiKan {
  std::vector<int> hidden = {8};
  int degree = 4;
  double a = 1, b = 1;
  bool layer_norm = false;
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Kan& kan, int input, int n_outputs);
int add_network(Graph& graph, const FastKan& kan, int input, int n_outputs);
int add_network(Graph& graph, const ChebyshevKan& kan, int input, int n_outputs);
int add_network(Graph& graph, const JacobiKan& kan, int input, int n_outputs);

/// Every member under its name.
void visit_options(Kan& kan, OptionVisitor& visitor);
void visit_options(FastKan& kan, OptionVisitor& visitor);
void visit_options(ChebyshevKan& kan, OptionVisitor& visitor);
void visit_options(JacobiKan& kan, OptionVisitor& visitor);

/// For people: "kan [5], 5 cubic splines".
[[nodiscard]] std::string describe(const Kan& kan);
[[nodiscard]] std::string describe(const FastKan& kan);
[[nodiscard]] std::string describe(const ChebyshevKan& kan);
[[nodiscard]] std::string describe(const JacobiKan& kan);

}  // namespace cauchy
