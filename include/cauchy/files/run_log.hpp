#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/problem/training_record.hpp>

namespace cauchy {

/// The curves and the events of a run in its folder, written while it goes on, so that others can
/// watch them:
///   RunLog log(folder);
///   options.on_history = [&](const TrainingRecord& r) { log.update(r); };
///   log.csv     step, stage (numbered as they were passed), seconds, loss, error where there is a
///               reference (nan where it was not measured), one column per term, unknown constants
///   events.out  the same for TensorBoard
///   log.txt     what the recipe chose and what happened on the way, one line each; only where
///               there is something
/// The first update replaces what an earlier part of the run has left there by the history so far;
/// each later one appends the rows that are new, whole rows only.
///   error    throws Error with the path when a file cannot be written
class RunLog final {
 public:
  /// The folder must exist; nothing is written yet.
  explicit RunLog(std::filesystem::path folder);
  ~RunLog();
  RunLog(RunLog&&) noexcept;
  RunLog& operator=(RunLog&&) noexcept;

  /// A record whose history has grown since the last call; rows are visible when it returns.
  void update(const TrainingRecord& record);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The text of log.txt: "chosen: 32 x 3 tanh, ...", "step 120, 3.2 s: ..."; empty: nothing.
[[nodiscard]] std::string log_text(const TrainingRecord& record);

/// Names of the curves besides the loss: terms, then unknown constants. Those that occur twice
/// or are those of other columns get numbers: "u = 0 on left (2)".
[[nodiscard]] std::vector<std::string> curve_names(const TrainingRecord& record);

}  // namespace cauchy
