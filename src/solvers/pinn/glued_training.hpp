#pragma once

#include <functional>
#include <string>
#include <vector>

#include <cauchy/training/training.hpp>

namespace cauchy::detail {

/// The record of several trainings that follow each other, seen from outside as one run: steps and
/// seconds go on, the terms of each are added up under common names.
class GluedTraining final {
 public:
  GluedTraining(TrainingRecord first, const RunOptions& options);

  /// One of the trainings.
  ///   to       per term of this training: its number in the common record
  ///   what     "window 3": the part of the run, for progress
  ///   seconds  this one ends after so long; 0: when the run does
  [[nodiscard]] TrainingResult train(
      const std::function<TrainingResult(const TrainingSetup&, const RunOptions&)>& run,
      TrainingSetup setup, const std::vector<std::size_t>& to, const std::string& what,
      double seconds = 0);

  void note(std::string text);
  /// Time that went by outside of the trainings.
  void add_seconds(double seconds) noexcept { seconds_ += seconds; }
  [[nodiscard]] TrainingRecord& record() noexcept { return record_; }
  [[nodiscard]] const TrainingRecord& record() const noexcept { return record_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return record_.steps; }
  [[nodiscard]] double seconds() const noexcept { return seconds_; }
  /// Whether the limit of time of the run is reached.
  [[nodiscard]] bool out_of_time() const { return limit_.end() == RunLimit::End::seconds; }
  [[nodiscard]] const RunLimit& limit() const noexcept { return limit_; }

  /// What was before the training in progress.
  void save(Checkpoint& checkpoint) const;
  void restore(const Checkpoint& checkpoint);

 private:
  void append(const TrainingRecord& part, std::size_t from, const std::vector<std::size_t>& to,
              double seconds_before);

  TrainingRecord record_;
  const RunOptions& options_;
  RunLimit limit_ = begin_limit(options_);
  double seconds_ = 0;
};

}  // namespace cauchy::detail
