#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/data/data_set.hpp>

namespace cauchy {

/// How good forecasts of one field are at each lead time, by the weights cos(latitude):
///   rmse         sqrt(mean of w (f - o)^2) of a sample, root mean square over the samples
///   correlation  of anomalies f - c and o - c against the climate c, mean over the samples
/// Persistence is the forecast that nothing changes, climatology the mean of the training samples
/// over all their times at every point; its correlation is 0.
struct ForecastSkill {
  std::string field = {};
  std::vector<double> lead = {};  ///< time since the first frame
  std::vector<double> rmse = {}, persistence_rmse = {}, climatology_rmse = {};
  std::vector<double> correlation = {}, persistence_correlation = {};

  /// The lead time at which a curve falls below a level, linear between frames from 1 at lead 0;
  /// the last lead when it does not.
  [[nodiscard]] double time_above(double level, const std::vector<double>& curve) const;
};

/// The skill of every field of the test samples.
///   climate      samples of the training
///   forecast     as `test.out`: [sample, channel, latitude, longitude]
///   error        throws Error unless both have the same channels, the first frame among the inputs
///                (u(t=0)), and an axis "latitude" in degrees that comes first
[[nodiscard]] std::vector<ForecastSkill> forecast_skill(const DataSet& climate, const DataSet& test,
                                                        std::span<const double> forecast);

}  // namespace cauchy
