#include "solvers/time/explicit_runge_kutta.hpp"

namespace cauchy::detail {

/// With the rate at the new point, (1, 2, 2, 0, 1)/6 has order 3: the error is the difference.
const RungeKuttaTable& rk4_table() {
  constexpr double sixth = 1.0 / 6;
  static const RungeKuttaTable table{.a = {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
                                     .b = {sixth, 2 * sixth, 2 * sixth, sixth},
                                     .c = {0, 0.5, 0.5, 1},
                                     .e = {0, 0, 0, sixth, -sixth},
                                     .order = 4,
                                     .error_power = 4};
  return table;
}

std::unique_ptr<Stepper> make_rk4(const StepperParts& parts) {
  return make_explicit_runge_kutta(parts, rk4_table());
}

}  // namespace cauchy::detail
