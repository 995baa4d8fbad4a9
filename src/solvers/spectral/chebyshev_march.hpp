#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/spectral/chebyshev_newton.hpp"

namespace cauchy::detail {

/// How fine polynomials are.
struct ChebyshevLevel {
  std::vector<std::size_t> n;  ///< coefficients by axis: time (1 without), then space
  double tolerance = 1e-6;     ///< for the last coefficients, in units of the largest one
  bool cut = true;             ///< pieces are cut where the last coefficients are larger
};

/// What came out, one answer per slab of time; later ones have all pieces of earlier ones.
struct ChebyshevRun {
  std::vector<ChebyshevAnswer> slabs;
  std::string trouble = {};
  std::vector<std::string> remarks = {};
  std::size_t unknowns = 0;  ///< of all slabs
  bool interrupted = false;
};

/// Told after every slab or round: a time (or 0), asked whether to go on.
using ChebyshevWatch = std::function<bool(double time)>;

/// A problem without time, or one whose conditions in time are not all at its beginning (one slab).
[[nodiscard]] ChebyshevRun chebyshev_at_once(const ChebyshevBox& box, const ChebyshevLevel& level,
                                             const ChebyshevWatch& stop);
/// A problem in time, slab by slab; their length follows the last coefficients in time.
[[nodiscard]] ChebyshevRun march_chebyshev(const ChebyshevBox& box, const ChebyshevLevel& level,
                                           const ChebyshevWatch& stop);

}  // namespace cauchy::detail
