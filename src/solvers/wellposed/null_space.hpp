#pragma once

#include <vector>

#include "solvers/spectral/chebyshev_least_squares.hpp"

namespace cauchy::detail {

/// A direction along which a linear system hardly changes.
struct NullVector {
  std::vector<double> x;
  double share = 0;  ///< largest |A x| of a row in units of |A| |x|: what does not cancel
};

/// Singular vectors whose terms cancel in every row to the given share, most singular first; each
/// has a largest entry of 1.
///   cost     one singular value decomposition, O(rows x unknowns^2)
[[nodiscard]] std::vector<NullVector> null_vectors(const ChebyshevRows& rows, double share);

}  // namespace cauchy::detail
