#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <cauchy/base/work.hpp>
#include <cauchy/io/checkpoint.hpp>

namespace cauchy::detail {

/// When a training is measured (PinnProbe). The steps 0, 1, 2, 3, 4, 6, 9, ... wait; counted work
/// says how many of them are measured, and when.
///   first      the first step that waits is measured at once, whatever it costs
///   on the way what is farthest from all that were measured, while the measurements so far and one
///              more like the last take at most a tenth of the work of the training
///   in all     0.18 of it, with what comes at the end
/// The same counts give the same plan, also when it is saved and restored in between.
class ProbePlan final {
 public:
  /// At most so many steps wait at a time.
  explicit ProbePlan(std::size_t most_waiting) : most_waiting_(most_waiting) {}

  /// Whether this step waits from now on; steps come in their order, each once.
  [[nodiscard]] bool take(std::uint64_t step);
  /// The waiting step that is to be measured now.
  [[nodiscard]] std::optional<std::uint64_t> next() const;
  /// A step was measured; it waits no longer.
  void measured(std::uint64_t step, const Work& work);
  [[nodiscard]] bool was_measured(std::uint64_t step) const;
  [[nodiscard]] const std::vector<std::uint64_t>& waiting() const noexcept { return waiting_; }

  void add_training(const Work& work) { training_ += work; }
  /// What was spent on measuring, but not on a step.
  void add_probe(const Work& work) { probe_ += work; }

  // In nominal seconds of counted work.
  /// What the next measurement is expected to take: the last one's work.
  [[nodiscard]] double expected() const { return nominal_seconds(latest_); }
  /// What the end may still take.
  [[nodiscard]] double left() const;
  /// What was spent on measuring, and its part of the work of the whole run.
  [[nodiscard]] double spent() const { return nominal_seconds(probe_); }
  [[nodiscard]] double share() const;

  void save(Checkpoint& checkpoint) const;
  ///   error    throws Error when the checkpoint is damaged
  void restore(const Checkpoint& checkpoint);

 private:
  [[nodiscard]] double distance(std::uint64_t step) const;

  std::size_t most_waiting_;
  std::uint64_t next_ = 0;  // the next step of the ladder
  std::vector<std::uint64_t> waiting_, measured_;
  Work training_, probe_, latest_;
};

}  // namespace cauchy::detail
