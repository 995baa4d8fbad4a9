#include <cauchy/optimizers/schedule.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>
#include <numbers>

namespace cauchy {

void check_options(const Schedule& schedule) {
  constexpr std::string_view place = "[optimizers.schedule]";
  if (schedule.steps == 0) throw Error("steps must be positive, got 0", place);
  if (!(schedule.final_factor > 0 && schedule.final_factor <= 1)) {
    throw Error(fmt::format("final_factor must be in (0, 1], got {}", schedule.final_factor),
                place);
  }
}

double schedule_factor(const Schedule& schedule, std::uint64_t t) noexcept {
  if (t < schedule.warmup_steps) {
    return static_cast<double>(t + 1) / static_cast<double>(schedule.warmup_steps);
  }
  const double progress =
      static_cast<double>(t - schedule.warmup_steps) / static_cast<double>(schedule.steps);
  const double q = schedule.final_factor;
  switch (schedule.shape) {
    case ScheduleShape::constant:
      break;
    case ScheduleShape::exponential:
      return std::pow(q, progress);
    case ScheduleShape::cosine:
      return q + (1 - q) * (1 + std::cos(std::numbers::pi * std::min(1.0, progress))) / 2;
  }
  return 1;
}

}  // namespace cauchy
