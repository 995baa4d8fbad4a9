#pragma once

#include <cstdint>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cauchy/training/stage.hpp>

namespace cauchy::detail {

/// When a stage ends. What the rules remember belongs to a checkpoint, so that a resumed stage ends
/// at the same step.
class StageRules final {
 public:
  std::uint64_t steps = 0;  ///< taken in this stage
  double seconds = 0;       ///< spent in it

  /// Losses before and after a change of the objective are not compared.
  void objective_changed() noexcept { has_window_ = false; }
  /// Counts a step and says whether it was the last one of the stage. `loss` is the one reported.
  [[nodiscard]] bool ended_by(const Stage& stage, const StepReport& report, double loss);
  /// Its own limit of seconds is over.
  [[nodiscard]] bool out_of_time(const Stage& stage) const;

  /// Stage::target_loss is given and reached.
  [[nodiscard]] static bool reached_target(const Stage& stage, double loss);

  void save(Checkpoint& checkpoint) const;
  void restore(const Checkpoint& checkpoint);

 private:
  bool levelled_off(const Stage& stage, double loss);

  std::uint64_t evaluations_ = 0, window_start_ = 0;
  bool has_window_ = false;
  double window_loss_ = 0;
};

}  // namespace cauchy::detail
