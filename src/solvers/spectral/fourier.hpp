#pragma once

#include <memory>

#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/spectral.hpp>

#include "solvers/classical/classical_solver.hpp"

namespace cauchy::detail {

/// Fourier series on periodic boxes of one to three dimensions: what is linear with constant
/// coefficients mode by mode, everything else at the points; ETDRK4 in time, Newton's method in
/// steady problems.
///   n        Spectral::n points per direction; 0: levels of doubled numbers
///   error    throws Error as fourier_form(), and for constraints that are not linear
[[nodiscard]] std::unique_ptr<ClassicalSolver> make_fourier_solver(
    std::shared_ptr<const Problem> problem, const Spectral& options);

}  // namespace cauchy::detail
