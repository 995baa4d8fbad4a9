#pragma once

#include <cstdint>
#include <filesystem>

#include "cli/study_plan.hpp"
#include "files/folder_lock.hpp"

namespace cauchy::cli {

// The folder of a study:
//   plan.json    the variants, and what their runs are made of
//   K/seed_N/    the run of variant K with seed N, a run folder: problem.toml from the start,
//                checkpoint.bin while it goes on, result.json at its end
//   study.json   the results, as --json prints them
//   study.svg    the box plot
//   study.html   the results for people

/// Where a run of a study lies; variants are counted from 0.
[[nodiscard]] std::filesystem::path study_run_path(const std::filesystem::path& folder,
                                                   std::size_t cell, std::uint64_t seed);

/// A folder that holds a study.
[[nodiscard]] bool is_study_folder(const std::filesystem::path& folder);

/// While it lives no other process works on the study of this folder.
struct StudyFolder {
  std::filesystem::path path;
  detail::FolderLock lock;
};

/// Makes the folder, or takes an empty one, and begins every run in it.
///   next     takes the first of path, path-2, path-3, ... that does not exist
///   error    throws Error: it holds a study or other files, or cannot be written
[[nodiscard]] StudyFolder begin_study(const std::filesystem::path& path, bool next,
                                      const StudyPlan& plan);
/// Takes the folder of this very study.
///   error    throws Error: there is none, another one, or one that goes on
[[nodiscard]] StudyFolder resume_study(const std::filesystem::path& path, const StudyPlan& plan);

/// The plan of a study from its folder.
///   error    throws Error when it is damaged
[[nodiscard]] StudyPlan read_study_plan(const std::filesystem::path& folder);

}  // namespace cauchy::cli
