#pragma once

#include <cstdint>

namespace cauchy {

class OptionVisitor;

/// Ordinary differential equations: initial and boundary value problems.
struct Ode {
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
};
void visit_options(Ode& method, OptionVisitor& visitor);

}  // namespace cauchy
