#include <cauchy/optimizers/optimizer.hpp>

namespace cauchy {

std::string_view to_string(StepStatus status) noexcept {
  switch (status) {
    case StepStatus::progress:
      return "progress";
    case StepStatus::converged:
      return "converged";
    case StepStatus::stalled:
      return "stalled";
    case StepStatus::line_search_failed:
      return "line_search_failed";
    case StepStatus::diverged:
      return "diverged";
    case StepStatus::not_finite:
      return "not_finite";
  }
  return "unknown";
}

Status to_status(StepStatus status) noexcept {
  switch (status) {
    case StepStatus::progress:
      return Status::ok;
    case StepStatus::converged:
      return Status::converged;
    case StepStatus::stalled:
      return Status::stalled;
    case StepStatus::line_search_failed:
      return Status::line_search_failed;
    case StepStatus::diverged:
      return Status::diverged;
    case StepStatus::not_finite:
      break;
  }
  return Status::not_finite;
}

}  // namespace cauchy
