#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/applications/simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/data/operator_problem.hpp>
#include <cauchy/operators/operator_method.hpp>

namespace cauchy {

/// What the file of an operator problem holds: a problem file with the tables [operator] and
/// [train]. Its [method] makes the data; without one it is the classical method that fits. A file
/// with [simulator] has no equations: a simulator makes the data.
///   places   where things stand in the text, for messages: "input 'a'", "[operator.grid]", "train"
struct OperatorFile {
  OperatorProblem problem;
  OperatorMethod method = {};  ///< [train]
  /// What problem.source was made from; none: the file has equations.
  std::optional<Simulator> simulator = {};
  std::map<std::string, std::string> places = {};
};

/// Whether a file (or the problem.toml of a run folder) has a table [operator].
[[nodiscard]] bool has_operator(const std::filesystem::path& file);
/// Reads an operator problem in TOML; docs/format.md lists every key. Strict, with includes and
/// overrides as read_problem_file. The problem is checked as a whole.
///   error    throws Error "file:line:column: what; fix"
[[nodiscard]] OperatorFile read_operator_file(const std::filesystem::path& file,
                                              const std::vector<std::string>& overrides = {});
/// The same from memory; `name` stands for the file in messages, `folder` is where other files are.
[[nodiscard]] OperatorFile parse_operator_file(std::string_view text, const std::string& name,
                                               const std::filesystem::path& folder = ".",
                                               const std::vector<std::string>& overrides = {});
/// An error of a run, with the line of the file that it is about.
[[nodiscard]] Error in_file(const Error& error, const OperatorFile& file);

/// A file that reads back as the same problem and settings.
[[nodiscard]] std::string to_toml(const OperatorFile& file);

}  // namespace cauchy
