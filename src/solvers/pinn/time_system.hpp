#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/math/matrix.hpp>
#include <cauchy/problem/solution.hpp>

#include "solvers/ode/ode_conditions.hpp"

namespace cauchy::detail {

/// What an integrator knows of a problem in time alone: y' = f(t, y) for the state y of all fields
/// and their derivatives below the highest, in the order of handed_on().
class TimeSystem final {
 public:
  /// Null where the equations do not have this form or do not determine the first state.
  [[nodiscard]] static std::shared_ptr<const TimeSystem> of(
      const std::shared_ptr<const Problem>& problem);

  [[nodiscard]] const OdeSystem& system() const noexcept { return *ode_->system; }
  [[nodiscard]] const std::vector<double>& first_state() const noexcept { return first_; }

  /// What a rough integration finds (steps of 1 %, linearly implicit, extrapolated).
  struct Outlook {
    double end = 0;  ///< as far as one small network reaches, not beyond a jump of the equations
    /// Of every component: its largest absolute value, and the largest distance from its start.
    std::vector<double> sizes, changes;
    /// Components x equations: from residuals to errors in units of `sizes`, about those of an
    /// implicit step. Fast components forget residuals, slow sums of them do not.
    Matrix errors;
  };
  ///   known    sizes of the components so far; a thousandth of them is small
  ///   whole    looks at all of the time, whether or not one network reaches so far
  [[nodiscard]] Outlook look_ahead(double begin, std::span<const double> state, double end,
                                   std::span<const double> known, bool whole = false) const;

  struct FieldError {
    std::vector<double> largest, at_end;  ///< of every component: absolute value, and with its sign
  };
  /// The error of a field between two times against the solution through `state` at the first one:
  /// e' = J e + (y' - f(t, y)), linear in e, by the Radau method of order 5 in small steps.
  ///   failure  NaN
  [[nodiscard]] FieldError error_of(const FieldModel& field, double begin, double end,
                                    std::span<const double> state) const;

 private:
  explicit TimeSystem(const std::shared_ptr<const Problem>& problem);
  [[nodiscard]] double first_jump(double begin, double end) const;
  [[nodiscard]] bool rough_step(double t, double h, std::span<const double> y,
                                std::span<double> out) const;
  [[nodiscard]] Matrix error_matrix(double t, double length, std::span<const double> state,
                                    std::span<const double> sizes) const;

  std::unique_ptr<OdeProblem> ode_;
  std::vector<double> first_;
};

}  // namespace cauchy::detail
