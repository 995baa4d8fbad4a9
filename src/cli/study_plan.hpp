#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/files/study_file.hpp>

#include "cli/options.hpp"

namespace cauchy::cli {

/// A variant of a study with its problem, read and checked.
struct PlannedCell {
  StudyVariant variant;
  ProblemFile file = {};                  ///< with the first seed
  std::vector<std::uint64_t> seeds = {};  ///< of its runs; one run where the method has no seed
  std::string refusal = {};               ///< why the method cannot treat the problem

  std::optional<ReferenceCode> reference = {};  ///< of a classical method, beside the file
  double bytes = 0;                             ///< of memory that a run needs, estimated

  /// Sets `refusal` and `bytes`: prepares the method once, which takes milliseconds.
  void look_for_refusal(int threads);
  /// The problem of run k.
  [[nodiscard]] ProblemFile run_file(std::size_t k) const;
};

/// Everything that the runs of a study are made of.
struct StudyPlan {
  std::string name = {}, title = {}, notes = {};
  double max_seconds = 0;          ///< of each run; 0: no limit
  std::string reference = "auto";  ///< as --reference
  int threads_per_run = 1;
  std::vector<PlannedCell> cells = {};
};

/// Reads every variant of a study.
///   settings   --set and the like, for all variants; keys of a variant come after them
///   error      throws Error for a file or a setting that cannot be read; the first refusal when
///              every variant is refused
[[nodiscard]] StudyPlan plan_study(const StudyFile& study, const std::string& name,
                                   const CommonOptions& settings, const std::string& reference);

}  // namespace cauchy::cli
