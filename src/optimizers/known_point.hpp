#pragma once

#include <span>
#include <vector>

#include <cauchy/optimizers/line_search.hpp>
#include <cauchy/optimizers/optimizer.hpp>

namespace cauchy::detail {

/// What methods with a line search carry from step to step: a point with its value and gradient.
struct KnownPoint {
  bool& known;  ///< value and g belong to x
  double& value;
  std::vector<double>&x, &g;

  /// Evaluates at `at` unless that is the known point, and reports it. Returns false when the step
  /// ends here: something is not finite, or the gradient is zero.
  bool look(Objective& objective, std::span<const double> at, StepReport& report);
};

/// How a step ends whose search did not move.
[[nodiscard]] StepStatus without_move(LineSearchStatus status) noexcept;
/// How a step goes on whose search moved: the longest step means that there is no minimum in sight.
[[nodiscard]] StepStatus after_move(LineSearchStatus status) noexcept;

}  // namespace cauchy::detail
