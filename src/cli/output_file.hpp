#pragma once

#include <filesystem>

namespace cauchy::cli {

/// Looks at the name of an output before any work is done; an empty one is none.
///   error    throws Error: a folder, a file in a folder that does not exist, or, without force, a
///            file that exists
void check_output(const std::filesystem::path& file, bool force);

}  // namespace cauchy::cli
