#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace cauchy {

/// How a numerical computation ended. Misuse throws Error; what can go wrong with numbers is a
/// Status in the result, so that the caller still gets the best answer found and its history.
enum class Status {
  ok,                  ///< finished, nothing to converge
  converged,           ///< the tolerance was met
  stalled,             ///< no further progress, the tolerance was not met
  diverged,            ///< the iterates or the error grew without bound
  not_finite,          ///< a NaN or an infinity appeared
  singular,            ///< a matrix or an operator could not be inverted
  step_underflow,      ///< the step became too small to change the iterate or the time
  line_search_failed,  ///< no acceptable step along the search direction
  interrupted,         ///< the caller asked to stop
  budget_exhausted     ///< the limit of steps, evaluations or time was reached first
};

/// Every value of Status, in the order of declaration.
inline constexpr std::array all_statuses = {Status::ok,
                                            Status::converged,
                                            Status::stalled,
                                            Status::diverged,
                                            Status::not_finite,
                                            Status::singular,
                                            Status::step_underflow,
                                            Status::line_search_failed,
                                            Status::interrupted,
                                            Status::budget_exhausted};

/// True when the computation did what was asked: ok or converged.
[[nodiscard]] constexpr bool succeeded(Status status) noexcept {
  return status == Status::ok || status == Status::converged;
}

/// True when the result must not be used as an approximation: diverged, not_finite or singular.
/// The other failures leave an answer that is usable, though not to the tolerance asked for.
[[nodiscard]] constexpr bool is_unusable(Status status) noexcept {
  return status == Status::diverged || status == Status::not_finite || status == Status::singular;
}

/// The name of the enumerator, "line_search_failed"; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(Status status) noexcept;

/// One clause for people, "no acceptable step along the search direction".
[[nodiscard]] std::string_view describe(Status status) noexcept;

/// Inverse of to_string; empty when no status has this name.
[[nodiscard]] std::optional<Status> status_from_string(std::string_view name) noexcept;

}  // namespace cauchy
