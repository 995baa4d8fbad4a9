#include "solvers/time/diagonal_runge_kutta.hpp"

namespace cauchy::detail {

/// The implicit half of the pair of Kennedy and Carpenter, for everything.
std::unique_ptr<Stepper> make_esdirk(const StepperParts& parts) {
  StepperParts whole = parts;
  whole.implicit_part = nullptr;
  return make_diagonal_runge_kutta(whole, kennedy_carpenter());
}

}  // namespace cauchy::detail
