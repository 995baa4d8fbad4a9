#pragma once

#include <cstdint>

namespace cauchy {

class OptionVisitor;

/// Spectral methods on boxes: Fourier series where all directions are periodic, with exponential
/// time differencing (ETDRK4); Chebyshev polynomials elsewhere.
struct Spectral {
  int n = 0;             ///< points per direction; 0: as many as the tolerance asks for
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
  double step = 0;       ///< of time, Fourier; 0: as small as the tolerance asks for
  bool dealias = true;   ///< Fourier: drop modes that products would fold onto others
};
void visit_options(Spectral& method, OptionVisitor& visitor);

}  // namespace cauchy
