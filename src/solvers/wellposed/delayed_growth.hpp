#pragma once

#include <string>

#include "solvers/ode/ode_conditions.hpp"

namespace cauchy::detail {

/// What rounding becomes along the solution of an initial value problem. Growth after decay is not
/// seen from the start: perturbations of 1e-15 of the size are let in at 32 places along the
/// solution and followed from there (exponentials of the Jacobian). Empty: none is ever larger than
/// the tolerance beside the solution; else a sentence.
///   cost     32 n^3 per step; systems of more than 24 are not looked at
[[nodiscard]] std::string delayed_growth(const OdeProblem& ode);

}  // namespace cauchy::detail
