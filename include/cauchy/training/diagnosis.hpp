#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/executor.hpp>
#include <cauchy/math/matrix.hpp>

// What gradients and Jacobians of a loss say of its training, at fixed parameters.

namespace cauchy {

/// |mean g| / |std g| over rows of gradients, one per batch (Euclidean norms; std with B in the
/// denominator). Infinite when all rows are the same and not 0; NaN for rows of zeros. B rows of
/// one length in random directions: about 1 / sqrt(B).
///   error    throws Error for fewer than 2 rows
[[nodiscard]] double signal_to_noise(MatrixView<const double> gradients);
/// Cosines between all rows; NaN for a row of zeros.
[[nodiscard]] Matrix cosines_between(MatrixView<const double> gradients);

/// The neural tangent kernel K = J J' of the residuals of a term at its points, without weights;
/// residuals in the order of Executor::residuals.
///   memory   residuals x (parameters + residuals)
[[nodiscard]] Matrix tangent_kernel(Executor& executor, std::size_t term,
                                    std::span<const double> theta);
/// |K - K0|_F / |K0|_F.
[[nodiscard]] double kernel_drift(MatrixView<const double> k, MatrixView<const double> k0);

/// Eigenvalues of a kernel, the largest first, those below 0 by rounding as 0.
struct KernelModes {
  std::vector<double> values = {};
  std::vector<double> shares = {};  ///< of |r|^2 along the eigenvector of each; they add up to 1
  /// The largest over the smallest that rounding leaves meaning: above n eps times the largest.
  double condition = 0;
};
///   failure  empty lists and NaN where the eigenvalues were not found
[[nodiscard]] KernelModes kernel_modes(MatrixView<const double> k, std::span<const double> r);

/// The values at time t of df/dt = -K (f - y) from f(0): y + exp(-K t) (f(0) - y). Under gradient
/// flow of |f - y|^2 / 2 this is a model that is linear in its parameters, and a very wide network.
///   error    throws Error for lengths that do not fit or eigenvalues that were not found
[[nodiscard]] std::vector<double> kernel_flow(MatrixView<const double> k,
                                              std::span<const double> first,
                                              std::span<const double> y, double t);

/// A random direction from theta whose parts are as long as those of theta: every row of a weight
/// (Li et al. 2018), every other block. A block that is 0 does not move; unknown constants neither.
[[nodiscard]] std::vector<double> filter_direction(std::span<const ParameterBlock> blocks,
                                                   std::span<const double> theta, Rng rng);

}  // namespace cauchy
