#pragma once

#include "operators/physics_loss.hpp"

namespace cauchy::detail {

// A linear equation A u = f with symmetric positive A, and values g of u on all of the boundary, is
// the minimum of an energy. Of the differences on a grid, over the nodes where the equation holds:
//   J(u) = mean of v (r(u) + r(g)) / 2 = J(u*) + mean of (u - u*) A (u - u*) / 2
// with r(u) = A u - f, v = u - g, and g with its zeros inside: an error counts as its slope, with
// the coefficients of the equation itself, and no system is solved for it.

/// 1 where the differences of a problem are such equations, -1 where they are with the other sign,
/// 0 where they are not, or nobody can say: more than one equation or output, not linear or not
/// symmetric (by its weak form, and by its differences for these inputs, both), not positive for
/// the slowest waves of the box, exact derivatives, a margin, no values for all of the boundary.
///   values   of the inputs, as the equation has them, [inputs, grid]
[[nodiscard]] int energy_sign(const FieldMap& map, const PhysicsLoss& options,
                              const OperatorProblem& problem, const PhysicsTerms& terms,
                              const std::vector<double>& values,
                              const std::shared_ptr<Threads>& pool);

/// The energy of an answer that has the values terms.boundary, one number.
[[nodiscard]] int add_energy(TensorGraph& graph, const FieldMap& map, const PhysicsLoss& options,
                             const OperatorProblem& problem, const PhysicsTerms& terms, int in,
                             const MapAnswer& answer);

}  // namespace cauchy::detail
