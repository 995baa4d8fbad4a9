#pragma once

#include <cstddef>
#include <span>

namespace cauchy {

/// The three parts of the risk R of a learnt member of a family, and what bounds it:
///   approximation  E_A = inf R: what no member does better
///   estimation     E_G = sup |R - R^|: what points do not show
///   optimization   E_O = R^[learnt] - inf R^: what training has left
///   R[learnt] <= E_O + 2 E_G + E_A
struct RiskDecomposition {
  double approximation = 0, estimation = 0, optimization = 0;
  double risk = 0;  ///< R[learnt]
  [[nodiscard]] double bound() const noexcept {
    return optimization + 2 * estimation + approximation;
  }
};
/// Of a family whose members are all known: risks R and training risks R^, one each.
///   error    throws Error unless both lists have the same length and `learnt` is a member
[[nodiscard]] RiskDecomposition decompose_risk(std::span<const double> risks,
                                               std::span<const double> training_risks,
                                               std::size_t learnt);

/// The bound of De Ryck and Mishra (2022) on the error of an answer by its training risk R^ at N
/// random points: (C (R^ + z sigma / sqrt(N)))^(1/2), sigma the standard deviation of the squared
/// residual over the domain. C is the constant of stability of the equation, |error|^2 <= C R.
/// The chance that the points show less than R - z sigma / sqrt(N) is that of z deviations.
[[nodiscard]] double training_risk_bound(double stability, double training_risk, double sigma,
                                         std::size_t n_points, double z = 3);

/// The slope of log y over log x by least squares: the order of a rate.
///   error    throws Error for fewer than two numbers, or one that is not positive
[[nodiscard]] double fitted_order(std::span<const double> x, std::span<const double> y);

}  // namespace cauchy
