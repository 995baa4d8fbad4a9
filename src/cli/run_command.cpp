#include "cli/run_command.hpp"

#include "cli/option_checks.hpp"

namespace cauchy::cli {

void add_run_options(CLI::App& command, RunCommandOptions& o, const char* target_error) {
  not_empty(command.add_option("--out", o.out,
                               "folder of the run, new or empty; without it runs/NAME, "
                               "numbered when that exists"),
            "runs/first");
  positive_number(command.add_option("--max-seconds", o.max_seconds,
                                     "stop after this time and keep what there is"));
  positive_number(command.add_option("--target-error", o.target_error, target_error));
  positive_number(command
                      .add_option("--checkpoint-seconds", o.checkpoint_seconds,
                                  "time between two saves of the run")
                      ->capture_default_str());
  command.add_flag("--resume", o.resume, "continue an interrupted run of the same problem");
  command.add_flag("--quiet", o.quiet, "show no progress");
}

RunOptions run_options(const RunCommandOptions& o, const RunFolder& run, int threads,
                       Progress* progress) {
  RunOptions options;
  options.threads = threads;
  options.checkpoint = run.path() / "checkpoint.bin";
  options.checkpoint_seconds = o.checkpoint_seconds;
  options.inputs = run.inputs();
  options.max_seconds = o.max_seconds;
  options.target_error = o.target_error;
  options.progress = progress;
  return options;
}

}  // namespace cauchy::cli
