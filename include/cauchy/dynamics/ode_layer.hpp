#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/dynamics/vector_field.hpp>
#include <cauchy/math/ode.hpp>  // OdeStatus

namespace cauchy {

class OptionVisitor;

/// How trajectories are integrated.
///   euler, rk4       `steps` equal steps from each time to the next
///   dopri5, dop853   Dormand and Prince 5(4) and 8(5,3): adaptive, times in between by the
///                    continuous extension of the step
///   esdirk           Kennedy and Carpenter 4(3), L-stable, for stiff fields; adaptive, steps end
///                    at the times
enum class FlowScheme : std::uint8_t { euler, rk4, dopri5, dop853, esdirk };
[[nodiscard]] std::string_view to_string(FlowScheme scheme) noexcept;

struct FlowOptions {
  FlowScheme scheme = FlowScheme::dopri5;
  /// Adaptive schemes: the root mean square of the error of a step over the states of every
  /// trajectory, over (relative |y_i| + absolute), stays below 1.
  double relative = 1e-6, absolute = 1e-8;
  /// Equal steps from each time to the next; 0: adaptive (euler and rk4: 1).
  std::size_t steps = 0;
  std::size_t max_steps = 100'000;
};
void visit_options(FlowOptions& options, OptionVisitor& visitor);

/// How an integration of many trajectories ended.
struct FlowReport {
  OdeStatus status = OdeStatus::finished;
  std::string trouble = {};    ///< one sentence unless finished
  std::size_t trajectory = 0;  ///< where there was trouble
  double t = 0;                ///< likewise
  std::string component = {};  ///< the state with the fastest rate there
  std::size_t steps = 0, rejected = 0;
  std::size_t evaluations = 0;  ///< of the field, over blocks of trajectories
  std::size_t checkpoints = 0;  ///< most states that one block has kept for the transpose
  [[nodiscard]] bool good() const noexcept { return status == OdeStatus::finished; }
};

/// An event of a trajectory.
struct FlowEvent {
  double t;
  std::size_t event;                  ///< number of it in VectorFieldSpec::events
  std::vector<double> before, after;  ///< states
};

/// y' = F(t, y; theta) as a layer: starts and parameters in, states at given times out, with the
/// transposes of both. Trajectories go in blocks that share the relative lengths of their steps.
///   values       of trajectory i at its times: row-major times x states, one after the other
///   determinism  same bits for any number of threads; a block does not see the others
///   memory       states at about sqrt(n) of n steps, per block
///   failure      a step that becomes too small, numbers that are not finite: told in the report;
///                the values of that block are NaN
///   events       (VectorFieldSpec::events) are looked for 8 times between two given times and
///   found
///                to rounding; at the time of one its states are those behind it. Failure then
///                makes all values NaN
class OdeLayer final {
 public:
  ///   error    throws Error for a field or options that make no sense
  OdeLayer(VectorFieldSpec field, FlowOptions options = {}, std::shared_ptr<Threads> pool = {});
  ~OdeLayer();
  OdeLayer(OdeLayer&&) noexcept;
  OdeLayer& operator=(OdeLayer&&) noexcept;

  [[nodiscard]] const VectorFieldSpec& field() const noexcept;
  [[nodiscard]] std::size_t n_parameters() const noexcept;
  [[nodiscard]] std::size_t n_states() const noexcept;

  /// The times of every trajectory; the first one is where it starts.
  ///   error    throws Error naming the trajectory: no times, times that do not increase or are
  ///            not finite
  void set_times(const std::vector<std::vector<double>>& times);
  [[nodiscard]] std::size_t n_trajectories() const noexcept;
  [[nodiscard]] std::size_t n_values() const noexcept;
  /// Where the values of a trajectory begin.
  [[nodiscard]] std::size_t offset(std::size_t trajectory) const;

  /// Integrates; starts: row-major trajectories x states.
  FlowReport run(std::span<const double> theta, std::span<const double> starts,
                 std::span<double> values);
  // All of these take seeds, the derivatives of a loss by the values of the last run(), and write
  // its derivatives by theta and by the starts.
  /// The discrete adjoint: exact for the steps that were taken. Through events, whose times depend
  /// on everything, it is right to the accuracy of the integration.
  ///   event_seeds  derivatives by the times of events(0), events(1), ...; empty: 0
  void pull(std::span<const double> seeds, std::span<double> gradient,
            std::span<double> start_gradient, std::span<const double> event_seeds = {});
  /// What happened to a trajectory in the last run(), in the order of time.
  [[nodiscard]] std::span<const FlowEvent> events(std::size_t trajectory) const;
  /// The continuous adjoint a' = -(dF/dy)' a, g' = -(dF/dtheta)' a, integrated from the last time
  /// to the first with the same tolerances: right to the accuracy of both integrations. Not for
  /// fields with events.
  FlowReport pull_continuous(std::span<const double> seeds, std::span<double> gradient,
                             std::span<double> start_gradient);
  /// Forward sensitivities along the steps that were taken: the Jacobian of the values of one
  /// trajectory, row-major values x (n_parameters() + n_states()), starts behind parameters. Cost
  /// and memory grow with the number of columns.
  void jacobian(std::size_t trajectory, std::span<double> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cauchy
