#pragma once

#include <filesystem>
#include <ostream>

#include <cauchy/files/study.hpp>

#include "cli/json.hpp"

namespace cauchy::cli {

[[nodiscard]] Json study_json(const StudyResult& study);
/// What was measured, a table of medians and quartiles, and why runs failed.
void print_study(const StudyResult& study, std::ostream& out);
/// study.json, study.svg and study.html.
void save_study(const StudyResult& study, const std::filesystem::path& folder);

}  // namespace cauchy::cli
