#pragma once

#include <string>

#include <cauchy/report/operator_report.hpp>

namespace cauchy::detail {

// The sections of the report of an operator, each complete HTML or empty where there is nothing to
// show.

std::string html_operator_verdict(const OperatorProblem& problem, const OperatorResult& result);
std::string html_operator_inputs(const OperatorProblem& problem);
std::string html_learning_curves(const OperatorResult& result, OperatorLoss loss, double tolerance);
std::string html_operator_errors(const OperatorResult& result);
/// Samples from the best to the worst.
std::string html_operator_samples(const OperatorAnswers& answers);
std::string html_error_histogram(const OperatorResult& result);
std::string html_operator_spectra(const OperatorAnswers& answers);
/// Relative error and R2 of the fields over their times.
std::string html_operator_courses(const OperatorAnswers& answers);
/// What follows from a sample of a simulator, from truth and answer: rates of wells.
std::string html_sample_curves(const OperatorProblem& problem, const OperatorAnswers& answers);
/// Scores, ranks, spectra and maps of forecasts on the sphere.
std::string html_forecasts(const OperatorAnswers& answers, const ForecastAnswers& forecasts);
std::string html_resolutions(const std::vector<ResolutionError>& resolutions,
                             const FieldGrid& trained);

/// Samples that are shown, from the best to the worst, and what they are called.
struct ShownSample {
  std::size_t number;
  std::string name;  ///< "best", "median"
};
[[nodiscard]] std::vector<ShownSample> shown_samples(const OperatorError& error);

}  // namespace cauchy::detail
