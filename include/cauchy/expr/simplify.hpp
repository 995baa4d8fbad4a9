#pragma once

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// What an expression costs, each distinct node counted once.
///   nodes       all nodes, atoms and numbers included
///   operations  n - 1 for a sum or product of n operands, multiplications of an integer power by
///               repeated squaring (and one division if negative), 1 for any other function
struct ExprCost {
  std::size_t nodes = 0;
  std::size_t operations = 0;
};
[[nodiscard]] ExprCost cost(const Expr& e);

/// Rewrites to an equal expression of which neither nodes nor operations are more: common factors
/// of a sum taken together, sin^2 + cos^2 = 1, cosh^2 - sinh^2 = 1, sin/cos = tan, powers of
/// powers, sums distributed when that cancels. Constructors already do the rest (constants,
/// identities, like terms). Equal, up to rounding, where every part of both is finite; a removable
/// singularity may go. Idempotent; deterministic. The result has no written form.
///   cost     bounded work per round, a few seconds at most even on graphs of 10^5 nodes; what is
///            left then stays as it is, and so do products of more than 500 terms
[[nodiscard]] Expr simplify(const Expr& e);

/// Products of sums and their integer powers up to 16 multiplied out everywhere in the graph, so
/// that like terms meet. A product stays as it is where a coefficient would overflow.
///   error    throws Error when a product would have more than 100,000 terms before like terms are
///            collected
[[nodiscard]] Expr expand(const Expr& e);

}  // namespace cauchy
