#pragma once

#include <cauchy/base/run_limit.hpp>
#include <cauchy/files/run_folder.hpp>

namespace cauchy::cli {

/// Writes the report of a run that has ended, then the files of its folder: result.json comes last
/// and says that all others are there.
///   limit   of the run: pictures that would take much longer are left out, and the report says so
void end_run(const RunFolder& run, const ProblemFile& file, const Solution& solution, int threads,
             const RunLimit& limit = {});

}  // namespace cauchy::cli
