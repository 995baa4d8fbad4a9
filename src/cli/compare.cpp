#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/solvers/method.hpp>

#include "cli/classical_reference.hpp"
#include "cli/command.hpp"
#include "cli/compare_methods.hpp"
#include "cli/compare_restarts.hpp"
#include "cli/constants_table.hpp"
#include "cli/end_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/plain_text.hpp"
#include "cli/text_table.hpp"
#include "files/found_constants.hpp"
#include "files/record_json.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

struct CompareOptions : CommonOptions {
  std::vector<std::string> inputs, variants, methods;
  std::string out, plot, reference = "auto";
  double max_seconds = 0;
  std::size_t restarts = 0;
  bool quiet = false, force = false;
};

/// One line of the comparison: a finished run, or a problem that is to be solved.
struct Entry {
  std::string label;
  std::optional<ProblemFile> file = {};
  std::unique_ptr<PreparedMethod> prepared = {};
  std::string refusal = {};  ///< why the method cannot treat the problem
  double bytes = 0;          ///< of memory, estimated
  RunSummary summary = {};
  bool done = false;
};

/// "a=1; b=2" as its settings.
std::vector<std::string> settings_of(const std::string& variant) {
  std::vector<std::string> settings;
  for (std::size_t from = 0; from <= variant.size();) {
    const std::size_t end = std::min(variant.find(';', from), variant.size());
    std::string part = variant.substr(from, end - from);
    part.erase(0, part.find_first_not_of(' '));
    if (!part.empty()) settings.push_back(part);
    from = end + 1;
  }
  return settings;
}

/// A file with one of several methods: its own settings where it names that method, else the
/// defaults. A method that does not fit is a line as well.
Entry method_entry(const std::string& input, const std::string& method, const CompareOptions& o) {
  const std::string stem = fs::path(input).stem().string();
  Entry e{o.inputs.size() > 1 ? fmt::format("{}: {}", stem, method) : method};
  CommonOptions plain = o;
  plain.method.clear();
  e.file = read_problem(input, plain);
  if (name_of(e.file->method) != method) {
    CommonOptions other = o;
    other.method = method;
    if (!is_trained(method)) {
      other.seed.reset();
      other.precision.clear();
      other.optimizer.clear();
    }
    e.file = read_problem(input, other);
  }
  try {
    e.prepared = prepare(*e.file, o.threads);
    require_fit(e.prepared->cost());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::memory) throw;
    e.refusal = error.message();
  }
  return e;
}

/// Everything is read and checked before the first run begins.
std::vector<Entry> entries_of(const CompareOptions& o) {
  std::vector<Entry> entries;
  bool any_file = false;
  for (const std::string& input : o.inputs) {
    if (fs::is_directory(input)) {
      if (o.restarts > 0) {
        throw Error("it is a finished run, which cannot be started again with other seeds", input,
                    "name a .toml file, or leave out --restarts");
      }
      entries.push_back({.label = input, .summary = read_summary(input), .done = true});
      continue;
    }
    any_file = true;
    for (const std::string& method : methods_of(o.methods)) {
      entries.push_back(method_entry(input, method, o));
    }
    if (!o.methods.empty()) continue;
    std::vector<std::string> variants = o.variants;
    if (variants.empty()) variants.emplace_back();
    for (const std::string& variant : variants) {
      Entry e{variant.empty() ? fs::path(input).stem().string() : variant,
              read_problem(input, o, settings_of(variant))};
      if (!variant.empty() && o.inputs.size() > 1) {
        e.label = fmt::format("{}: {}", fs::path(input).stem().string(), variant);
      }
      e.prepared = prepare(*e.file, o.threads);
      entries.push_back(std::move(e));
    }
  }
  const bool changed = !o.variants.empty() || !o.settings.empty() || o.seed ||
                       !o.precision.empty() || !o.out.empty() || o.max_seconds > 0;
  if (!any_file && changed) {
    throw Error("settings need a problem file, but all inputs are finished runs", "compare",
                "name a .toml file as well");
  }
  return entries;
}

void print_entries(const std::vector<Entry>& entries, const CompareOptions& o, std::ostream& out) {
  if (o.json) {
    const auto number = [](double v) { return Json(v); };
    Json list = Json::array(), seconds = Json::array();
    for (const Entry& e : entries) {
      if (!e.refusal.empty()) {
        list.push_back({{"run", e.label}, {"refused", e.refusal}});
        seconds.push_back(nullptr);
      }
      if (!e.done) continue;
      seconds.push_back(e.summary.seconds);
      const RunSummary& s = e.summary;
      list.push_back({{"run", e.label},
                      {"problem", s.problem},
                      {"method", s.method},
                      {"relative_l2", number(s.relative_l2)},
                      {"joint_relative_l2", number(s.joint_l2)},
                      {"max_error", number(s.max_error)},
                      {"loss", number(s.loss)},
                      {"steps", s.steps},
                      {"unknowns", s.unknowns},
                      {"bytes", number(e.bytes)},
                      {"estimate", number(s.estimate)},
                      {"constants", detail::to_json(s.constants)},
                      {"grade", s.grade}});
    }
    print_json(out, {{"runs", list}, {detail::times_section, {{"runs", seconds}}}});
    return;
  }
  std::vector<ConstantsOfRun> constants;
  for (const Entry& e : entries) {
    if (e.done) constants.push_back({e.label, e.summary.constants});
  }
  if (!o.methods.empty()) {
    std::vector<MethodLine> lines;
    for (const Entry& e : entries) {
      if (e.done || !e.refusal.empty()) {
        lines.push_back({e.label, e.done ? e.summary : RunSummary{}, e.bytes, e.refusal});
      }
    }
    print_methods(lines, out);
    print_constants(out, constants);
    return;
  }
  // With one field both errors are the same.
  const bool joint = std::any_of(entries.begin(), entries.end(), [](const Entry& e) {
    return e.done && !std::isnan(e.summary.joint_l2) && e.summary.joint_l2 != e.summary.relative_l2;
  });
  std::vector<std::vector<std::string>> rows{
      {"run", "problem", "method", "error", "max error", "loss", "time", "steps", "grade"}};
  constexpr std::ptrdiff_t joint_column = 4;
  if (joint) rows[0].insert(rows[0].begin() + joint_column, "joint error");
  for (const Entry& e : entries) {
    if (!e.done) continue;
    const RunSummary& s = e.summary;
    rows.push_back({e.label, s.problem, s.method, short_number(s.relative_l2),
                    short_number(s.max_error), short_number(s.loss), duration(s.seconds),
                    grouped(s.steps), s.grade});
    if (joint) {
      rows.back().insert(rows.back().begin() + joint_column, short_number(s.joint_l2));
    }
  }
  print_table(out, rows);
  print_constants(out, constants);
}

