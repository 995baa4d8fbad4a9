#pragma once

#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// A derivative of the residual of an equation by coordinates.
struct ResidualDerivative {
  std::string name;  ///< "u_t = u_xx, by t and x"
  Expr residual;
};

/// The derivatives of order 1 to `order` of a lowered residual by time and space, for
/// gradient-enhanced losses; parameter ranges are not among the coordinates, and what is zero
/// everywhere is left out.
///   error    throws Error (unsupported) when one needs a higher derivative than networks have, or
///            one that the tables in it do not have
[[nodiscard]] std::vector<ResidualDerivative> residual_derivatives(const Problem& problem,
                                                                   const Expr& residual, int order,
                                                                   const std::string& equation);

}  // namespace cauchy::detail
