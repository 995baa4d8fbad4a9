#include <cauchy/base/error.hpp>

#include "solvers/time/diagonal_runge_kutta.hpp"

namespace cauchy::detail {

/// The pair of Kennedy and Carpenter: stiff part implicit, the rest explicit.
std::unique_ptr<Stepper> make_imex(const StepperParts& parts) {
  if (parts.implicit_part == nullptr) {
    throw Error(ErrorKind::unsupported,
                "imex finds no part that is linear in second or higher "
                "derivatives",
                "[solvers.time]", "use esdirk or dormand-prince");
  }
  return make_diagonal_runge_kutta(parts, kennedy_carpenter());
}

}  // namespace cauchy::detail
