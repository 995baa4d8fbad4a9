#pragma once

#include "solvers/time/stepper.hpp"

namespace cauchy::detail {

/// A pair of Runge-Kutta schemes with the same nodes and weights: one implicit with the same
/// number on the diagonal (0 in the first row), one explicit for what is not stiff.
struct DiagonalTable {
  std::vector<std::vector<double>> implicit_a;  ///< lower triangles, without the diagonal
  std::vector<std::vector<double>> explicit_a;
  double diagonal;
  std::vector<double> b, embedded, c;
  int order, error_power;
};
/// ARK4(3)6L[2]SA of Kennedy and Carpenter 2003: orders 4 and 3, L-stable and stiffly accurate.
[[nodiscard]] const DiagonalTable& kennedy_carpenter();

/// The implicit scheme on all of F; with parts.implicit_part the explicit one on the rest.
[[nodiscard]] std::unique_ptr<Stepper> make_diagonal_runge_kutta(const StepperParts& parts,
                                                                 const DiagonalTable& table);

}  // namespace cauchy::detail
