#pragma once

#include <cstdint>

namespace cauchy {

class OptionVisitor;

/// Finite differences on a grid of any region, implicit or explicit in time.
struct Fdm {
  int n = 0;             ///< cells along the longest side; 0: refined until the tolerance is met
  int order = 2;         ///< of accuracy in space, even
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
};
void visit_options(Fdm& method, OptionVisitor& visitor);

}  // namespace cauchy
