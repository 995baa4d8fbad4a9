#pragma once

#include <filesystem>
#include <string>

#include <cauchy/files/run_folder.hpp>
#include <cauchy/problem/run_options.hpp>

#include "cli/options.hpp"
#include "cli/output_file.hpp"  // folder_name

namespace cauchy::cli {

/// Options of the commands that make a run in a folder of its own: `solve`, `train`.
struct RunCommandOptions : CommonOptions {
  std::string file, out;
  double max_seconds = 0, target_error = 0;
  double checkpoint_seconds = RunOptions{}.checkpoint_seconds;
  bool resume = false, quiet = false;
};

/// --out, --max-seconds, --target-error (with its meaning, a literal), --checkpoint-seconds,
/// --resume, --quiet.
void add_run_options(CLI::App& command, RunCommandOptions& options, const char* target_error);

/// What a run in a folder is asked for.
[[nodiscard]] RunOptions run_options(const RunCommandOptions& options, const RunFolder& run,
                                     int threads, Progress* progress);

/// The folder of a run, held from now on: the one that is resumed, the one of --out, or
/// runs/NAME, numbered when that exists. `file` is a ProblemFile or an OperatorFile.
template <class File>
RunFolder open_run(const RunCommandOptions& o, const std::string& name, const File& file) {
  namespace fs = std::filesystem;
  const fs::path numbered = fs::path("runs") / folder_name(name);
  if (o.resume) {
    const fs::path own = fs::is_directory(o.file) ? fs::path(o.file) : numbered;
    return resume_run(o.out.empty() ? own : fs::path(o.out), file);
  }
  return o.out.empty() ? begin_next_run(numbered, file) : begin_run(o.out, file);
}

}  // namespace cauchy::cli
