#pragma once

#include <cstddef>
#include <span>

#include <cauchy/sampling/measure.hpp>  // Estimate

namespace cauchy {

/// The empirical risk R_N = 1/N sum_i |f(X_i) - Y_i|^p of differences at N independent points of a
/// law P_X, with its standard error, and the distance R_N^(1/p) in L^p(P_X). p = 2: mean square
/// error and its root.
struct Risk {
  Estimate risk;      ///< mean of |difference|^p: an unbiased Monte Carlo integral
  Estimate distance;  ///< its p-th root; error by the slope of the root, NaN for no risk
};

/// Differences are row-major N x columns; |.| is the Euclidean norm of a row.
///   error    throws Error unless p >= 1, and for fewer than two rows
[[nodiscard]] Risk empirical_risk(std::span<const double> differences, double p = 2,
                                  std::size_t columns = 1);

}  // namespace cauchy
