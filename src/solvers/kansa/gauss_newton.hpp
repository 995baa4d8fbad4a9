#pragma once

#include <span>
#include <vector>

#include <cauchy/base/function_ref.hpp>

#include "solvers/kansa/collocation_step.hpp"

namespace cauchy::detail {

struct GaussNewtonResult {
  std::vector<double> coefficients;
  CollocationStep step;  ///< the last one; when its status is not ok there is no answer
  double change = 0;     ///< of the fields by it, relative
  double left = 0;       ///< residual after the last step, relative to the one before
  int taken = 0;
  bool settled = false;  ///< nothing is left to do; always so for a linear system
  bool interrupted = false;
};

/// Makes the rows of a collocation smallest: one step for a linear system, else Gauss-Newton steps,
/// each halved until it helps. A step that does not help is taken again with damping.
///   start    coefficients to begin with
///   guess    start is no answer yet: the first step is damped, and taken whether it helps or not
///   stop     asked before each step; true ends it
[[nodiscard]] GaussNewtonResult gauss_newton(CollocationSystem& system, const RbfBasis& basis,
                                             std::vector<double> start, bool guess,
                                             CollocationStepOptions how, int most,
                                             FunctionRef<bool()> stop);

}  // namespace cauchy::detail
