#pragma once

#include <optional>
#include <vector>

#include "solvers/fdm/fdm_form.hpp"
#include "solvers/fdm/fdm_grid.hpp"

namespace cauchy::detail {

/// d(flux, x) that is taken as a difference of fluxes at faces.
struct FdmFlux {
  Expr flux;
  std::size_t axis = 0;
  /// Where the coefficient of the derivative along the axis jumps: that coefficient, and the symbol
  /// that stands in the flux for its mean along the edge between two nodes.
  std::optional<Expr> coefficient = {};
  Expr mean = {};
};

/// An equation with symbols for the derivatives of fluxes.
struct FdmSplit {
  Expr residual;
  std::vector<Expr> symbols;  ///< one per flux
  std::vector<FdmFlux> fluxes;
};

/// Finds fluxes whose coefficients vary, such as a(x)*u_x in d(a*u_x, x) and div(a*grad(u)).
///   jumps_alone   only those with jumps (differences of higher order are better elsewhere)
[[nodiscard]] FdmSplit split_fluxes(const FdmEquation& equation, const FdmForm& form,
                                    bool jumps_alone);

/// Whether an expression has jumps or tables, on which its derivatives are not to be trusted.
[[nodiscard]] bool may_jump(const Expr& e);

/// Harmonic means of a coefficient along the edges from nodes to their neighbours below and above
/// along an axis; jumps inside an edge are found by bisection.
///   returns  those below all nodes, then those above
[[nodiscard]] std::vector<double> edge_means(const Problem& problem, const FdmForm& form,
                                             const Expr& coefficient, const FdmGrid& grid,
                                             const std::vector<int>& nodes, std::size_t axis);

}  // namespace cauchy::detail
