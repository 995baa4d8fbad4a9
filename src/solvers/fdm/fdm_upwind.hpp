#pragma once

#include <vector>

#include "solvers/fdm/fdm_boundary.hpp"
#include "solvers/fdm/fdm_rows.hpp"

namespace cauchy::detail {

/// Whether a first derivative (an atom of the term) is carried by a flow: the field is the one that
/// the equation determines by its diffusion, its rate or, in a single equation, at all.
[[nodiscard]] bool is_carried(const FdmForm& form, const FdmTerm& term, std::size_t atom);

/// Which way a steady flow without diffusion goes, 1 or -1 times the coefficients of the first
/// derivatives of an equation: in where conditions are given.
[[nodiscard]] double flow_orientation(const Problem& problem, const FdmForm& form,
                                      const FdmGrid& grid,
                                      const std::vector<std::vector<std::vector<FdmClaim>>>& claims,
                                      std::size_t equation);

}  // namespace cauchy::detail
