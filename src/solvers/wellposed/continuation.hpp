#pragma once

#include <cstddef>
#include <vector>

#include "solvers/spectral/chebyshev_system.hpp"

namespace cauchy::detail {

/// Root mean square over the rows of what is left of a residual, in units of the terms of its row:
/// small when the coefficients are a solution, and resolve it.
[[nodiscard]] double relative_misfit(const ChebyshevRows& rows, const std::vector<double>& c);

/// Where a branch of solutions leads.
struct Branch {
  enum class End : unsigned char { whole, fold, lost };
  End end = End::lost;
  double share = 0;            ///< of a fold: the largest share that is reached
  std::vector<double> c = {};  ///< of a whole branch: the solution at its end
};

/// Follows the solutions of L(u) + s N(u) = 0, where L holds the terms that are linear in the
/// fields and N sources, data and nonlinear terms, from u = 0 at s = 0 by pseudo-arclength
/// continuation.
///   whole    s = 1 was reached, also after folds
///   fold     s turned back before 1 and did not come again
///   lost     the branch could not be followed, or starts nowhere: nothing is known
///   cost     up to 40 x 9 dense least-squares systems
[[nodiscard]] Branch follow_branch(const ChebyshevBox& box, const ChebyshevGrid& grid);

}  // namespace cauchy::detail
