#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <cauchy/math/matrix.hpp>

#include "solvers/classical/semi_discrete.hpp"
#include "solvers/time/step_seen.hpp"

namespace cauchy::detail {

/// y' = f(t, y) of a stiff system, with df/dy (row i: derivatives of f_i).
struct StiffSystem {
  std::function<void(double t, std::span<const double> y, std::span<double> dy)> slope;
  std::function<void(double t, std::span<const double> y, Matrix& out)> jacobian;
};

/// Integrates from y0 at t0 to t1, which may lie before t0, by the variable-order backward
/// differentiation formulas of SUNDIALS' CVODE with dense factors. The result has the first and
/// the last state.
///   relative, absolute, trouble  as integrate_ida()
[[nodiscard]] TimeResult integrate_cvode(const StiffSystem& system, double t0,
                                         std::vector<double> y0, double t1, double relative,
                                         double absolute, const StopAsked& stop = {},
                                         std::size_t max_steps = 1'000'000,
                                         const StepSeen& seen = {});

}  // namespace cauchy::detail
