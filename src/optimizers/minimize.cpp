#include <cauchy/optimizers/minimize.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cmath>
#include <deque>
#include <optional>

#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::string_view minimize_place = "[optimizers.minimize]";

void require_not_negative(std::string_view what, double value) {
  if (!(value >= 0)) {
    throw Error(fmt::format("{} must not be negative, got {}", what, value), minimize_place);
  }
}

void check_options(const Stopping& stopping) {
  require_not_negative("gradient_tolerance", stopping.gradient_tolerance);
  require_not_negative("relative_decrease", stopping.relative_decrease);
  require_not_negative("max_seconds", stopping.max_seconds);
  if (std::isnan(stopping.target_value))
    throw Error("target_value must not be NaN", minimize_place);
  if (stopping.relative_decrease > 0 && stopping.window == 0) {
    throw Error("the window of relative_decrease must be positive, got 0", minimize_place);
  }
}

/// The values of the last iterations, for the rule on the relative decrease.
class Window {
 public:
  explicit Window(const Stopping& stopping)
      : decrease_(stopping.relative_decrease), length_(stopping.window) {}
  void clear() { values_.clear(); }
  /// Takes the value of one iteration and tells whether the decrease is now too small.
  bool too_small(double value) {
    if (decrease_ == 0) return false;
    values_.push_back(value);
    if (values_.size() <= length_) return false;
    const double before = values_.front();
    values_.pop_front();
    return before - value <= decrease_ * std::abs(before);
  }

 private:
  double decrease_;
  std::uint64_t length_;
  std::deque<double> values_;
};

Status status_of(StopReason reason, StepStatus step) {
  switch (reason) {
    case StopReason::gradient_tolerance:
    case StopReason::target_value:
    case StopReason::relative_decrease:
      return Status::converged;
    case StopReason::interrupted:
      return Status::interrupted;
    case StopReason::step_status:
      return to_status(step);
    default:
      return Status::budget_exhausted;
  }
}

}  // namespace

std::string_view to_string(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::gradient_tolerance:
      return "gradient_tolerance";
    case StopReason::target_value:
      return "target_value";
    case StopReason::relative_decrease:
      return "relative_decrease";
    case StopReason::max_iterations:
      return "max_iterations";
    case StopReason::max_evaluations:
      return "max_evaluations";
    case StopReason::max_seconds:
      return "max_seconds";
    case StopReason::interrupted:
      return "interrupted";
    case StopReason::step_status:
      return "step_status";
  }
  return "unknown";
}

MinimizeReport minimize(Optimizer& optimizer, Objective& objective, std::span<double> x,
                        const Stopping& stopping, const Watching& watching) {
  check_options(stopping);
  detail::check_sizes(objective, x.size(), 0, minimize_place);
  const RunLimit limit = RunLimit::of_run(stopping.max_seconds, nullptr);
  const auto elapsed = [&] { return limit.seconds(); };

  MinimizeReport report;
  StepReport step;
  Window window(stopping);
  std::vector<double> before;  // x on entry of the last step, of use to first-order methods
  std::array<ProgressValue, 2> values{{{"value", 0}, {"gradient norm", 0}}};
  ProgressState state;
  state.total = stopping.max_iterations;
  state.values = values;

  const auto after_step = [&]() -> std::optional<StopReason> {
    if (step.status != StepStatus::progress) return StopReason::step_status;
    if (step.gradient_norm <= stopping.gradient_tolerance) return StopReason::gradient_tolerance;
    if (step.value <= stopping.target_value) return StopReason::target_value;
    if (window.too_small(step.value)) return StopReason::relative_decrease;
    if (report.iterations >= stopping.max_iterations) return StopReason::max_iterations;
    if (stopping.max_evaluations > 0 && report.evaluations >= stopping.max_evaluations) {
      return StopReason::max_evaluations;
    }
    if (limit.reached()) return StopReason::max_seconds;
    return std::nullopt;
  };
  const auto record = [&] {
    report.history.push_back(
        {report.iterations, step.value, step.gradient_norm, report.evaluations});
  };

  std::optional<StopReason> reason;
  if (stopping.max_iterations == 0) reason = StopReason::max_iterations;
  while (!reason) {
    before.assign(x.begin(), x.end());
    step = optimizer.step(objective, x);
    ++report.iterations;
    report.evaluations += step.evaluations;
    report.seconds = elapsed();
    reason = after_step();
    if (watching.history_every > 0 &&
        (reason || (report.iterations - 1) % watching.history_every == 0)) {
      record();
    }
    if (watching.progress != nullptr) {
      state.step = report.iterations;
      state.elapsed_s = report.seconds;
      values[0].value = step.value;
      values[1].value = step.gradient_norm;
      watching.progress->update(state);
      if (!reason && watching.progress->stop_requested()) reason = StopReason::interrupted;
    }
    if (watching.callback) {
      const NextStep next = watching.callback(report.iterations, step, x);
      if (next == NextStep::objective_changed) {
        optimizer.objective_changed();
        window.clear();
      }
      if (!reason && next == NextStep::stop) reason = StopReason::interrupted;
    }
  }
  report.reason = *reason;
  report.status = status_of(*reason, step.status);
  report.value = step.value;
  report.gradient_norm = step.gradient_norm;
  if (report.iterations == 0) {
    report.value = objective.value(x);
    ++report.evaluations;
  } else if (!step.at_x) {
    if (reason == StopReason::gradient_tolerance || reason == StopReason::target_value) {
      std::copy(before.begin(), before.end(), x.begin());  // the point that met the rule
    } else {
      const double value = objective.value(x);
      ++report.evaluations;
      if (std::isfinite(value)) {
        report.value = value;
      } else {
        std::copy(before.begin(), before.end(), x.begin());
        report.status = Status::not_finite;
      }
    }
  }
  report.seconds = state.elapsed_s = elapsed();
  if (watching.progress != nullptr) watching.progress->finish(state);
  return report;
}

}  // namespace cauchy
