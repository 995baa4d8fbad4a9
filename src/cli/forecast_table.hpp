#pragma once

#include <filesystem>
#include <ostream>
#include <vector>

#include <cauchy/applications/forecast_skill.hpp>
#include <cauchy/files/operator_run.hpp>
#include <cauchy/report/operator_report.hpp>

#include "cli/json.hpp"

namespace cauchy::cli {

/// The skill of the answers of a run that forecasts on the sphere, against the climate of its
/// training samples, which lie in its folder; empty for runs of other kinds.
[[nodiscard]] std::vector<ForecastSkill> skill_of(const OperatorAnswers& answers,
                                                  const LoadedOperator& run,
                                                  const std::filesystem::path& folder);
[[nodiscard]] Json skill_json(const std::vector<ForecastSkill>& skill);
/// A table for every field; nothing for none.
void print_skill(const std::vector<ForecastSkill>& skill, std::ostream& out);

}  // namespace cauchy::cli
