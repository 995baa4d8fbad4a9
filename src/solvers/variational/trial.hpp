#pragma once

#include <string_view>

#include <cauchy/problem/weak_problem.hpp>
#include <cauchy/solvers/pinn.hpp>

namespace cauchy::detail {

/// Throws Error (unsupported) for settings of a PINN that belong to residuals at points.
///   energy   also for those that belong to squares
void check_trial(const Pinn& trial, std::string_view method, bool energy);

}  // namespace cauchy::detail
