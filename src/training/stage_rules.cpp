#include "training/stage_rules.hpp"

#include <cmath>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

bool StageRules::ended_by(const Stage& stage, const StepReport& report, double loss) {
  ++steps;
  evaluations_ += report.evaluations;
  const bool level = levelled_off(stage, loss);
  return report.status != StepStatus::progress || level || reached_target(stage, loss) ||
         report.gradient_norm <= stage.gradient_tolerance || steps >= stage.steps ||
         (stage.max_evaluations > 0 && evaluations_ >= stage.max_evaluations) || out_of_time(stage);
}

bool StageRules::out_of_time(const Stage& stage) const {
  return stage.max_seconds > 0 && seconds >= stage.max_seconds;
}

bool StageRules::reached_target(const Stage& stage, double loss) {
  // An energy may be negative at the start.
  return stage.target_loss > 0 && loss <= stage.target_loss;
}

bool StageRules::levelled_off(const Stage& stage, double loss) {
  constexpr std::uint64_t window = 200;
  if (stage.relative_decrease <= 0) return false;
  if (has_window_ && steps - window_start_ < window) return false;
  const bool little =
      has_window_ && window_loss_ - loss <= stage.relative_decrease * std::abs(window_loss_);
  has_window_ = true;
  window_start_ = steps;
  window_loss_ = loss;
  return little;
}

void StageRules::save(Checkpoint& c) const {
  c.numbers["step"] = steps;
  c.numbers["stage_evaluations"] = evaluations_;
  c.numbers["window_start"] = window_start_;
  c.numbers["has_window"] = has_window_ ? 1 : 0;
  c.arrays["stage_rules"] = Array::list({seconds, window_loss_});
}

void StageRules::restore(const Checkpoint& c) {
  const auto& values = c.array("stage_rules").values;
  steps = c.number("step");
  evaluations_ = c.number("stage_evaluations");
  window_start_ = c.number("window_start");
  if (values.size() != 2 || !(values[0] >= 0) || std::isinf(values[0]) || window_start_ > steps) {
    throw Error(ErrorKind::file, "the checkpoint is damaged", "[training]",
                "remove it, or choose another folder");
  }
  has_window_ = c.number("has_window") != 0;
  seconds = values[0];
  window_loss_ = values[1];
}

}  // namespace cauchy::detail
