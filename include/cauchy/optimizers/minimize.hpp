#pragma once

#include <cauchy/base/progress.hpp>
#include <cauchy/base/status.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

/// When to stop; rules are asked after each iteration in the order of declaration.
struct Stopping {
  double gradient_tolerance = 0;  ///< Euclidean norm of the gradient at most this
  double target_value = -std::numeric_limits<double>::infinity();  ///< objective at most this
  /// f(k - window) - f(k) <= relative_decrease * |f(k - window)|; 0 turns the rule off.
  double relative_decrease = 0;
  std::uint64_t window = 20;
  std::uint64_t max_iterations = 1000;
  std::uint64_t max_evaluations = 0;  ///< 0: no limit; the last line search may run over it
  double max_seconds = 0;             ///< 0: no limit
};

/// What a callback of minimize() wants next.
enum class NextStep {
  proceed,
  stop,
  objective_changed  ///< the callback changed the objective: kept values are of no use
};

/// Who looks on.
struct Watching {
  Progress* progress = nullptr;     ///< null: silent
  std::uint64_t history_every = 1;  ///< iterations between entries of the history, 0: none
  /// Called after each iteration, counted from 1.
  std::function<NextStep(std::uint64_t iteration, const StepReport&, std::span<const double> x)>
      callback = {};
};

/// Which rule ended minimize().
enum class StopReason {
  gradient_tolerance,
  target_value,
  relative_decrease,
  max_iterations,
  max_evaluations,
  max_seconds,
  interrupted,  ///< by Progress or by the callback
  step_status   ///< the optimiser could not go on: see status
};

/// The name of the enumerator, "max_iterations"; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(StopReason reason) noexcept;

struct MinimizeReport {
  struct Entry {
    std::uint64_t iteration;
    double value, gradient_norm;  ///< as in StepReport
    std::uint64_t evaluations;    ///< since the start
  };
  Status status = Status::ok;  ///< converged for the first three reasons
  StopReason reason = StopReason::max_iterations;
  double value = 0;          ///< at x; not finite only when it was so at the start
  double gradient_norm = 0;  ///< the last one computed
  std::uint64_t iterations = 0, evaluations = 0;
  double seconds = 0;
  std::vector<Entry> history;
};

/// Repeats optimizer.step() until a rule says stop. After a first-order method the last point is
/// evaluated once more; where it is not finite x goes back to the point before.
///   error  throws Error on NaN or negative tolerances and limits, a window of 0 with
///          relative_decrease set, or x of another size than the objective
MinimizeReport minimize(Optimizer& optimizer, Objective& objective, std::span<double> x,
                        const Stopping& stopping = {}, const Watching& watching = {});

}  // namespace cauchy
