#include <cauchy/base/status.hpp>

namespace cauchy {

std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::converged:
      return "converged";
    case Status::stalled:
      return "stalled";
    case Status::diverged:
      return "diverged";
    case Status::not_finite:
      return "not_finite";
    case Status::singular:
      return "singular";
    case Status::step_underflow:
      return "step_underflow";
    case Status::line_search_failed:
      return "line_search_failed";
    case Status::interrupted:
      return "interrupted";
    case Status::budget_exhausted:
      return "budget_exhausted";
  }
  return "unknown";
}

std::string_view describe(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "finished";
    case Status::converged:
      return "the tolerance was met";
    case Status::stalled:
      return "no further progress before the tolerance was met";
    case Status::diverged:
      return "the iterates grew without bound";
    case Status::not_finite:
      return "a NaN or an infinity appeared";
    case Status::singular:
      return "a matrix was singular";
    case Status::step_underflow:
      return "the step became too small to matter";
    case Status::line_search_failed:
      return "no acceptable step along the search direction";
    case Status::interrupted:
      return "stopped on request";
    case Status::budget_exhausted:
      return "the limit of steps, evaluations or time was reached";
  }
  return "unknown status";
}

std::optional<Status> status_from_string(std::string_view name) noexcept {
  for (const Status status : all_statuses) {
    if (to_string(status) == name) return status;
  }
  return std::nullopt;
}

}  // namespace cauchy
