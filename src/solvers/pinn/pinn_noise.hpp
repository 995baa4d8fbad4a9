#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/pinn.hpp>

namespace cauchy::detail {

/// Largest modulus of the observed values, 1 when that is 0 or nothing is scaled.
[[nodiscard]] double observed_size(const Observation& observation, bool scale);

/// All observations whose noise is known. Their part of the loss, with residuals in units of sizes,
/// is w / n sum_i (size_i / sigma_i)^2 / precision r_i^2: weights of mean 1 that are inverse to the
/// variances, whatever the observation a value stands in.
struct NoiseModel {
  double n = 0;          ///< values
  double precision = 0;  ///< mean of (size / sigma)^2
  /// Variance of a row of that sum of squares by the noise; the same for every value.
  [[nodiscard]] double row_variance(double w) const { return w / (n * precision); }
};
/// None without such observations.
[[nodiscard]] std::optional<NoiseModel> noise_model(const Problem& problem, const Pinn& method);

/// The weight of noisy observations against equations after they have given way (NoiseWeights).
[[nodiscard]] double noise_weight(const Pinn& method);
/// The settings with the rule for noisy observations, where there are some and no such rule.
[[nodiscard]] Pinn with_noise_rule(Pinn method, const Problem& problem);

}  // namespace cauchy::detail
