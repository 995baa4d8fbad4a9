#pragma once

#include <cstdint>

namespace cauchy {

class OptionVisitor;

/// Meshless collocation with radial basis functions.
struct Kansa {
  int n = 0;             ///< centres along the longest side; 0: refined until the tolerance is met
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
};
void visit_options(Kansa& method, OptionVisitor& visitor);

}  // namespace cauchy