/// Error against time of all methods.
void save_plot(const std::vector<Entry>& entries, const CompareOptions& o) {
  std::vector<MethodLine> lines;
  for (const Entry& e : entries) {
    if (e.done) lines.push_back({e.label, e.summary, e.bytes, {}});
  }
  save_methods_plot(o.plot, lines);
}

void run_compare(const CompareOptions& o, Console& console) {
  check_output(o.plot, o.force);
  if (!o.methods.empty() && (o.restarts > 0 || !o.variants.empty() || !o.method.empty())) {
    throw Error("several methods cannot be combined with --method, --variant or --restarts",
                "--methods", "leave out one of them");
  }
  std::vector<Entry> entries = entries_of(o);
  if (o.restarts > 0) {
    std::vector<RestartsJob> jobs;
    for (Entry& e : entries) jobs.push_back({e.label, std::move(*e.file)});
    compare_restarts(jobs, {o.restarts, o.threads, o.max_seconds, o.out, o.accept, o.quiet, o.json},
                     console);
    return;
  }
  const int threads = Threads::size_of(o.threads);
  RunProgress progress(console.err, !o.quiet && !o.json);
  RunOptions options;
  options.threads = threads;
  options.max_seconds = o.max_seconds;
  options.progress = &progress;
  std::size_t number = 0;
  const InterruptGuard guard;
  for (Entry& e : entries) {
    ++number;
    if (e.done || !e.refusal.empty()) continue;
    if (InterruptGuard::requested()) break;
    if (!o.quiet && !o.json) {
      fmt::print(console.err, "{} of {}: {}\n", number, entries.size(), plain_text(e.label));
    }
    std::optional<RunFolder> folder;
    if (!o.out.empty()) folder = begin_run(fs::path(o.out) / std::to_string(number), *e.file);
    if (const std::string why =
            find_reference(*e.file, o.reference, threads, RunLimit::of_run(0, &progress));
        e.file->problem.reference.code) {
      e.prepared = prepare(*e.file, o.threads);
    } else if (!why.empty() && !o.quiet && !o.json) {
      fmt::print(console.err, "no classical method has found a reference: {}\n", plain_text(why));
    }
    Solution solution;
    try {
      solution = solve(*e.prepared, options);
    } catch (const Error& error) {
      throw in_file(error, *e.file);
    }
    if (folder) end_run(*folder, *e.file, solution, threads);
    e.summary = summarize(solution);
    e.bytes = e.prepared->cost().bytes;
    e.done = true;
  }
  print_entries(entries, o, console.out);
  if (!o.plot.empty()) save_plot(entries, o);
  for (const Entry& e : entries) {
    if (!e.refusal.empty()) continue;
    if (!e.done || !is_accepted(e.summary.grade, o.accept)) console.exit_code = 1;
  }
}

}  // namespace

void add_compare(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "compare", "Put several runs, problems or settings side by side in one table");
  auto o = std::make_shared<CompareOptions>();
  mark_problems(*not_empty(command
                               ->add_option("inputs", o->inputs,
                                            "run folders, and problems (files or names of the "
                                            "library), which are solved")
                               ->required(),
                           "burgers"));
  not_empty(command
                ->add_option("--variant", o->variants,
                             "solve the files with these settings: \"method.seed=2; "
                             "method.scale=false\"; may be repeated, one line of the table each")
                ->allow_extra_args(false)
                ->type_name("SETTINGS"),
            "\"method.seed=2\"");
  not_empty(command
                ->add_option("--methods", o->methods,
                             "solve the files with each of these: names with commas between them, "
                             "classical, or all")
                ->delimiter(',')
                ->allow_extra_args(false)
                ->type_name("NAMES"),
            "pinn,fdm,spectral");
  not_empty(command->add_option("--plot", o->plot,
                                "draw error against time into this file, .svg or .png"),
            "methods.svg");
  command->add_flag("--force", o->force, "replace the file of --plot");
  add_reference_option(*command, o->reference);
  whole_number(command->add_option(
                   "--restarts", o->restarts,
                   "solve each file this many times, with the seeds SEED, SEED + 1, ..., and "
                   "estimate the optimisation error from the best run"),
               2, 10'000);
  add_problem_options(*command, *o);
  add_threads_option(*command, *o);
  not_empty(command->add_option("--out", o->out, "keep the runs in the folders OUT/1, OUT/2, ..."),
            "runs/compared");
  positive_number(command->add_option("--max-seconds", o->max_seconds, "of each run"));
  add_accept_option(*command, *o);
  command->add_flag("--quiet", o->quiet, "show no progress");
  add_json_option(*command, *o);
  command->callback([o, &console] { run_compare(*o, console); });
}

}  // namespace cauchy::cli
