#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/method.hpp>

namespace cauchy {

/// What a problem file holds: the problem, and the settings of the method that solves it.
///   places   where things stand in the text, for messages: "method", "condition 'u = 0 on left'"
struct ProblemFile {
  Problem problem;
  Method method;
  std::map<std::string, std::string> places = {};
};

/// Reads a problem in TOML; docs/format.md lists every key. Strict: an unknown key is an Error with
/// the nearest known one. The problem is checked as a whole.
///   include    `include = "base.toml"`: that file first, keys of this one replace its keys
///   overrides  "method.network.width=64": as if written in the file, the last word
///   error      throws Error "file:line:column: what; fix"
[[nodiscard]] ProblemFile read_problem_file(const std::filesystem::path& file,
                                            const std::vector<std::string>& overrides = {});
/// The same from memory; `name` stands for the file in messages, `folder` is where other files are.
[[nodiscard]] ProblemFile parse_problem_file(std::string_view text, const std::string& name,
                                             const std::filesystem::path& folder = ".",
                                             const std::vector<std::string>& overrides = {});

/// prepare() for the problem of a file: what the method cannot treat is said with the line of the
/// equation, condition or table that it is about.
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare(const ProblemFile& file, int threads = 0);
/// An error of a method or a run, with the line of the file that it is about.
[[nodiscard]] Error in_file(const Error& error, const ProblemFile& file);

/// A chain of optimisers from one line, "adam 1000, ssbroyden 20000 max_seconds=300": names,
/// numbers of steps and keys of [[method.stage]]. `name` stands for the line in messages.
///   error      throws Error "name: what; fix"
[[nodiscard]] std::vector<Stage> parse_stages(std::string_view text,
                                              const std::string& name = "stages");

/// A file that reads back as the same problem and settings. Tables in memory are not written.
///   surfaces  names to write for the files of triangle surfaces; others keep theirs
[[nodiscard]] std::string to_toml(const ProblemFile& file,
                                  const std::map<std::string, std::string>& surfaces = {});
/// The settings alone, [method] with every key.
[[nodiscard]] std::string method_text(const Method& method);
/// The files of the triangle surfaces of the region, surface("part.stl"), each once, in the order
/// of the text; their tables apart, these are all files that a problem needs.
[[nodiscard]] std::vector<std::string> surface_files(const Problem& problem);

}  // namespace cauchy
