#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/files/run_folder.hpp>
#include <cauchy/files/study_file.hpp>
#include <cauchy/solvers/restarts.hpp>  // Spread

namespace cauchy {

/// One run of a study: what came out, why it failed, or neither where it was not made.
struct StudyRun {
  std::uint64_t seed = 0;
  std::filesystem::path folder = {};
  std::optional<RunSummary> summary = {};
  std::string failure = {};  ///< one sentence

  [[nodiscard]] bool is_open() const { return !summary && failure.empty(); }
};

/// The runs of one variant, one per seed.
struct StudyCell {
  StudyVariant variant;
  std::vector<StudyRun> runs = {};
};

/// What runs are compared by: the first of these that is known of at least one of them.
enum class StudyMeasure : std::uint8_t {
  relative_l2,  ///< the error against the reference
  estimate,     ///< what the method knows of its error
  residual,     ///< RunSummary::residual
};
/// "relative L2 error", "estimated error", "residual at fresh points".
[[nodiscard]] std::string_view describe(StudyMeasure measure) noexcept;

/// A study, finished or not.
struct StudyResult {
  std::string name, title, notes;
  std::string problem;     ///< its name
  std::string settings;    ///< of the method of the first variant, as text
  double max_seconds = 0;  ///< limit of each run; 0: none
  std::vector<StudyCell> cells;

  [[nodiscard]] StudyMeasure measure() const;
  [[nodiscard]] std::size_t n_runs() const;
  [[nodiscard]] std::size_t n_open() const;
  [[nodiscard]] std::size_t n_failed() const;
};

/// What the runs of a variant that ended have in common.
struct StudyLine {
  std::vector<double> values;  ///< of the measure; NaN: a run without a finite answer
  std::vector<double> seconds, steps;
  std::map<std::string, std::size_t> grades;  ///< how often each was given
};
[[nodiscard]] StudyLine study_line(const StudyCell& cell, StudyMeasure measure);
/// "3 converged, 2 stalled"; with failed runs and those that were not made.
[[nodiscard]] std::string grades_text(const StudyCell& cell);
/// NaN in place of an error where there are no numbers.
[[nodiscard]] Spread study_spread(const std::vector<double>& numbers);

}  // namespace cauchy
