#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/ode/ode_conditions.hpp"

namespace cauchy::detail {

/// Where an answer to y' = f(s, y) from a start comes to rest at a zero of a power below 1 of the
/// fields, beside which the slope of f grows without bound: from there other answers may leave at
/// any time. One sentence per power.
///   cost     one integration of up to 20,000 steps
[[nodiscard]] std::vector<std::string> parting_answers(const OdeProblem& ode,
                                                       std::span<const double> start, double from,
                                                       double to);

}  // namespace cauchy::detail
