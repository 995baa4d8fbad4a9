#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/data/data_set.hpp>

namespace cauchy {

/// How good the ensembles of one field are at each lead time (ensemble_scores.hpp), by the weights
/// cos(latitude), over all samples: means of CRPS, squared errors, variances and ranks. Of one
/// member CRPS is the mean absolute error, and there is no spread.
struct EnsembleSkill {
  std::string field = {};
  std::vector<double> lead = {};
  std::vector<double> crps = {};                ///< fair
  std::vector<double> rmse = {};                ///< of the mean of the ensemble
  std::vector<double> spread = {};              ///< NaN of one member
  std::vector<double> spread_skill = {};        ///< sqrt((M + 1) / M) spread / rmse
  std::vector<std::vector<double>> ranks = {};  ///< M + 1 shares at each lead
};
///   members  forecasts, each as `test.out`
///   error    throws Error without members, for sizes that do not fit, channels that are no frames,
///            and a grid without latitudes
[[nodiscard]] std::vector<EnsembleSkill> ensemble_skill(
    const DataSet& test, std::span<const std::vector<double>> members);

/// Power of one field by degree of the harmonics at the last lead time, mean over the samples:
/// sum over orders of |a_lm|^2, l = 0, 1, ..., all that the grid carries.
struct ForecastSpectrum {
  std::string field = {};
  double lead = 0;
  std::vector<double> truth = {};
  std::vector<double> member = {};  ///< mean over the members
  std::vector<double> mean = {};    ///< of the mean of the ensemble, which is smoother
};
///   error    as ensemble_skill, and for a grid that is no sphere
[[nodiscard]] std::vector<ForecastSpectrum> forecast_spectra(
    const DataSet& test, std::span<const std::vector<double>> members);

}  // namespace cauchy
