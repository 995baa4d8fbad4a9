#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy {

class RunFolder;
namespace detail {
struct RunInput;
// As begin_run, begin_next_run and resume_run below, for any files that a run is made of.
RunFolder begin_run_of(const std::filesystem::path&, const std::vector<RunInput>&);
RunFolder begin_next_run_of(const std::filesystem::path&, const std::vector<RunInput>&);
RunFolder resume_run_of(const std::filesystem::path&, const std::vector<RunInput>&);
}  // namespace detail

// The folder of one run. It needs nothing outside of it. Files are written under a temporary name
// and renamed; only the log and the events grow. Symbolic links in it are refused, not followed.
//   problem.toml     problem and settings; read_problem_file reads it back
//   data/            what the problem uses: tables as CSV, copies of the files of surfaces
//   lock             process and machine of the run, while it goes on
//   checkpoint.bin   of an interrupted run, with its history; written once a minute while it runs
//   solution.bin     the answer, for load_run; equal runs have equal bytes, so it holds no times
//   log.csv          step, stage, seconds, loss, one column per term, unknown constants
//   events.out...    the same curves for TensorBoard
//   log.txt          what a recipe chose and what happened on the way, one line each
//   diagnosis.json   what was measured of a training (Pinn::diagnose)
//   result.json      grade, findings, errors, unknown constants, choices, events; in its
//                    sections `run` and `times` alone two runs of one file may differ
//   report.html      all of it for people, written by the program
// problem.toml, data/ and checkpoint.bin are there while the run goes on, logs and events with a
// RunLog, the rest at its end. Checkpoint and solution hold checksums of problem.toml and data/.

/// The folder of a run that goes on. While this object lives no other process begins or continues a
/// run there; when the process dies the hold ends with it.
class RunFolder final {
 public:
  /// Ends the hold; the files stay.
  ~RunFolder();
  RunFolder(RunFolder&&) noexcept;
  RunFolder& operator=(RunFolder&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// problem.toml and the files of data/ with their checksums, for RunOptions::inputs.
  [[nodiscard]] const RunInputs& inputs() const noexcept;
  /// That the run has taken so far; 0 without a checkpoint.
  [[nodiscard]] double seconds() const noexcept;
  /// Removes the files of the run, by their names, and then the folder if it was made for this run
  /// and holds nothing else.
  void discard() noexcept;

 private:
  friend RunFolder detail::begin_run_of(const std::filesystem::path&,
                                        const std::vector<detail::RunInput>&);
  friend RunFolder detail::begin_next_run_of(const std::filesystem::path&,
                                             const std::vector<detail::RunInput>&);
  friend RunFolder detail::resume_run_of(const std::filesystem::path&,
                                         const std::vector<detail::RunInput>&);
  struct State;
  explicit RunFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Makes the folder, or takes an empty one (also by a link to it), and writes problem.toml and
/// data/. What a beginning that was killed has left there counts as nothing.
///   error    throws Error with the path: cannot be made or written; holds another run, one that
///            goes on, or any other files, which are left alone
[[nodiscard]] RunFolder begin_run(const std::filesystem::path& folder, const ProblemFile& file);

/// The same in the first of folder, folder-2, folder-3, ... that does not exist.
[[nodiscard]] RunFolder begin_next_run(const std::filesystem::path& folder,
                                       const ProblemFile& file);

/// Takes a folder that holds an interrupted run of this very problem, these settings and these
/// data; removes what was half written when it was killed.
///   error    throws Error with the path and the reason: no run, a finished one, one that goes on,
///            or what is different
[[nodiscard]] RunFolder resume_run(const std::filesystem::path& folder, const ProblemFile& file);

/// What result.json says besides the answer.
struct RunInfo {
  std::string version;  ///< of the program
  int threads = 1;
};

/// Writes the files of a run that has ended, also of an interrupted one.
void finish_run(const RunFolder& folder, const ProblemFile& file, const Solution& solution,
                const RunInfo& info);

/// The text of result.json.
[[nodiscard]] std::string result_json(const ProblemFile& file, const Solution& solution,
                                      const RunInfo& info);

/// An unknown constant as a run has found it.
struct FoundConstant {
  std::string name;
  double value = 0;
  double relative_error = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no truth is given
  std::optional<ConfidenceInterval> interval = {};
};

/// One line about a run.
struct RunSummary {
  std::string problem, method, grade;
  double relative_l2 = 0;  ///< of the worst field; NaN without a reference
  double joint_l2 = 0;     ///< of all fields together; likewise
  double max_error = 0;    ///< likewise
  double seconds = 0, loss = 0;
  std::uint64_t steps = 0;
  std::size_t unknowns = 0;  ///< numbers that the method had to find
  /// What the method itself knows of its error, or the error of the reference; NaN: neither.
  double estimate = 0, reference_error = 0;
  /// Largest root mean square of a residual at fresh points, in units of its terms (TermCheck);
  /// NaN when one is, or without checks.
  double residual = 0;
  std::vector<FoundConstant> constants = {};
};
[[nodiscard]] RunSummary summarize(const Solution& solution);
/// From result.json; throws Error with the path when the folder holds no finished run.
[[nodiscard]] RunSummary read_summary(const std::filesystem::path& folder);

/// A run that has ended, from problem.toml and solution.bin; seconds of the run and its events are
/// those of result.json, of the history NaN (log.csv has them).
struct LoadedRun {
  ProblemFile file;
  Solution solution;
};
/// Throws Error with the path: no run has ended there, or its problem or data have changed since.
[[nodiscard]] LoadedRun load_run(const std::filesystem::path& folder, int threads = 0);

}  // namespace cauchy
