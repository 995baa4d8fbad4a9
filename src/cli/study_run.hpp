#pragma once

#include <filesystem>

#include <cauchy/files/study.hpp>

#include "cli/command.hpp"
#include "cli/study_plan.hpp"

namespace cauchy::cli {

struct StudyRunSettings {
  int threads = 1;     ///< in all: as many runs at a time as have room
  bool shown = false;  ///< progress on console.err
};

/// Makes the runs of a study that its folder does not have yet, several at a time; each is written
/// when it ends. Signals stop them all, with checkpoints from which a later call goes on to the
/// same bits. A run that fails leaves a sentence and is made again by the next call.
[[nodiscard]] StudyResult run_study(StudyPlan& plan, const std::filesystem::path& folder,
                                    const StudyRunSettings& settings, Console& console);

}  // namespace cauchy::cli
