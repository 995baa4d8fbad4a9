#include "solvers/time/explicit_runge_kutta.hpp"

namespace cauchy::detail {

/// y + h k; the error by the trapezoidal rule with the rate at the new point.
const RungeKuttaTable& explicit_euler_table() {
  static const RungeKuttaTable table{
      .a = {{}}, .b = {1}, .c = {0}, .e = {-0.5, 0.5}, .order = 1, .error_power = 2};
  return table;
}

std::unique_ptr<Stepper> make_explicit_euler(const StepperParts& parts) {
  return make_explicit_runge_kutta(parts, explicit_euler_table());
}

}  // namespace cauchy::detail
