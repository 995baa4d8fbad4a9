#pragma once

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// Along which an answer of a steady problem on a line moves most for the least defect: the leading
/// singular vectors of the inverse of the linearised problem, from defects of equations and
/// conditions to fields, by the power method on a scheme of order 4 at the answer (800 and 1,600
/// intervals, dense where it is steep).
///   gain   how far the fields go, over their variation, for a defect of size one
///   error  how far the answer may be off along it: what its defect holds of that direction, and
///          what rounding of the terms makes of it; infinite where the gain has no end on finer
///          intervals
struct NeutralDirection {
  double gain = 0, error = 0;
};

/// All 0 for problems in time or in several dimensions, with jumps of coefficients, that cannot be
/// solved for the highest derivatives, and for answers that hold in the mean only (elements).
[[nodiscard]] NeutralDirection neutral_direction(const Solution& solution);

/// Takes it into the estimate of the error, where there is one that states less.
void add_neutral_direction(Solution& solution);

}  // namespace cauchy::detail
