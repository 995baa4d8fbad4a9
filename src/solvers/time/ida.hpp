#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solvers/classical/semi_discrete.hpp"
#include "solvers/time/step_seen.hpp"

namespace cauchy::detail {

/// F(t, y, y') = 0 by the variable-order backward differentiation formulas of SUNDIALS' IDA, with
/// consistent initial values: the differential components of y0 are kept, the algebraic ones and
/// y' are found (those given are first guesses). Row i of the system must belong to component i: a
/// component is differential when its row is. Index 1.
///   dy0        empty: zero as first guess
///   times      where states are wanted, ascending or descending, the first one that of y0
///   relative, absolute
///              the weighted root mean square of each step's error stays below 1 with the weights
///              1 / (relative |y_i| + absolute); the error at the end is some times larger
///   trouble    no consistent initial values, step too small, singular equations, more than
///              max_steps; what the system throws is thrown on
///   error      throws Error for sizes, times or tolerances that make no sense
[[nodiscard]] TimeResult integrate_ida(SemiDiscrete& system, std::vector<double> y0,
                                       std::vector<double> dy0, std::span<const double> times,
                                       double relative, double absolute, const StopAsked& stop = {},
                                       std::size_t max_steps = 1'000'000,
                                       const StepSeen& seen = {});

}  // namespace cauchy::detail
