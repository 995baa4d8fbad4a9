#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/run_command.hpp"

namespace cauchy::cli {

/// The file of a word when it has a table [morph]: a path, a run folder, or a name of the library.
[[nodiscard]] std::optional<std::filesystem::path> morph_path(const std::string& word);
/// `cauchy train` and `cauchy check` of such a file.
void train_morph_file(const std::filesystem::path& file, const RunCommandOptions& options,
                      Console& console);
void check_morph_file(const std::filesystem::path& file, const CommonOptions& options,
                      Console& console);

}  // namespace cauchy::cli
