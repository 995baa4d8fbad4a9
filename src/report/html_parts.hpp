#pragma once

#include <string>

#include <cauchy/report/html_report.hpp>

namespace cauchy::detail {

// The sections of a report, each complete HTML or empty where there is nothing to show.

std::string html_verdict(const Solution& solution);
std::string html_problem(const Solution& solution);
std::string html_history(const Solution& solution);
std::string html_unknowns(const Solution& solution);
std::string html_fields(const Solution& solution, std::size_t frames);
std::string html_points(const Solution& solution);
std::string html_checks(const Solution& solution);
std::string html_errors(const Solution& solution);
std::string html_run(const Solution& solution, const HtmlOptions& options);

/// Relative L2 error of the fields; NaN without a reference.
double reported_error(const Solution& solution);

}  // namespace cauchy::detail
