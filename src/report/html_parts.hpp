#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cauchy/report/html_report.hpp>

namespace cauchy::detail {

// The sections of a report, each complete HTML or empty where there is nothing to show.

std::string html_verdict(const Solution& solution);
std::string html_problem(const Solution& solution);
std::string html_choices(const Solution& solution,
                         std::string_view title = "What the recipe chose");
std::string html_history(const Solution& solution);
std::string html_events(const Solution& solution);
/// What was measured of the training; empty without a diagnosis.
std::string html_diagnosis(const Solution& solution);
std::string html_unknowns(const Solution& solution);
std::string html_fields(const Solution& solution, std::size_t frames);
/// Gates and experts of a mixture; empty for other networks.
std::string html_experts(const Solution& solution);
std::string html_points(const Solution& solution);
std::string html_data(const Solution& solution);
std::string html_residual_maps(const Solution& solution);
std::string html_checks(const Solution& solution);
std::string html_errors(const Solution& solution);
/// Estimates and bounds, with the estimated error as pictures.
std::string html_error_bars(const Solution& solution);
/// Truth minus answer, estimated, as pictures without a section of their own; empty where it is not
/// known point by point.
std::string html_correction(const Solution& solution);
std::string html_run(const Solution& solution, const HtmlOptions& options);

/// The card of a grade with its findings, and `more` (HTML) below them.
std::string html_grade(Grade grade, const std::vector<std::string>& findings,
                       std::string_view more);
/// A number with its name, inside of <dl class="tiles">; both are HTML.
std::string html_tile(std::string_view name, const std::string& value);

/// "x = 0.3, t = 1": the coordinates of a point, at most six of them.
std::string html_point(const std::vector<std::string>& names, const std::vector<double>& point);

/// Warnings of `check` about the problem, for the verdict; empty without any.
std::string html_warnings(const std::vector<std::string>& warnings);

}  // namespace cauchy::detail
