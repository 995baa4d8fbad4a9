#include "optimizers/residual_search.hpp"

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>

#include "optimizers/vector_ops.hpp"

namespace cauchy {

std::string_view to_string(StepSearch search) noexcept {
  switch (search) {
    case StepSearch::backtracking:
      return "backtracking";
    case StepSearch::grid:
      return "grid";
    case StepSearch::wolfe:
      return "wolfe";
  }
  return "unknown";
}

namespace detail {

ResidualSearch::ResidualSearch(StepSearch search, std::uint64_t max_trials,
                               const LineSearchOptions& options, std::string_view place)
    : kind_(search), max_trials_(max_trials), rounding_(options.rounding), line_search_(options) {
  if (max_trials == 0) throw Error("max_trials must be at least 1, got 0", place);
}

bool ResidualSearch::begin(LeastSquares& f, LinearModel& model, std::span<const double> x,
                           StepReport& report) {
  bool finite = true;
  if (!model.at(f, x)) {
    ++report.evaluations;
    finite = model.evaluate(f, x);
  }
  report.value = model.value();
  report.gradient_norm = 2 * norm(model.g());
  if (!finite || !std::isfinite(report.gradient_norm)) {
    report.status = StepStatus::not_finite;
  } else if (report.gradient_norm == 0) {
    report.status = StepStatus::converged;
  }
  return report.status == StepStatus::progress;
}

/// One search along d; best_x_ is the point found.
ResidualSearch::Outcome ResidualSearch::along(LeastSquares& f, const LinearModel& model,
                                              std::span<const double> d, StepReport& report) {
  const auto x = model.x();
  const double slope = 2 * dot(model.g(), d);
  if (!(slope < 0)) return Outcome::nothing_lower;
  const bool tiny = -slope <= rounding_ * model.value();
  if (kind_ == StepSearch::wolfe) {
    const auto found = line_search_.search(f, x, d, model.value(), slope, 1.0);
    report.evaluations += found.evaluations;
    if (found.step > 0) {
      best_x_.assign(line_search_.point().begin(), line_search_.point().end());
      return Outcome::lower;
    }
    if (tiny) return Outcome::below_rounding;
    return found.status == LineSearchStatus::not_finite ? Outcome::not_finite
                                                        : Outcome::nothing_lower;
  }
  trial_x_.resize(x.size());
  trial_r_.resize(model.r().size());
  double best = 0, a = 1;
  bool any_finite = false;
  for (std::uint64_t k = 0; k < max_trials_; ++k, a /= 2) {
    for (std::size_t i = 0; i < x.size(); ++i) trial_x_[i] = x[i] + a * d[i];
    if (std::equal(x.begin(), x.end(), trial_x_.begin())) {
      if (best > 0) break;
      return k == 0 || any_finite ? Outcome::below_rounding : Outcome::not_finite;
    }
    if (!all_finite(trial_x_)) continue;
    f.residuals(trial_x_, trial_r_);
    ++report.evaluations;
    const double gain = decrease(model.r(), trial_r_);
    if (!std::isfinite(gain)) continue;
    any_finite = true;
    if (gain > best) {
      best = gain;
      best_x_ = trial_x_;
    }
    if (kind_ == StepSearch::backtracking && gain > 0 && gain >= -1e-4 * a * slope) break;
  }
  if (best > 0) return Outcome::lower;
  if (tiny) return Outcome::below_rounding;
  return any_finite ? Outcome::nothing_lower : Outcome::not_finite;
}

/// Evaluates the model at best_x_. Residuals without derivatives are of no use: where J is not
/// finite the search goes on along a quarter of that way. False: no such point, and the model
/// belongs to x again if it is still finite there.
bool ResidualSearch::settle(LeastSquares& f, LinearModel& model, std::span<const double> x,
                            std::span<double> d, StepReport& report) {
  constexpr int max_shorter = 20;  // 4^-20: one part in 1e12 of the first step
  for (int shorter = 0;; ++shorter) {
    ++report.evaluations;
    if (model.evaluate(f, best_x_)) return true;
    ++report.evaluations;
    if (!model.evaluate(f, x) || shorter == max_shorter) return false;
    for (std::size_t i = 0; i < x.size(); ++i) d[i] = (best_x_[i] - x[i]) / 4;
    if (along(f, model, d, report) != Outcome::lower) return false;
  }
}

void ResidualSearch::finish(LeastSquares& f, LinearModel& model, std::span<double> x, double mu,
                            double forcing, std::span<double> d, StepReport& report) {
  constexpr int max_raises = 8;
  Outcome outcome = all_finite(d) ? along(f, model, d, report) : Outcome::nothing_lower;
  for (int raise = 0;
       raise < max_raises && outcome != Outcome::lower && outcome != Outcome::below_rounding;
       ++raise) {
    mu = std::max(1e3 * mu, 1e-12 * model.curvature(f));
    if (!std::isfinite(mu)) break;
    if (model.solve(f, mu, model.r(), forcing, d)) outcome = along(f, model, d, report);
  }
  if (outcome == Outcome::lower && !settle(f, model, x, d, report)) outcome = Outcome::not_finite;
  if (outcome != Outcome::lower) {
    report.status = outcome == Outcome::below_rounding ? StepStatus::stalled
                    : outcome == Outcome::not_finite   ? StepStatus::not_finite
                                                       : StepStatus::line_search_failed;
    return;
  }
  double square = 0;
  for (std::size_t i = 0; i < x.size(); ++i) square += (best_x_[i] - x[i]) * (best_x_[i] - x[i]);
  std::copy(best_x_.begin(), best_x_.end(), x.begin());
  report.step_norm = std::sqrt(square);
  report.value = model.value();
  report.gradient_norm = 2 * norm(model.g());
  if (report.gradient_norm == 0) report.status = StepStatus::converged;
}

}  // namespace detail
}  // namespace cauchy
