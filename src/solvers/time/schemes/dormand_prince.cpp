#include "solvers/time/explicit_runge_kutta.hpp"

namespace cauchy::detail {

/// Dormand and Prince 1980, orders 5 and 4.
std::unique_ptr<Stepper> make_dormand_prince(const StepperParts& parts) {
  return make_explicit_runge_kutta(
      parts,
      {.a = {{},
             {1.0 / 5},
             {3.0 / 40, 9.0 / 40},
             {44.0 / 45, -56.0 / 15, 32.0 / 9},
             {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
             {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
       .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
       .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1},
       .e = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
       .order = 5,
       .error_power = 5});
}

}  // namespace cauchy::detail
