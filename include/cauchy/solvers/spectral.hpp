#pragma once

#include <cstdint>

namespace cauchy {

class OptionVisitor;

/// Spectral methods on boxes: Fourier series in periodic directions, Chebyshev polynomials in
/// others.
struct Spectral {
  int n = 0;             ///< modes per direction; 0: as many as the tolerance asks for
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
};
void visit_options(Spectral& method, OptionVisitor& visitor);

}  // namespace cauchy
