#pragma once

#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy::detail {

/// The contractive penalty (Pinn::contraction): the activations from which the outputs are made
/// without another activation between become outputs too, and their derivatives by the coordinates,
/// in units of half the domain, a term of the loss:
///   contraction / N sum_i sum_kj (half_j dh_k/dx_j)^2 = contraction * mean |dh/dx|_F^2
///   error    throws Error (unsupported) for pieces, and for networks without activations
void add_contraction(const Problem& problem, const Pinn& method, const Sizes& sizes, Graph& graph,
                     PinnLoss& loss);

}  // namespace cauchy::detail
