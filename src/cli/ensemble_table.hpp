#pragma once

#include <filesystem>
#include <ostream>
#include <vector>

#include <cauchy/applications/ensemble_skill.hpp>
#include <cauchy/files/operator_run.hpp>
#include <cauchy/report/operator_report.hpp>

#include "cli/json.hpp"

namespace cauchy::cli {

/// The forecasts of a run that forecasts on the sphere as ensembles: a network without noise has
/// one member, whose CRPS is its mean absolute error. Empty for runs of other kinds.
[[nodiscard]] ForecastAnswers ensemble_of(const OperatorAnswers& answers, const LoadedOperator& run,
                                          int threads);
[[nodiscard]] Json ensemble_json(const ForecastAnswers& table);
/// Scores of every field; nothing for none.
void print_ensemble(const ForecastAnswers& table, std::ostream& out);
/// forecast_FIELD.svg and spectra.svg in the folder; their names.
std::vector<std::filesystem::path> save_forecasts(const std::filesystem::path& folder,
                                                  const OperatorAnswers& answers,
                                                  const ForecastAnswers& table);

}  // namespace cauchy::cli
