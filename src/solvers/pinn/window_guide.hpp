#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/pinn/time_system.hpp"
#include "solvers/pinn/window_field.hpp"

namespace cauchy::detail {

/// Windows of a problem in time alone, as an integrator would choose and judge them. It knows
/// nothing (false) where the equations are no explicit system; windows then follow residuals.
class WindowGuide final {
 public:
  WindowGuide() = default;
  explicit WindowGuide(const std::shared_ptr<const Problem>& problem)
      : system_(TimeSystem::of(problem)) {}
  explicit operator bool() const noexcept { return system_ != nullptr; }

  /// Cuts a window that is too much for one network, unless it is fixed, and scales its fields by
  /// what they will change. What follows is about this window.
  void plan(Window& window, std::span<const WindowField::Part> before, bool fixed);
  /// For HandedStart::errors.
  [[nodiscard]] const Matrix& errors() const noexcept { return outlook_.errors; }
  /// The largest estimated error of a component, over its size.
  [[nodiscard]] double error_of(const Window& window, const FieldModel& field) const;

  /// Takes the estimated errors out of the state at the end of a window, where they are small.
  void correct(const WindowField::Part& part, std::span<double> state) const;

 private:
  [[nodiscard]] const std::vector<double>& start_of(const Window& window) const {
    return window.start.empty() ? system_->first_state() : window.start;
  }

  std::shared_ptr<const TimeSystem> system_;
  TimeSystem::Outlook outlook_;
};

}  // namespace cauchy::detail
