#include <cauchy/optimizers/schedule.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>
#include <numbers>

namespace cauchy {
namespace {

void require_schedule(bool good, std::string_view what, std::string_view range, double value) {
  if (!good) {
    throw Error(fmt::format("{} must be in {}, got {}", what, range, value),
                "[optimizers.schedule]");
  }
}

void take_value(const Schedule& schedule, double value, PlateauState& state) noexcept {
  const PlateauRule& rule = schedule.plateau;
  // The first value after a start or a change of the objective is a reference, not progress.
  if (std::isinf(state.best)) {
    state.best = value;
    return;
  }
  if (value < state.best - rule.threshold * std::abs(state.best)) {
    state.best = value;
    state.bad_steps = 0;
  } else {
    ++state.bad_steps;
  }
  if (state.cooldown_left > 0) {
    --state.cooldown_left;
    state.bad_steps = 0;
  }
  if (state.bad_steps > rule.patience) {
    // A min_factor above the present factor must not raise it.
    state.factor =
        std::min(state.factor, std::max(state.factor * schedule.drop_factor, rule.min_factor));
    state.cooldown_left = rule.cooldown;
    state.bad_steps = 0;
  }
}

}  // namespace

void check_options(const Schedule& schedule) {
  if (schedule.steps == 0) throw Error("steps must be positive, got 0", "[optimizers.schedule]");
  const double q = schedule.final_factor, drop = schedule.drop_factor;
  const double threshold = schedule.plateau.threshold, least = schedule.plateau.min_factor;
  require_schedule(q > 0 && q <= 1, "final_factor", "(0, 1]", q);
  require_schedule(drop > 0 && drop < 1, "drop_factor", "(0, 1)", drop);
  require_schedule(threshold >= 0 && threshold < 1, "plateau.threshold", "[0, 1)", threshold);
  require_schedule(least > 0 && least <= 1, "plateau.min_factor", "(0, 1]", least);
}

double schedule_factor(const Schedule& schedule, std::uint64_t t) noexcept {
  if (t < schedule.warmup_steps) {
    return static_cast<double>(t + 1) / static_cast<double>(schedule.warmup_steps);
  }
  const std::uint64_t k = t - schedule.warmup_steps;
  const double progress = static_cast<double>(k) / static_cast<double>(schedule.steps);
  const double q = schedule.final_factor;
  switch (schedule.shape) {
    case ScheduleShape::constant:
    case ScheduleShape::plateau:
      break;
    case ScheduleShape::exponential:
      return std::pow(q, progress);
    case ScheduleShape::cosine:
      return q + (1 - q) * (1 + std::cos(std::numbers::pi * std::min(1.0, progress))) / 2;
    case ScheduleShape::step:
      return std::pow(schedule.drop_factor, static_cast<double>(k / schedule.steps));
  }
  return 1;
}

double schedule_factor(const Schedule& schedule, std::uint64_t t, double value,
                       PlateauState& state) noexcept {
  const double factor = schedule_factor(schedule, t);
  if (schedule.shape != ScheduleShape::plateau || t < schedule.warmup_steps) return factor;
  take_value(schedule, value, state);
  return factor * state.factor;
}

void forget_values(PlateauState& state) noexcept {
  state.best = std::numeric_limits<double>::infinity();
}

}  // namespace cauchy
