#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cauchy {

/// The continuous ranked probability score of an ensemble x_1 ... x_M for what was observed, y:
///   CRPS = mean_i |x_i - y| - sum_{i,j} |x_i - x_j| / (2 M^2)
///   fair   the second sum over 2 M (M - 1): unbiased for what an infinite ensemble of the same
///          distribution would have; of one member |x_1 - y| in both cases
/// Least in the mean when members and observations have one distribution. O(M log M).
///   error    throws Error without members
[[nodiscard]] double crps(std::span<const double> members, double observed, bool fair = true);

/// Scores of an ensemble of fields, weighted over the points (weights add up to 1).
struct EnsembleScore {
  double crps = 0;    ///< fair, mean over the points
  double rmse = 0;    ///< of the mean of the ensemble
  double spread = 0;  ///< sqrt of the mean variance (over M - 1) of the members; NaN for one
  /// sqrt((M + 1) / M) spread / rmse: 1 where the observation might as well be a member.
  double spread_skill = 0;
  /// How often the observation has r members below it, r = 0 ... M; adds up to 1.
  std::vector<double> ranks = {};
};
///   members  M fields one behind the other
///   weights  empty: all points alike
///   error    throws Error for sizes that do not fit
[[nodiscard]] EnsembleScore ensemble_score(std::span<const double> members,
                                           std::span<const double> observed,
                                           std::span<const double> weights = {});

}  // namespace cauchy
