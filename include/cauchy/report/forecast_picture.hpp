#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <cauchy/applications/ensemble_skill.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/report/picture.hpp>

namespace cauchy {

/// One field of a sample on latitudes and longitudes at three lead times, the first, a middle and
/// the last one: rows of truth, forecast (of an ensemble the mean) and its error; of an ensemble
/// its spread too.
///   members  forecasts, each as `test.out`
///   error    throws Error for a field or a sample that there is not
[[nodiscard]] Picture forecast_picture(const DataSet& test,
                                       std::span<const std::vector<double>> members,
                                       const std::string& field, std::size_t sample);

/// Power by degree of truth, members and, of more than one, their mean: a panel for every field.
[[nodiscard]] Picture spectra_picture(std::span<const ForecastSpectrum> spectra);

}  // namespace cauchy
