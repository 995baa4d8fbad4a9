#pragma once

#include <cstdint>
#include <limits>

namespace cauchy {

enum class ScheduleShape { constant, exponential, cosine, step, plateau };

/// When the plateau shape lowers the rate.
struct PlateauRule {
  std::uint64_t patience = 100;  ///< steps in a row without a new best value that are put up with
  double threshold = 1e-4;       ///< a new best value lies below best - threshold * |best|
  std::uint64_t cooldown = 0;    ///< steps after a cut that are not counted
  double min_factor = 1e-3;      ///< the factor never falls below this
};

/// How a learning rate changes: a factor in (0, 1] for step t = 0, 1, 2, ...
///   warm-up      (t + 1) / warmup_steps for t < warmup_steps; afterwards k = t - warmup_steps
///   constant     1
///   exponential  final_factor^(k / steps), also beyond `steps`
///   cosine       q + (1 - q) (1 + cos(pi min(1, k / steps))) / 2 with q = final_factor
///   step         drop_factor^floor(k / steps)
///   plateau      starts at 1; is multiplied by drop_factor when the objective has had more than
///                `patience` counted steps in a row without a new best value. The steps of the
///                warm-up and of a cooldown are not counted.
struct Schedule {
  ScheduleShape shape = ScheduleShape::constant;
  std::uint64_t steps = 1000;
  double final_factor = 0.01;
  std::uint64_t warmup_steps = 0;
  double drop_factor = 0.5;
  PlateauRule plateau = {};
};

/// What the plateau shape carries from step to step.
struct PlateauState {
  double factor = 1;
  double best = std::numeric_limits<double>::infinity();
  std::uint64_t bad_steps = 0, cooldown_left = 0;
  friend bool operator==(const PlateauState&, const PlateauState&) = default;
};

/// Throws Error on steps of 0, a final_factor outside (0, 1], a drop_factor outside (0, 1), a
/// threshold outside [0, 1) or a min_factor outside (0, 1].
void check_options(const Schedule& schedule);

/// The factor of step t; the options must have been checked. For the plateau shape, which needs
/// the values, this is the factor before any cut.
[[nodiscard]] double schedule_factor(const Schedule& schedule, std::uint64_t t) noexcept;

/// The factor of step t, at whose start the objective is `value` (finite). Changes `state` when the
/// shape is plateau. To be called once for each step, in order.
[[nodiscard]] double schedule_factor(const Schedule& schedule, std::uint64_t t, double value,
                                     PlateauState& state) noexcept;

/// After a change of the objective old values do not count: the next value is the new best one,
/// and the number of bad steps stays as it is until it is beaten.
void forget_values(PlateauState& state) noexcept;

}  // namespace cauchy
