#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/optimizers/objective.hpp>
#include <cauchy/problem/training_record.hpp>
#include <cauchy/training/step.hpp>

namespace cauchy {

/// What a training minimises, and what changes it from step to step: residuals over points with
/// their rules, or a network over batches of samples.
///   determinism  a function of the steps, to the last bit; restore() after save() goes on to the
///                same bits
class TrainingTarget {
 public:
  virtual ~TrainingTarget() = default;

  [[nodiscard]] virtual Objective& objective() = 0;
  /// The terms of the objective at its last value or gradient; they add up to it.
  [[nodiscard]] virtual std::span<const double> parts() const = 0;
  /// Whether the function of the end may be another one than that of the start, apart from its
  /// points or samples.
  [[nodiscard]] virtual bool change_the_loss() const noexcept { return false; }

  /// Once, before anything else; a run that is resumed calls restore() next.
  virtual void start() = 0;
  /// Before the first step of a stage; `all`: no batches, the method needs one function.
  virtual void begin_stage(std::size_t stage, bool all) = 0;
  /// Before a step; true when the objective is another one than at the last step.
  virtual bool ask(const TrainingStep& step) = 0;
  /// After the last step; the objective is now the one that the run is judged by.
  virtual void end(const TrainingStep& step) = 0;
  /// Adds to the record of the run what it was trained on.
  virtual void finish(TrainingRecord& /*record*/) const {}

  /// An optimiser found value or gradient at theta not finite. True when the target mended itself:
  /// it has changed, and is finite there.
  virtual bool blame(std::span<const double> /*theta*/, std::uint64_t /*step*/) { return false; }

  /// What happened since the last call.
  struct News {
    std::string text;
    bool trouble = false;  ///< belongs to the findings
  };
  [[nodiscard]] virtual std::vector<News> take_news() { return {}; }

  virtual void save(Checkpoint& checkpoint) const = 0;
  /// After start().
  ///   error    throws Error when the checkpoint does not fit
  virtual void restore(const Checkpoint& checkpoint, std::size_t stage) = 0;
};

}  // namespace cauchy
