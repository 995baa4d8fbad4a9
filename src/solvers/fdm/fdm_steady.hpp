#pragma once

#include <memory>

#include <cauchy/solvers/fdm.hpp>

#include "solvers/classical/classical_solver.hpp"

namespace cauchy::detail {

/// Finite differences for a problem without time, on grids from coarse to fine.
///   error    throws Error (unsupported) for what they cannot treat
[[nodiscard]] std::unique_ptr<ClassicalSolver> make_fdm_steady(
    std::shared_ptr<const Problem> problem, const Fdm& method);

/// Cells along the longest side at a level, how many levels are worth while, and how many there are
/// below the first one.
///   tensor   the unknowns form a full grid (FdmSystem::tensor), so that multigrid may be taken
[[nodiscard]] int fdm_cells(const Fdm& method, std::size_t dimension, int level);
[[nodiscard]] int fdm_levels(const Problem& problem, const Fdm& method, bool tensor = false);
[[nodiscard]] int fdm_coarser(const Fdm& method, std::size_t dimension);
/// What one solution on a grid costs.
[[nodiscard]] MethodCost fdm_cost(const Problem& problem, const Fdm& method, int level,
                                  bool tensor = false);

}  // namespace cauchy::detail
