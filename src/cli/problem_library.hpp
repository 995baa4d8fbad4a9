#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cauchy::cli {

/// Folders with problem files that are known by name, those that exist: $CAUCHY_PROBLEMS, then the
/// folder that is installed with this program (in a build tree a link to that of the source).
[[nodiscard]] std::vector<std::filesystem::path> library_folders();

/// Problems with one answer, or (in the folder operators/ of theirs) operator problems.
enum class LibraryKind : bool { problems, operators };

/// The problem files of these folders, sorted by name; the first of equal names.
[[nodiscard]] std::vector<std::filesystem::path> library_files(
    LibraryKind kind = LibraryKind::problems);

/// The path that a word of the command line means: an existing file or folder, NAME.toml in the
/// working folder, or else a problem of the library. A word with '/' or the ending .toml is a path.
///   error    throws Error (not_found) with the nearest name
[[nodiscard]] std::filesystem::path problem_path(const std::string& word,
                                                 LibraryKind kind = LibraryKind::problems);

}  // namespace cauchy::cli
