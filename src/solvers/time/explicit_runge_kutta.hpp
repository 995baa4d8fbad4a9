#pragma once

#include "solvers/time/stepper.hpp"

namespace cauchy::detail {

/// An explicit Runge-Kutta scheme. The rate at the new point counts as one stage more, which the
/// next step begins with.
///   a    strictly lower triangle, rows of 0, 1, ..., s - 1 numbers
///   b    weights of the step;  error = h (sum_i e_i k_i + e_s k(new point))
struct RungeKuttaTable {
  std::vector<std::vector<double>> a;
  std::vector<double> b, c, e;
  int order, error_power;
};

[[nodiscard]] const RungeKuttaTable& explicit_euler_table();
/// The classical scheme of Kutta.
[[nodiscard]] const RungeKuttaTable& rk4_table();

/// The scheme on F(t, y, y') = 0: stages satisfy the algebraic rows.
[[nodiscard]] std::unique_ptr<Stepper> make_explicit_runge_kutta(const StepperParts& parts,
                                                                 RungeKuttaTable table);

}  // namespace cauchy::detail
