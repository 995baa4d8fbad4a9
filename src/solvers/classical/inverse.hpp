#pragma once

#include <memory>

#include "solvers/classical/classical_solver.hpp"

namespace cauchy::detail {

/// The problem with numbers for its unknown constants, and beside each field one for each constant:
/// its derivative by it. Their equations and conditions, behind those of the problem, are the
/// derivatives of these: the linearised system.
///   values   of the unknown constants, in their order
///   error    throws Error (unsupported) for conditions on surfaces inside
[[nodiscard]] Problem tangent_problem(const Problem& problem, std::span<const double> values);
/// Name of the derivative of a field by an unknown constant.
[[nodiscard]] std::string tangent_name(const std::string& field, const std::string& unknown);

/// Unknown constants by Gauss-Newton steps, damped after Levenberg and Marquardt, on top of a
/// classical method: every step solves the problem together with its derivatives by the constants.
/// Bounds are kept as Unknown says. Intervals come from the Gauss-Newton matrix and the noise of
/// the observations, given or estimated from the misfit.
///   error    throws Error (unsupported) without observations, and when problem and conditions do
///            not determine the fields for given constants
[[nodiscard]] std::unique_ptr<ClassicalSolver> make_inverse(std::string kind,
                                                            std::shared_ptr<const Problem> problem,
                                                            MakeClassicalSolver make);

}  // namespace cauchy::detail
