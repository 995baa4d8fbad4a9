#pragma once

#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/networks/network_list.hpp>

namespace cauchy {

class OptionVisitor;

/// Mixture of experts: networks of any kinds, weighed from point to point by a gate.
///   u(x) = sum_i lambda_i(x) u_i(x),   lambda = softmax(g(x))
/// The gate g has one row per expert and weighs all fields alike. One expert alone has no gate.
/// Parameters: those of all experts, and of the gate with as many outputs as there are experts.
/// A method may add to its loss
///   sparsity * sum_i |mean over points of lambda_i|^power
/// which lies between 1 (one expert does all) and m^(1 - power) (all m share alike).
struct Experts {
  NetworkList experts;
  NetworkList gate;     ///< one network; empty: Mlp{.width = 16, .depth = 2}
  double sparsity = 0;  ///< not negative; 0: no such term
  double power = 0.5;   ///< p in (0, 1)
};

/// The values of a mixture in its graph.
struct ExpertValues {
  int mixture;               ///< one row per output
  int gates;                 ///< lambda, one row per expert; -1: a single expert
  std::vector<int> experts;  ///< u_i, one row per output each
};

/// Adds all experts and the gate on top of a value.
///   error    throws Error without experts, with several gates, for an expert that does not give
///            one row per output, and for numbers out of their ranges
ExpertValues add_experts(Graph& graph, const Experts& experts, int input, int n_outputs);
/// The same; returns the mixture.
int add_network(Graph& graph, const Experts& experts, int input, int n_outputs);

/// sparsity, power, the section `gate` and the list `expert`.
void visit_options(Experts& experts, OptionVisitor& visitor);
/// For people: "3 experts (20 x 3 tanh; 20 x 3 sin; 400 random sin features)".
[[nodiscard]] std::string describe(const Experts& experts);

}  // namespace cauchy
