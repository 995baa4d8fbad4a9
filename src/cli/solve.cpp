#include <filesystem>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/files/run_log.hpp>
#include <cauchy/solvers/method.hpp>

#include "cli/command.hpp"
#include "cli/end_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

struct SolveOptions : CommonOptions {
  std::string file, out;
  double max_seconds = 0, target_error = 0;
  bool resume = false, quiet = false;
};

/// The name of a problem as the name of a folder.
std::string folder_name(std::string name) {
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  return name.empty() ? std::string("problem") : name;
}

fs::path folder_of(const SolveOptions& o, const Problem& problem) {
  if (!o.out.empty()) return o.out;
  if (o.resume && fs::is_directory(o.file)) return o.file;
  const fs::path folder = fs::path("runs") / folder_name(problem.name);
  return o.resume ? folder : free_run_folder(folder);
}

void print_answer(const Solution& s, std::ostream& out) {
  fmt::print(out, "{}: {}\n", s.problem.title.empty() ? s.problem.name : s.problem.title,
             to_string(s.grade));
  for (const std::string& finding : s.findings) fmt::print(out, "  {}\n", finding);
  if (!s.error.fields.empty()) {
    const std::vector<std::string> names = s.problem.coordinates();
    std::vector<std::vector<std::string>> rows{{"field", "relative L2", "max error", "at"}};
    for (const FieldError& e : s.error.fields) {
      std::string at;
      for (std::size_t k = 0; k < e.where.size(); ++k) {
        at += fmt::format("{}{} = {:.4g}", k == 0 ? "" : ", ", names[k], e.where[k]);
      }
      rows.push_back({e.field, short_number(e.relative_l2), short_number(e.max), at});
    }
    print_table(out, rows, 2);
  }
  if (!s.unknowns.empty()) {
    std::vector<std::vector<std::string>> rows{{"constant", "value", "relative error"}};
    for (const auto& [name, value] : s.unknowns) {
      const auto error = s.error.unknowns.find(name);
      rows.push_back({name, fmt::format("{:.8g}", value),
                      error == s.error.unknowns.end() ? "-" : short_number(error->second)});
    }
    print_table(out, rows, 2);
  }
}

/// How to go on with a run that was stopped.
std::string resume_command(const fs::path& folder) {
  return fmt::format("cauchy solve {} --resume", folder.string());
}

void run_solve(const SolveOptions& o, Console& console) {
  const ProblemFile file = read_problem(o.file, o);
  // Whatever the method cannot treat is said before anything is written.
  const std::unique_ptr<PreparedMethod> prepared = prepare(file.problem, file.method, o.threads);
  require_fit(prepared->cost());
  const int threads = Threads::size_of(o.threads);
  const fs::path folder = folder_of(o, file.problem);
  const bool existed = fs::exists(folder);
  RunOptions options;
  options.threads = threads;
  options.checkpoint = folder / "checkpoint.bin";
  options.max_seconds = o.max_seconds;
  options.target_error = o.target_error;
  if (o.resume) {
    const double before = resume_run(folder, file);
    if (o.max_seconds > 0) options.max_seconds += before;
  } else {
    begin_run(folder, file);
  }
  RunProgress progress(console.err, !o.quiet && !o.json);
  options.progress = &progress;
  bool stopped = false;
  Solution solution;
  try {
    const InterruptGuard guard;
    RunLog log(folder);
    options.on_history = [&log](const TrainingRecord& record) { log.update(record); };
    solution = solve(*prepared, options);
    stopped = InterruptGuard::requested() && solution.interrupted;
  } catch (const std::exception&) {
    if (!existed && !fs::exists(options.checkpoint)) fs::remove_all(folder);
    throw;
  }
  end_run(folder, file, solution, threads);
  console.exit_code = solution.grade == Grade::converged && !stopped ? 0 : 1;
  const fs::path report = folder / "report.html";
  if (o.json) {
    Json json = Json::parse(result_json(file, solution, {CAUCHY_VERSION, threads}));
    json["folder"] = folder.string();
    json["report"] = report.string();
    if (solution.interrupted) json["resume"] = resume_command(folder);
    print_json(console.out, json);
    return;
  }
  print_answer(solution, console.out);
  const std::string steps =
      solution.training
          ? fmt::format("{} steps, ", grouped(static_cast<double>(solution.training->steps)))
          : "";
  fmt::print(console.out, "  {}, {}{}\n", duration(solution.seconds), steps, solution.method);
  fmt::print(console.out, "  folder {}\n", folder.string());
  if (fs::exists(report)) fmt::print(console.out, "  report {}\n", report.string());
  if (solution.interrupted) {
    fmt::print(console.out, "  stopped before its end; go on with: {}\n", resume_command(folder));
  }
}

}  // namespace

void add_solve(CLI::App& app, Console& console) {
  CLI::App* command =
      app.add_subcommand("solve", "Solve the problem of a file and grade the answer");
  auto o = std::make_shared<SolveOptions>();
  command->add_option("file", o->file, "problem in TOML; with --resume also a run folder")
      ->required();
  add_problem_options(*command, *o);
  add_threads_option(*command, *o);
  command->add_option("--out", o->out,
                      "folder of the run; without it runs/NAME, numbered when that exists");
  command
      ->add_option("--max-seconds", o->max_seconds, "stop after this time and keep what there is")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--target-error", o->target_error,
                   "stop when the relative L2 error against the reference is at most this")
      ->check(CLI::PositiveNumber);
  command->add_flag("--resume", o->resume, "continue an interrupted run of the same problem");
  command->add_flag("--quiet", o->quiet, "show no progress");
  add_json_option(*command, *o);
  command->callback([o, &console] { run_solve(*o, console); });
}

}  // namespace cauchy::cli
