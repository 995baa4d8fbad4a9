#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy {

// The folder of one run. It needs nothing outside of it. Files are written under a temporary name
// and renamed; only the log and the events grow.
//   problem.toml     problem and settings; read_problem_file reads it back
//   data/            what the problem uses: tables as CSV, copies of the files of surfaces
//   checkpoint.bin   of an interrupted run, with its history; written once a minute while it runs
//   solution.bin     the answer, for load_run
//   log.csv          step, stage, seconds, loss, one column per term, unknown constants
//   events.out...    the same curves for TensorBoard
//   result.json      grade, findings, errors, unknown constants, timings
//   report.html      all of it for people, written by the program
// problem.toml, data/ and checkpoint.bin are there while the run goes on, log.csv and events with a
// RunLog, the rest at its end.

/// The first of folder, folder-2, folder-3, ... that does not exist.
[[nodiscard]] std::filesystem::path free_run_folder(const std::filesystem::path& folder);

/// Makes the folder and writes problem.toml and data/.
///   error    throws Error with the path: cannot be made or written; already holds another run
///            (problem.toml exists)
void begin_run(const std::filesystem::path& folder, const ProblemFile& file);

/// Checks that a folder holds an interrupted run of this very problem and these settings.
///   returns  seconds that the run has taken so far, 0 when it has no checkpoint yet
///   error    throws Error with the path and the reason
double resume_run(const std::filesystem::path& folder, const ProblemFile& file);

/// What result.json says besides the answer.
struct RunInfo {
  std::string version;  ///< of the program
  int threads = 1;
};

/// Writes the files of a run that has ended, also of an interrupted one.
void finish_run(const std::filesystem::path& folder, const ProblemFile& file,
                const Solution& solution, const RunInfo& info);

/// The text of result.json.
[[nodiscard]] std::string result_json(const ProblemFile& file, const Solution& solution,
                                      const RunInfo& info);

/// One line about a run.
struct RunSummary {
  std::string problem, method, grade;
  double relative_l2 = 0;  ///< of the worst field; NaN without a reference
  double joint_l2 = 0;     ///< of all fields together; likewise
  double max_error = 0;    ///< likewise
  double seconds = 0, loss = 0;
  std::uint64_t steps = 0;
};
[[nodiscard]] RunSummary summarize(const Solution& solution);
/// From result.json; throws Error with the path when the folder holds no finished run.
[[nodiscard]] RunSummary read_summary(const std::filesystem::path& folder);

/// A run that has ended, from problem.toml and solution.bin.
struct LoadedRun {
  ProblemFile file;
  Solution solution;
};
[[nodiscard]] LoadedRun load_run(const std::filesystem::path& folder, int threads = 0);

}  // namespace cauchy
