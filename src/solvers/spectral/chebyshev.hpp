#pragma once

#include <memory>

#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/spectral.hpp>

#include "solvers/classical/classical_solver.hpp"

namespace cauchy::detail {

/// Chebyshev collocation on boxes of one to three dimensions, by least squares: steady problems at
/// once, problems in time slab by slab with polynomials in time as well. In one dimension space is
/// cut into pieces where the answer is steep and where known functions have kinks.
///   n        Spectral::n nodes per direction on one piece; 0: levels of growing n
///   error    throws Error (unsupported) for other regions, parts of the domain with equations of
///            their own, coefficients that jump, unknown functions and constants
[[nodiscard]] std::unique_ptr<ClassicalSolver> make_chebyshev_solver(
    std::shared_ptr<const Problem> problem, const Spectral& options);

}  // namespace cauchy::detail
