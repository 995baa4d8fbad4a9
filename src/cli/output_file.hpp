#pragma once

#include <filesystem>
#include <string>

namespace cauchy::cli {

/// Looks at the name of an output before any work is done; an empty one is none.
///   error    throws Error: a folder, a file in a folder that does not exist, or, without force, a
///            file that exists
void check_output(const std::filesystem::path& file, bool force);

/// A name, of a problem say, as the name of a folder: other characters than letters of ASCII,
/// digits, '_' and '-' become '_'.
[[nodiscard]] std::string folder_name(std::string name);

}  // namespace cauchy::cli
