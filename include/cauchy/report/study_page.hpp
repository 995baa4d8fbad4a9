#pragma once

#include <string>

#include <cauchy/files/study.hpp>
#include <cauchy/report/picture.hpp>

namespace cauchy {

/// One HTML file about a study, complete in itself as html_report's: box plots of what was measured
/// and of the time, a table of medians and quartiles, the settings of the variants, all runs.
///   same     for the same results, to the last byte
[[nodiscard]] std::string html_study(const StudyResult& study);

/// The box plot of what was measured, one row per variant, on a logarithmic axis.
[[nodiscard]] Picture study_picture(const StudyResult& study);

}  // namespace cauchy
