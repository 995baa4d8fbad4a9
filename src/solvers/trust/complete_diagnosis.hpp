#pragma once

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// Adds to the diagnosis of a graded answer what the answer itself shows (balances, waves of the
/// residual) and, unless nothing speaks against the answer, the causes that were found; the worst
/// one becomes a finding. Nothing without a diagnosis.
void complete_diagnosis(Solution& solution);

}  // namespace cauchy::detail
