#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/spectral/chebyshev_newton.hpp"

namespace cauchy::detail {

/// How fine polynomials are.
struct CollocationLevel {
  std::vector<std::size_t> n;  ///< coefficients by axis: time (1 without), then space
  double tolerance = 1e-6;     ///< for the last coefficients, in units of the largest one
  bool cut = true;             ///< pieces are cut where the last coefficients are larger
};

/// What came out, one answer per slab of time; later ones have all pieces of earlier ones.
struct CollocationRun {
  std::vector<CollocationAnswer> slabs;
  std::string trouble = {};
  std::vector<std::string> remarks = {};
  std::size_t unknowns = 0;  ///< of all slabs
  bool interrupted = false;
};

/// Told after every slab or round: a time (or 0), asked whether to go on.
using CollocationWatch = std::function<bool(double time)>;

/// A problem without time, or one whose conditions in time are not all at its beginning (one slab).
[[nodiscard]] CollocationRun collocate_at_once(const CollocationBox& box,
                                               const CollocationLevel& level,
                                               const CollocationWatch& stop);
/// A problem in time, slab by slab; their length follows the last coefficients in time.
[[nodiscard]] CollocationRun march_collocation(const CollocationBox& box,
                                               const CollocationLevel& level,
                                               const CollocationWatch& stop);

}  // namespace cauchy::detail
