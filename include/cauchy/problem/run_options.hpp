#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <cauchy/base/progress.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/problem/training_record.hpp>

namespace cauchy {

class Solution;

/// Files that a run is made of, by name, each with a checksum of its bytes. They are saved with
/// checkpoints and answers; one that has changed since is named and refused.
using RunInputs = std::map<std::string, std::string>;

/// What a run may use and where it is seen.
struct RunOptions {
  int threads = 0;         ///< 0: CAUCHY_THREADS, else the machine
  double max_seconds = 0;  ///< from now on; 0: no limit
  /// Stop when the relative L2 error of every field against the reference is at most this; looked
  /// at every history_every steps. 0: never.
  double target_error = 0;
  /// Share of the counted work that may go into measuring HistoryEntry::error on the way, where
  /// there is a reference: an entry is measured (at about 2,000 points) when what was spent so far
  /// stays below it, the last one always (at 20,000). The answer does not depend on it. 0: never.
  double error_share = 0.01;
  Progress* progress = nullptr;
  RunLimit limit = {};  ///< of the whole that this run is a part of; it ends with it
  std::uint64_t history_every = 50;
  /// Called after every new entry of TrainingRecord::history with what there is by then: the
  /// history from the very start (also of a resumed run), names, scales. What it throws ends the
  /// run.
  std::function<void(const TrainingRecord&)> on_history = {};
  /// Where the run is saved so that it can be resumed; empty: nowhere. An existing checkpoint of
  /// the same problem and settings is continued, to the same bits as an uninterrupted run.
  std::filesystem::path checkpoint = {};
  double checkpoint_seconds = 60;
  /// Estimate the error where it is not measured against an exact solution or a table; see
  /// solvers/error_bars.hpp. The answer does not depend on it.
  bool estimate = false;
  /// Called where the error cannot be estimated so; it may set Solution::estimate, for example by a
  /// second answer (solvers/second_answer.hpp).
  std::function<void(Solution&)> estimate_otherwise = {};
  /// Add the estimated error to the answer, and again while the estimate falls. Needs `estimate`.
  bool improve = false;
  /// Must be those of the checkpoint that is continued; empty: not compared.
  RunInputs inputs = {};
};

/// The limit of a run that begins now.
[[nodiscard]] inline RunLimit begin_limit(const RunOptions& options) {
  return RunLimit::of_run(options.max_seconds, options.progress, options.limit);
}
/// Options of what a run does within its limit.
[[nodiscard]] inline RunOptions within(RunOptions options, RunLimit limit) {
  options.max_seconds = 0;
  options.limit = std::move(limit);
  return options;
}

}  // namespace cauchy
