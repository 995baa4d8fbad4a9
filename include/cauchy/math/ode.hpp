#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/function_ref.hpp>

namespace cauchy {

namespace detail {
class OdeRun;
}

/// y' = f(t, y): writes the slope at (t, y) into dy.
using OdeFunction = FunctionRef<void(double t, std::span<const double> y, std::span<double> dy)>;

/// Explicit Runge-Kutta pairs with step control and a continuous extension:
///   dopri5   Dormand and Prince 5(4), extension of order 4; for tolerances above about 1e-6
///   dop853   Dormand and Prince 8(5,3), extension of order 7
enum class OdePair : std::uint8_t { dopri5, dop853 };

///   finished        reached the end
///   event           a terminal event came first
///   stopped         OdeOptions::stop asked for it
///   step_too_small  no step beyond rounding keeps the tolerance: a singularity, or a jump
///   too_many_steps  OdeOptions::max_steps
///   not_finite      f has no finite values there
///   stiff           OdeOptions::stop_when_stiff, and steps are limited by stability, not accuracy:
///                   an implicit method would be faster
enum class OdeStatus : std::uint8_t {
  finished,
  event,
  stopped,
  step_too_small,
  too_many_steps,
  not_finite,
  stiff
};

/// A function whose zeros along the solution are wanted.
struct OdeEvent {
  std::function<double(double t, std::span<const double> y)> value;
  int direction = 0;      ///< 1: only where it rises in the direction of integration; -1: falls
  bool terminal = false;  ///< the integration ends there
};

struct OdeOptions {
  OdePair pair = OdePair::dop853;
  /// The root mean square of each step's error over (relative |y_i| + absolute) stays below 1.
  double relative = 1e-6, absolute = 1e-9;
  double first_step = 0;  ///< 0: chosen
  double max_step = 0;    ///< 0: no limit
  std::size_t max_steps = 1'000'000;
  bool curve = false;                       ///< keep OdeResult::curve
  bool stop_when_stiff = false;             ///< OdeStatus::stiff instead of many small steps
  std::function<bool(double t)> stop = {};  ///< asked after every step
};

/// The solution between all steps: one polynomial per step, once continuously differentiable.
class OdeCurve final {
 public:
  [[nodiscard]] std::size_t n_steps() const noexcept { return starts_.size(); }
  /// Times of the steps from the first to the last; one more than steps.
  [[nodiscard]] std::vector<double> knots() const;
  /// y, or y', at a time; beyond the ends the outermost polynomial is continued. O(log steps).
  ///   error    throws Error when there is no step, or the size is wrong
  void value(double t, std::span<double> y) const;
  void derivative(double t, std::span<double> dy) const;

 private:
  friend class detail::OdeRun;
  void add(double t, double h, std::span<const double> coefficients);
  void evaluate(double t, std::span<double> y, std::span<double> dy) const;

  std::size_t n_ = 0, per_step_ = 0;
  std::vector<double> starts_, steps_, coefficients_;
  double end_ = 0;
};

struct OdeResult {
  struct Crossing {
    std::size_t event;  ///< index
    double t;
    std::vector<double> y;
  };
  OdeStatus status = OdeStatus::finished;
  std::string trouble = {};  ///< one sentence unless finished, event or stopped
  double t = 0;              ///< where it ended
  std::vector<double> y = {};
  std::vector<Crossing> crossings = {};  ///< in the order of the integration
  OdeCurve curve = {};
  std::size_t steps = 0, rejected = 0, evaluations = 0;
  bool stiff = false;  ///< looked stiff somewhere
};

/// Integrates y' = f(t, y) from y(t0) = y0 to t1, which may lie before t0.
///   events   looked at on four parts of every step: two zeros of one part are missed; a zero at t0
///            itself does not count. Located on the continuous extension to rounding
///   error    throws Error for tolerances, steps or sizes that make no sense; trouble on the way is
///            a status, with the solution until there
///   cost     6 (dopri5) or 12 (dop853) evaluations per step, 3 more for dop853 when the curve or
///            events are wanted; nothing is allocated per step but curve and crossings
[[nodiscard]] OdeResult integrate_ode(OdeFunction f, double t0, std::span<const double> y0,
                                      double t1, const OdeOptions& options = {},
                                      std::span<const OdeEvent> events = {});

}  // namespace cauchy
