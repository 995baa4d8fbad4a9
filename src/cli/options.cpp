#include "cli/options.hpp"

#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/file_sandbox.hpp>

#include "cli/option_checks.hpp"
#include "cli/plain_text.hpp"
#include "cli/problem_library.hpp"

namespace cauchy::cli {
namespace {

std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (const Precision p : all_precisions()) names.emplace_back(to_string(p));
  return names;
}

}  // namespace

void add_method_option(CLI::App& command, CommonOptions& o) {
  std::vector<std::string> names;
  for (const MethodEntry& e : all_methods()) names.emplace_back(e.name);
  one_of(command.add_option("--method", o.method,
                            "with its defaults, in place of [method] of the file; --set "
                            "changes its keys"),
         names);
}

void add_set_option(CLI::App& command, CommonOptions& o, const char* example) {
  not_empty(
      command
          .add_option("--set", o.settings,
                      fmt::format("change a key of the file: --set {}; may be repeated", example))
          ->allow_extra_args(false)
          ->type_name("KEY=VALUE"),
      example);
}

void mark_problems(CLI::Option& option) { option.type_name("PROBLEM"); }

void mark_operators(CLI::Option& option) { option.type_name("OPERATOR"); }

bool takes_operators(const CLI::Option& option) { return option.get_type_name() == "OPERATOR"; }

bool takes_problems(const CLI::Option& option) { return option.get_type_name() == "PROBLEM"; }

void add_problem_options(CLI::App& command, CommonOptions& o) {
  add_method_option(command, o);
  add_training_options(command, o, "method.network.width=64");
}

void add_training_options(CLI::App& command, CommonOptions& o, const char* example) {
  add_set_option(command, o, example);
  not_empty(command
                .add_option("--optimizer", o.optimizer,
                            "optimisers one after the other, in place of those of the file: "
                            "\"adam 1000, ssbroyden 20000\"; keys of a stage may follow: "
                            "\"adam 500 learning_rate=2e-3\"")
                ->type_name("CHAIN"),
            "\"adam 1000, ssbroyden 20000\"");
  whole_number(command.add_option("--seed", o.seed, "of parameters and random points"));
  one_of(command.add_option("--precision", o.precision, "of the arithmetic: f64 or f32"),
         precision_names());
}

void apply_training_options(const CommonOptions& o, std::vector<Stage>& stages, std::uint64_t& seed,
                            Precision& precision) {
  if (!o.optimizer.empty()) stages = parse_stages(o.optimizer, "--optimizer " + o.optimizer);
  if (o.seed) seed = *o.seed;
  for (const Precision p : all_precisions()) {
    if (o.precision == to_string(p)) precision = p;
  }
}

void add_threads_option(CLI::App& command, CommonOptions& o) {
  whole_number(
      command.add_option("--threads", o.threads,
                         "number of threads; without it CAUCHY_THREADS, else all of the machine"),
      1, Threads::max_size);
}

void add_accept_option(CLI::App& command, CommonOptions& o) {
  one_of(command.add_option(
             "--accept", o.accept,
             "unverified: exit code 0 also where nothing contradicts an answer of unknown error"),
         {std::string(to_string(Grade::unverified))});
}

bool is_accepted(std::string_view grade, const std::string& accept) {
  return grade == to_string(Grade::converged) || grade == accept;
}

void add_json_option(CLI::App& command, CommonOptions& o) {
  command.add_flag("--json", o.json, "print one JSON object, for machines");
}

void add_sandbox_option(CLI::App& command, CommonOptions& o) {
  command.add_flag("--sandbox", o.sandbox,
                   "refuse a problem that names files outside of its folder");
}

void run_in_sandbox(const CommonOptions& o, std::ostream& err, const std::function<void()>& run) {
  const FileSandbox files(o.sandbox);
  run();
  if (files.outside().empty()) return;
  fmt::print(err, "the problem names files outside of its folder: {}\n",
             plain_text(fmt::format("{}", fmt::join(files.outside(), ", "))));
}

ProblemFile read_problem(const std::string& file, const CommonOptions& o,
                         const std::vector<std::string>& more) {
  std::vector<std::string> settings;
  if (!o.method.empty()) settings.push_back(fmt::format("method={{kind=\"{}\"}}", o.method));
  settings.insert(settings.end(), o.settings.begin(), o.settings.end());
  settings.insert(settings.end(), more.begin(), more.end());
  std::filesystem::path path = problem_path(file);
  if (std::filesystem::is_directory(path)) {
    path /= "problem.toml";
    if (!std::filesystem::exists(path)) {
      throw Error("the folder holds no problem.toml", file, "name a problem file or a run folder");
    }
  }
  ProblemFile problem = read_problem_file(path, settings);
  if (!o.method.empty()) problem.places["method"] = "--method " + o.method;
  if (o.optimizer.empty() && !o.seed && o.precision.empty()) return problem;
  const std::optional<TrainingSettings> training = training_settings(problem.method);
  if (!training) {
    throw Error(fmt::format("{} is not trained: it has no optimizer, seed or precision",
                            name_of(problem.method)),
                file, "leave out --optimizer, --seed and --precision");
  }
  apply_training_options(o, training->stages, training->seed, training->precision);
  if (!o.optimizer.empty()) replace_stages(problem.method, training->stages);
  return problem;
}

}  // namespace cauchy::cli
