#pragma once

#include <memory>

#include <cauchy/solvers/fdm.hpp>

#include "solvers/classical/classical_solver.hpp"

namespace cauchy::detail {

/// Incompressible flow in a box on a staggered grid: steady by Newton's method for all equations at
/// once, in time by projection. Null when the problem is something else.
///   order    2; of a steady flow also 4, by extrapolation from two grids
///   error    throws Error (unsupported) for flow that it cannot treat, with the reason
[[nodiscard]] std::unique_ptr<ClassicalSolver> make_flow_solver(
    std::shared_ptr<const Problem> problem, const Fdm& method);

}  // namespace cauchy::detail
