#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/dynamics/learn_dynamics.hpp>
#include <cauchy/files/run_folder.hpp>

namespace cauchy {

/// What the file of a problem with [dynamics] holds; its [train] says how to learn.
///   places   where things stand in the text, for messages: "[dynamics]", "train"
struct DynamicsFile {
  DynamicsProblem problem;
  DynamicsMethod method = {};
  std::string id;                    ///< column with the numbers of the trajectories; empty: one
  std::string file, reference_file;  ///< of the data, as written
  std::map<std::string, std::string> places = {};
};

/// Whether a file (or the problem.toml of a run folder) has a table [dynamics].
[[nodiscard]] bool has_dynamics(const std::filesystem::path& file);
/// Reads a problem with [dynamics]; docs/format.md lists every key. Strict, with includes and
/// overrides as read_problem_file.
///   error    throws Error "file:line:column: what; fix"
[[nodiscard]] DynamicsFile read_dynamics_file(const std::filesystem::path& file,
                                              const std::vector<std::string>& overrides = {});
/// The same from memory; `name` stands for the file in messages, `folder` is where other files are.
[[nodiscard]] DynamicsFile parse_dynamics_file(std::string_view text, const std::string& name,
                                               const std::filesystem::path& folder = ".",
                                               const std::vector<std::string>& overrides = {});
/// An error of a run, with the line of the file that it is about.
[[nodiscard]] Error in_file(const Error& error, const DynamicsFile& file);
/// A file that reads back as the same problem and settings.
[[nodiscard]] std::string to_toml(const DynamicsFile& file);

// The folder of a run that learns dynamics: as that of any run (run_folder.hpp), with model.bin in
// place of solution.bin.
[[nodiscard]] RunFolder begin_run(const std::filesystem::path& folder, const DynamicsFile& file);
[[nodiscard]] RunFolder begin_next_run(const std::filesystem::path& folder,
                                       const DynamicsFile& file);
[[nodiscard]] RunFolder resume_run(const std::filesystem::path& folder, const DynamicsFile& file);
void finish_run(const RunFolder& folder, const DynamicsFile& file, const DynamicsResult& result,
                const RunInfo& info);
/// The text of result.json: keys as those of other runs.
[[nodiscard]] std::string result_json(const DynamicsFile& file, const DynamicsResult& result,
                                      const RunInfo& info);
struct LoadedDynamics {
  DynamicsFile file;
  std::shared_ptr<const TrainedDynamics> model;
};
/// Throws Error with the path: no run has ended there, or its problem has changed since.
[[nodiscard]] LoadedDynamics load_dynamics_run(const std::filesystem::path& folder);

}  // namespace cauchy
