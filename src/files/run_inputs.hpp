#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <cauchy/files/operator_file.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/run_options.hpp>

namespace cauchy::detail {

/// A file of a run folder that the run is made of.
struct RunInput {
  std::string name;                    ///< in the folder: "problem.toml", "data/reference.csv"
  std::string origin;                  ///< the file that its content comes from, where there is one
  std::function<std::string()> bytes;  ///< that belong there
};

/// Everything that a run is made of: its tables, the files of its surfaces, the answer that it
/// starts from, problem.toml as the last.
[[nodiscard]] std::vector<RunInput> run_inputs(const ProblemFile& file);
/// The same for an operator: its data are no input, since they can be made again.
[[nodiscard]] std::vector<RunInput> run_inputs(const OperatorFile& file);

/// "1234 bytes, crc32c 0x89abcdef"
[[nodiscard]] std::string checksum(std::string_view bytes);
/// Of these files as they lie in the folder.
[[nodiscard]] RunInputs checksums_in(const std::filesystem::path& folder,
                                     const std::vector<RunInput>& inputs);

}  // namespace cauchy::detail
