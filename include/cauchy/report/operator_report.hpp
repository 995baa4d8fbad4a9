#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/applications/ensemble_skill.hpp>
#include <cauchy/data/operator_problem.hpp>
#include <cauchy/operators/learn.hpp>
#include <cauchy/report/html_report.hpp>  // HtmlOptions
#include <cauchy/report/picture.hpp>

namespace cauchy {

/// What a learnt operator answered for a set of samples.
struct OperatorAnswers {
  DataSet data = {};                    ///< inputs and truth
  std::vector<double> prediction = {};  ///< as data.out
  std::vector<std::size_t> given = {};  ///< channels that were not predicted
  OperatorError error = {};
  std::string name = "test";  ///< which samples: "test", "training"
};

/// The error of an operator on one grid.
struct ResolutionError {
  FieldGrid grid = {};
  OperatorError error = {};
  std::size_t times = 0;  ///< of the outputs; 0: they have none
};

/// One HTML file about a run that has learnt an operator, complete in itself: grade with findings,
/// the problem with its random inputs, learning curves, samples from the best to the worst (input,
/// truth, prediction, error), histogram of the errors, power spectra of truth and prediction, error
/// against resolution where several grids were looked at, settings.
///   robust   what is missing is left out, what cannot be drawn leaves a note with the reason
///   size     0.2 to 3 MB
///   same     for the same result and options, to the last byte
[[nodiscard]] std::string operator_report(const OperatorProblem& problem,
                                          const OperatorResult& result,
                                          const OperatorAnswers& answers,
                                          const std::vector<ResolutionError>& resolutions,
                                          const HtmlOptions& options = {});

/// Forecasts on the sphere: members (a single forecast is one), their scores and spectra.
struct ForecastAnswers {
  std::vector<std::vector<double>> members = {};  ///< each as data.out
  std::vector<EnsembleSkill> skill = {};
  std::vector<ForecastSpectrum> spectra = {};
  [[nodiscard]] bool empty() const noexcept { return skill.empty(); }
};

/// A page about errors on other grids: table, picture, samples of the last one; of forecasts their
/// scores, ranks, spectra and maps.
[[nodiscard]] std::string evaluation_report(const OperatorProblem& problem,
                                            const TrainedOperator& model,
                                            const std::vector<ResolutionError>& resolutions,
                                            const OperatorAnswers& answers,
                                            const ForecastAnswers& forecasts = {});

/// Mean relative errors against the number of nodes along the first axis, one line for every number
/// of times where there are several; another line marks the grid of the training.
[[nodiscard]] Picture resolution_picture(const std::vector<ResolutionError>& resolutions,
                                         const FieldGrid& trained);

/// Power of functions on a grid by wave number, cycles per length of the longest axis: entry k is
/// the sum of |c|^2 over all Fourier coefficients c with wave number in [k - 1/2, k + 1/2). Axes
/// that are not periodic are continued evenly, so that their ends make no noise.
///   rows     functions one after the other; the mean over them
///   error    throws Error for a cloud
[[nodiscard]] std::vector<double> power_spectrum(const FieldGrid& grid,
                                                 std::span<const double> rows);

}  // namespace cauchy
