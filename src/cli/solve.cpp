#include <cmath>
#include <filesystem>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/machine_rates.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/solvers/second_answer.hpp>

#include "cli/classical_reference.hpp"
#include "cli/command.hpp"
#include "cli/constants_table.hpp"
#include "cli/end_run.hpp"
#include "cli/explain.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/plain_text.hpp"
#include "cli/run_command.hpp"
#include "cli/run_watch.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

struct SolveOptions : RunCommandOptions {
  std::string reference = "auto";
  std::string estimate = "auto";
  bool improve = false;
};

/// Errors of fields, measured or estimated; `all` of them together, where that is known.
void print_errors(const Problem& problem, const std::vector<FieldError>& fields,
                  const std::string& what, double all, std::ostream& out) {
  if (fields.empty()) return;
  const std::vector<std::string> names = problem.coordinates();
  std::vector<std::vector<std::string>> rows{{what, "relative L2", "max error", "at"}};
  for (const FieldError& e : fields) {
    std::string at;
    for (std::size_t k = 0; k < e.where.size(); ++k) {
      at += fmt::format("{}{} = {:.4g}", k == 0 ? "" : ", ", names[k], e.where[k]);
    }
    rows.push_back({e.field, short_number(e.relative_l2), short_number(e.max), at});
  }
  if (fields.size() > 1 && !std::isnan(all)) rows.push_back({"all", short_number(all)});
  print_table(out, rows, 2);
}

void print_answer(const Solution& s, std::ostream& out) {
  fmt::print(out, "{}: {}\n",
             plain_text(s.problem.title.empty() ? s.problem.name : s.problem.title),
             to_string(s.grade));
  for (const std::string& finding : s.findings) fmt::print(out, "  {}\n", plain_text(finding));
  for (const std::string& warning : s.warnings) {
    fmt::print(out, "  warning: {}\n", plain_text(warning));
  }
  print_errors(s.problem, s.error.fields, "field", s.error.joint_l2, out);
  if (s.estimate) print_errors(s.problem, s.estimate->fields, "estimated", NAN, out);
  print_constants(out, {{"", summarize(s).constants}}, 2);
  if (s.training && s.training->diagnosis && !s.training->diagnosis->entries.empty()) {
    const TrainingDiagnosis& d = *s.training->diagnosis;
    fmt::print(out, "  diagnosis: {} measurements in {:.0f} % of the work, phase at the end: {}\n",
               d.entries.size(), 100 * d.share, to_string(learning_phases(d.entries).back()));
  }
}

/// Trains a second answer where nothing else tells the error.
void estimate_by_second(Solution& s, const Method& method, const RunOptions& options) {
  RunOptions again = options;
  again.checkpoint.clear();
  again.on_history = {};
  again.estimate = again.improve = false;
  again.estimate_otherwise = {};
  const std::optional<SecondAnswer> second = second_answer(s, method, again);
  if (!second || second->interrupted) return;
  ErrorEstimate e{second->relative_l2, second->how};
  e.fields = second->fields;
  e.unsure = 1;  // errors that both answers share do not show
  s.estimate = std::move(e);
}

/// What a recipe is about to do, and how long that may take.
void print_plan(const ProblemFile& file, const PreparedMethod& prepared, const MethodCost& cost,
                double max_seconds, std::ostream& out) {
  const Explained explained = explain(file, prepared, cost);
  if (explained.recipe.empty()) return;
  fmt::print(out, "{}\n", plain_text(method_line(explained, cost)));
  for (const std::string& why : explained.why) fmt::print(out, "  {}\n", plain_text(why));
  const std::string limit =
      max_seconds > 0 ? fmt::format("at most {} (--max-seconds), ", duration(max_seconds)) : "";
  fmt::print(out, "budget: {}about {} by the estimate\n", limit,
             duration(shown_seconds(cost.work, cost.threads)));
}

/// How to go on with a run that was stopped.
std::string resume_command(const fs::path& folder) {
  return fmt::format("cauchy solve {} --resume", folder.string());
}

