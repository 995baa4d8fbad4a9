#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "solvers/spectral/chebyshev_system.hpp"

namespace cauchy::detail {

struct ChebyshevOutcome {
  std::vector<double> c;
  std::string trouble = {};                 ///< empty: it is a solution
  std::vector<std::size_t> constants = {};  ///< fields that are given up to a constant
  std::size_t iterations = 0;
  double misfit = 0;  ///< what is left of the residual of no field at all; of linear problems
  bool interrupted = false;
};

/// Least squares for linear problems, damped Gauss-Newton steps for others.
///   accuracy  relative size of steps that no longer count
[[nodiscard]] ChebyshevOutcome solve_chebyshev(const ChebyshevBox& box, ChebyshevSystem& system,
                                               std::vector<double> c, double accuracy,
                                               const std::function<bool()>& stop);

/// Coefficients to start from: conditions hold, in between fields are harmonic, or the same at all
/// times.
[[nodiscard]] std::vector<double> chebyshev_guess(const ChebyshevBox& box,
                                                  const ChebyshevGrid& grid);

}  // namespace cauchy::detail
