#pragma once

#include <cauchy/optimizers/gauss_newton.hpp>
#include <cauchy/optimizers/least_squares.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "optimizers/linear_model.hpp"

namespace cauchy::detail {

/// The searches of StepSearch, and the part of a step that GaussNewton and NaturalGradient share.
class ResidualSearch {
 public:
  /// Throws Error on a max_trials of 0 or bad line-search options.
  ResidualSearch(StepSearch search, std::uint64_t max_trials, const LineSearchOptions& options,
                 std::string_view place);

  /// Fills the report for x, evaluating the model when it is not known there. True when the step
  /// can go on, false when the report says why not.
  bool begin(LeastSquares& f, LinearModel& model, std::span<const double> x, StepReport& report);
  /// Moves x along d, or, where nothing lower lies there, along directions of ever larger damping,
  /// and evaluates the model at the end. d is the direction taken, also when nothing was found.
  void finish(LeastSquares& f, LinearModel& model, std::span<double> x, double mu, double forcing,
              std::span<double> d, StepReport& report);

 private:
  enum class Outcome { lower, nothing_lower, below_rounding, not_finite };
  Outcome along(LeastSquares& f, const LinearModel& model, std::span<const double> d,
                StepReport& report);
  bool settle(LeastSquares& f, LinearModel& model, std::span<const double> x, std::span<double> d,
              StepReport& report);

  StepSearch kind_;
  std::uint64_t max_trials_;
  double rounding_;
  LineSearch line_search_;
  std::vector<double> trial_x_, trial_r_, best_x_;
};

}  // namespace cauchy::detail
