#pragma once

#include <string>

#include <cauchy/engine/graph.hpp>
#include <cauchy/math/rbf.hpp>

namespace cauchy {

class OptionVisitor;

/// Radial basis functions as a network: Kansa's ansatz with centres and shapes that can be trained.
///   u(x) = sum_k a_k phi(eps_k |x - c_k|^2) + tail
/// Shapes stay positive: eps_k = eps exp(theta_k). The first centres are spread evenly over
/// [-1.1, 1.1]^d, for inputs in [-1, 1]^d as methods that scale give them. Normalised functions are
/// phi_k / sum_l phi_l, which sum to one everywhere. Parameters for d inputs
/// and m fields: K m for a, K d for c, K for eps, and m (1 + d) for a linear tail.
struct Rbf {
  int centres = 50;
  RbfKernel kernel = RbfKernel::gaussian;  ///< one that is smooth everywhere
  double shape = 0;                        ///< first eps; 0: 0.25 / (first spacing)^2
  bool learn_centres = true;
  bool learn_shapes = true;
  bool normalized = false;
  int tail = 2;  ///< m: a polynomial of degree m - 1, at most linear; 0: none
};

/// Adds the functions on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range or the kernel is not smooth
int add_network(Graph& graph, const Rbf& rbf, int input, int n_outputs);

/// centres, kernel, shape, learn_centres, learn_shapes, normalized, tail.
void visit_options(Rbf& rbf, OptionVisitor& visitor);
/// For people: "50 gaussian centres".
[[nodiscard]] std::string describe(const Rbf& rbf);

}  // namespace cauchy
