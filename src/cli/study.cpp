#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/study_file.hpp>

#include "cli/classical_reference.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/problem_library.hpp"
#include "cli/study_folder.hpp"
#include "cli/study_output.hpp"
#include "cli/study_run.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

struct StudyOptions : CommonOptions {
  std::string file, out, reference = "auto";
  std::vector<std::string> vary;
  std::optional<std::size_t> seeds;
  std::optional<double> max_seconds;
  std::optional<int> threads_per_run;
  bool resume = false, quiet = false;
};

/// The study of a file with the options of the call; a problem file is a study of its seeds.
StudyPlan plan_of(const StudyOptions& o) {
  StudyFile study{.problem = o.file};
  std::string name;
  if (const fs::path path = problem_path(o.file); !fs::is_directory(path) && is_study_file(path)) {
    study = read_study_file(path);
    name = path.stem().string();
  }
  if (o.seeds) study.seeds = *o.seeds;
  if (o.max_seconds) study.max_seconds = *o.max_seconds;
  if (o.threads_per_run) study.threads_per_run = *o.threads_per_run;
  for (const std::string& text : o.vary) {
    study.axes.push_back(parse_study_axis(text, "--vary " + text));
  }
  StudyPlan plan = plan_study(study, name, o, o.reference);
  if (name.empty()) plan.name = plan.cells[0].file.problem.name;
  return plan;
}

/// The plan of a folder that is to be continued; settings are its own.
StudyPlan plan_in_folder(const StudyOptions& o) {
  if (!o.resume) {
    throw Error("the folder holds a study already", o.file, "continue it with --resume");
  }
  const bool changed = !o.vary.empty() || !o.settings.empty() || o.seeds || o.max_seconds ||
                       o.seed || !o.precision.empty() || !o.method.empty() ||
                       !o.optimizer.empty() || !o.out.empty() || o.reference != "auto";
  if (changed) {
    throw Error("a study that is continued keeps its settings and its folder", o.file,
                "leave out all options that change it");
  }
  StudyPlan plan = read_study_plan(o.file);
  plan.threads_per_run = o.threads_per_run.value_or(1);
  return plan;
}

void run_study_command(const StudyOptions& o, Console& console) {
  const bool in_folder = is_study_folder(o.file);
  StudyPlan plan = in_folder ? plan_in_folder(o) : plan_of(o);
  const int threads = Threads::size_of(o.threads);
  const InterruptGuard guard;  // to the end: what was found is written and printed in any case
  const fs::path own = fs::path("runs") / ("study-" + folder_name(plan.name));
  const fs::path wanted = in_folder ? fs::path(o.file) : o.out.empty() ? own : fs::path(o.out);
  const StudyFolder folder =
      o.resume ? resume_study(wanted, plan) : begin_study(wanted, o.out.empty(), plan);
  const StudyResult result = run_study(plan, folder.path, {threads, !o.quiet && !o.json}, console);
  save_study(result, folder.path);
  if (result.n_open() + result.n_failed() > 0) console.exit_code = 1;
  const std::string go_on = fmt::format("cauchy study {} --resume", folder.path.string());
  const fs::path page = folder.path / "study.html";
  if (o.json) {
    Json json = study_json(result);
    json["folder"] = folder.path.string();
    json["page"] = page.string();
    if (result.n_open() > 0) json["resume"] = go_on;
    print_json(console.out, json);
    return;
  }
  print_study(result, console.out);
  fmt::print(console.out, "folder {}\npage {}\n", folder.path.string(), page.string());
  if (result.n_open() > 0) {
    fmt::print(console.out, "stopped after {} of {} runs; go on with: {}\n",
               result.n_runs() - result.n_open(), result.n_runs(), go_on);
  }
}

}  // namespace

void add_study(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "study", "Compare settings of one problem over several seeds: medians and quartiles");
  auto o = std::make_shared<StudyOptions>();
  mark_problems(*not_empty(command
                               ->add_option("file", o->file,
                                            "study in TOML, or a problem; with --resume also the "
                                            "folder of a study")
                               ->required(),
                           "burgers"));
  not_empty(command
                ->add_option("--vary", o->vary,
                             "compare values of a key: --vary method.points.sampler=uniform,sobol; "
                             "may be repeated, all combinations are made")
                ->allow_extra_args(false)
                ->type_name("KEY=V1,V2"),
            "method.points.sampler=uniform,sobol");
  whole_number(command->add_option("--seeds", o->seeds,
                                   "solve every variant this many times, with the seeds SEED, SEED "
                                   "+ 1, ...; 5 without it"),
               1, StudyFile::max_seeds);
  add_problem_options(*command, *o);
  add_threads_option(*command, *o);
  whole_number(command->add_option("--threads-per-run", o->threads_per_run,
                                   "of each run, 1 without it; as many runs go on at a time as "
                                   "--threads has room for"),
               1, Threads::max_size);
  positive_number(command->add_option("--max-seconds", o->max_seconds, "of each run"));
  not_empty(command->add_option("--out", o->out,
                                "folder of the study, new or empty; without it runs/study-NAME, "
                                "numbered when that exists"),
            "runs/samplers");
  add_reference_option(*command, o->reference);
  command->add_flag("--resume", o->resume, "make the runs that an interrupted study lacks");
  command->add_flag("--quiet", o->quiet, "show no progress");
  add_json_option(*command, *o);
  command->callback([o, &console] { run_study_command(*o, console); });
}

}  // namespace cauchy::cli
