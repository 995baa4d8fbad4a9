#pragma once

#include <cstdint>

namespace cauchy {

enum class ScheduleShape { constant, exponential, cosine };

/// How a learning rate changes: a factor in (0, 1] for step t = 0, 1, 2, ...
///   warm-up      (t + 1) / warmup_steps for t < warmup_steps; afterwards k = t - warmup_steps
///   constant     1
///   exponential  final_factor^(k / steps), also beyond `steps`
///   cosine       q + (1 - q) (1 + cos(pi min(1, k / steps))) / 2 with q = final_factor
struct Schedule {
  ScheduleShape shape = ScheduleShape::constant;
  std::uint64_t steps = 1000;
  double final_factor = 0.01;
  std::uint64_t warmup_steps = 0;
};

/// Throws Error on steps of 0 or a final_factor outside (0, 1].
void check_options(const Schedule& schedule);

/// The factor of step t; the options must have been checked.
[[nodiscard]] double schedule_factor(const Schedule& schedule, std::uint64_t t) noexcept;

}  // namespace cauchy
