#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <cauchy/files/problem_file.hpp>

namespace cauchy::cli {

/// Options that several commands share.
struct CommonOptions {
  std::vector<std::string> settings;  ///< --set key=value
  std::optional<std::uint64_t> seed;
  std::string precision;
  std::string method;     ///< its name, in place of that of the file
  std::string optimizer;  ///< a chain of stages
  std::string accept;     ///< a grade besides `converged` that is good enough
  int threads = 0;
  bool json = false;
  bool sandbox = false;  ///< files outside of the folder of the problem are refused
};

/// --method, --set, --optimizer, --seed, --precision: what changes a problem file.
void add_problem_options(CLI::App& command, CommonOptions& options);
/// The same without --method; `example` is a key with its value, which must live as long as the
/// program.
void add_training_options(CLI::App& command, CommonOptions& options, const char* example);
/// --optimizer, --seed and --precision in place of what a file says.
void apply_training_options(const CommonOptions& options, std::vector<Stage>& stages,
                            std::uint64_t& seed, Precision& precision);
/// --method alone, and --set alone.
void add_method_option(CLI::App& command, CommonOptions& options);
void add_set_option(CLI::App& command, CommonOptions& options, const char* example);
void add_threads_option(CLI::App& command, CommonOptions& options);
void add_accept_option(CLI::App& command, CommonOptions& options);
/// Whether an answer of this grade, by its name, is good enough for exit code 0.
[[nodiscard]] bool is_accepted(std::string_view grade, const std::string& accept);
void add_json_option(CLI::App& command, CommonOptions& options);

void add_sandbox_option(CLI::App& command, CommonOptions& options);
/// Runs a command that reads a problem; says which files outside of its folder that names.
void run_in_sandbox(const CommonOptions& options, std::ostream& err,
                    const std::function<void()>& run);

/// Says that words of an option are problems: files, or names of the library. Shells complete both.
void mark_problems(CLI::Option& option);
[[nodiscard]] bool takes_problems(const CLI::Option& option);
/// The same for operator problems.
void mark_operators(CLI::Option& option);
[[nodiscard]] bool takes_operators(const CLI::Option& option);

/// The problem of a file, of a run folder or of the library, with the options applied; `more` comes
/// after --set.
[[nodiscard]] ProblemFile read_problem(const std::string& file, const CommonOptions& options,
                                       const std::vector<std::string>& more = {});

}  // namespace cauchy::cli
