#pragma once

#include <cstdint>

namespace cauchy {

class OptionVisitor;

/// Finite volumes for balance laws.
struct Fvm {
  int n = 0;             ///< cells along the longest side; 0: refined until the tolerance is met
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
};
void visit_options(Fvm& method, OptionVisitor& visitor);

}  // namespace cauchy