void run_solve(const SolveOptions& o, Console& console) {
  if (o.improve && o.estimate == "none") {
    throw Error("an answer is improved by its estimated error", "--improve",
                "leave out --estimate none");
  }
  ProblemFile file = read_problem(o.file, o);
  const InterruptGuard guard;  // to the end: what was found is written and printed in any case
  RunProgress progress(console.err, !o.quiet && !o.json);
  const RunLimit limit = RunLimit::of_run(o.max_seconds, &progress);
  // Whatever the method cannot treat is said before anything is written.
  std::unique_ptr<PreparedMethod> prepared;
  {
    // Meshes may be made. Half a second is within what a run may take beyond any limit: who has
    // prepared it knows the least that an answer needs.
    constexpr double least = 0.5;
    const LimitScope scope(
        o.max_seconds > 0 && o.max_seconds < least ? RunLimit::of_run(least, &progress) : limit);
    prepared = prepare(file, o.threads);
  }
  const MethodCost cost = prepared->cost();
  require_fit(cost);
  if (!o.quiet && !o.json) print_plan(file, *prepared, cost, o.max_seconds, console.err);
  const int threads = Threads::size_of(o.threads);
  const std::string no_reference = find_reference(file, o.reference, threads, limit);
  if (file.problem.reference.code) prepared = prepare(file, o.threads);
  if (o.target_error > 0 && file.problem.reference.empty()) {
    throw Error("the problem has no reference to compare with", "--target-error",
                no_reference.empty() ? "leave it out, or add [reference] to the file"
                                     : "no classical method has found one: " + no_reference);
  }
  const FolderPlace place(o.out);
  RunFolder run = open_run(o, file.problem.name, file);
  const fs::path& folder = run.path();
  RunOptions options = run_options(o, run, threads, &progress);
  options = within(options, limit);
  options.estimate = o.estimate != "none";
  if (o.estimate == "second") {
    options.estimate_otherwise = [&](Solution& s) { estimate_by_second(s, file.method, options); };
  }
  options.improve = o.improve;
  RunWatch watch(folder);
  watch.attach(options);
  Solution solution;
  try {
    solution = solve(*prepared, options);
  } catch (const std::exception& e) {
    if (!o.resume && !fs::exists(options.checkpoint)) {
      run.discard();
      place.discard();
    }
    if (const auto* error = dynamic_cast<const Error*>(&e)) throw in_file(*error, file);
    throw;
  }
  if (!no_reference.empty()) {
    solution.findings.push_back("no classical method has found a reference: " + no_reference);
  }
  watch.tell(solution.interrupted, resume_command(folder));
  const bool stopped = InterruptGuard::requested() && solution.interrupted;
  end_run(run, file, solution, threads, limit);
  const bool good = is_accepted(to_string(solution.grade), o.accept);
  console.exit_code = good && !stopped ? 0 : 1;
  const fs::path report = folder / "report.html";
  if (o.json) {
    Json json = Json::parse(result_json(file, solution, {CAUCHY_VERSION, threads}));
    json["folder"] = folder.string();
    json["report"] = report.string();
    if (solution.interrupted && solution.training) json["resume"] = resume_command(folder);
    print_json(console.out, json);
    return;
  }
  print_answer(solution, console.out);
  if (solution.training) print_events(solution.training->events, console.out);
  const std::string steps =
      solution.training ? fmt::format("{} steps, ", grouped(solution.training->steps)) : "";
  fmt::print(console.out, "  {}, {}{}\n", duration(solution.seconds), steps, solution.method);
  fmt::print(console.out, "  folder {}\n", folder.string());
  if (fs::exists(report)) fmt::print(console.out, "  report {}\n", report.string());
  if (solution.interrupted && solution.training) {
    fmt::print(console.out, "  stopped before its end; go on with: {}\n", resume_command(folder));
  }
}

}  // namespace

void add_solve(CLI::App& app, Console& console) {
  CLI::App* command =
      app.add_subcommand("solve", "Solve the problem of a file and grade the answer");
  auto o = std::make_shared<SolveOptions>();
  mark_problems(*not_empty(command
                               ->add_option("file", o->file,
                                            "problem in TOML, or its name in the library; with "
                                            "--resume also a run folder")
                               ->required(),
                           "burgers"));
  add_problem_options(*command, *o);
  add_threads_option(*command, *o);
  add_run_options(*command, *o,
                  "stop when the relative L2 error against the reference is at most this");
  add_reference_option(*command, o->reference);
  one_of(command->add_option("--estimate", o->estimate,
                             "of the error: auto, from the equations of the error (the default); "
                             "second, and where that fails by a second, independent training; or "
                             "none"),
         {"auto", "second", "none"});
  command->add_flag("--improve", o->improve,
                    "add the estimated error to the answer, while the estimate falls");
  add_accept_option(*command, *o);
  add_json_option(*command, *o);
  add_sandbox_option(*command, *o);
  command->callback(
      [o, &console] { run_in_sandbox(*o, console.err, [&] { run_solve(*o, console); }); });
}

}  // namespace cauchy::cli
