#pragma once

#include <memory>

#include <cauchy/solvers/fdm.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/fdm/fdm_form.hpp"

namespace cauchy::detail {

/// Finite differences for a problem in time, integrated by Fdm::time on grids from coarse to fine.
/// Without a tolerance the error in time falls with the grid's and stays well below it.
///   error    throws Error (unsupported) for what they cannot treat; ClassicalSolver::solve throws
///            Error for a step above the stability limit of the scheme
[[nodiscard]] std::unique_ptr<ClassicalSolver> make_fdm_in_time(
    std::shared_ptr<const Problem> problem, const Fdm& method);

/// The scheme that fits: explicit when modes oscillate no faster than the grid spacing allows
/// (transport, waves), implicit when they are faster (diffusion, dispersion), when rates stand
/// under derivatives in space, or when a field has no rate.
[[nodiscard]] TimeScheme fitting_scheme(const FdmForm& form);

/// The same problem with those terms alone that hold a rate or are linear in derivatives of order
/// two or more: the implicit part of imex.
///   returns  null when there are no such derivatives
[[nodiscard]] std::shared_ptr<const Problem> implicit_part(const Problem& problem);

/// The last times before something in the problem jumps and those of narrow sources, in order:
/// where(t < 0.5, ...) and the like.
[[nodiscard]] std::vector<double> jumps_in_time(const Problem& problem);

}  // namespace cauchy::detail
