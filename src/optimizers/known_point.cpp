#include "optimizers/known_point.hpp"

#include <algorithm>
#include <cmath>

#include "optimizers/vector_ops.hpp"

namespace cauchy::detail {

bool KnownPoint::look(Objective& objective, std::span<const double> at, StepReport& report) {
  if (!known || !std::equal(at.begin(), at.end(), x.begin())) {
    known = false;  // also when the objective throws
    std::copy(at.begin(), at.end(), x.begin());
    value = objective.gradient(x, g);
    ++report.evaluations;
    known = std::isfinite(value) && all_finite(g) && all_finite(x);
  }
  report.value = value;
  report.gradient_norm = norm(g);
  if (!known || !std::isfinite(report.gradient_norm)) {
    report.status = StepStatus::not_finite;
    return false;
  }
  if (report.gradient_norm == 0) {
    report.status = StepStatus::converged;
    return false;
  }
  return true;
}

StepStatus without_move(LineSearchStatus status) noexcept {
  return status == LineSearchStatus::not_finite ? StepStatus::not_finite
                                                : StepStatus::line_search_failed;
}

StepStatus after_move(LineSearchStatus status) noexcept {
  return status == LineSearchStatus::max_step ? StepStatus::diverged : StepStatus::progress;
}

}  // namespace cauchy::detail
