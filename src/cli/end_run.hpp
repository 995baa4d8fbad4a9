#pragma once

#include <cauchy/files/run_folder.hpp>

namespace cauchy::cli {

/// Writes the report of a run that has ended, then the files of its folder: result.json comes last
/// and says that all others are there.
void end_run(const RunFolder& run, const ProblemFile& file, const Solution& solution, int threads);

}  // namespace cauchy::cli
