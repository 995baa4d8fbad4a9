#include "cli/problem_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>  // nearest_name

namespace cauchy::cli {

namespace fs = std::filesystem;

std::vector<fs::path> library_folders() {
  std::vector<fs::path> all, found;
  if (const char* own = std::getenv("CAUCHY_PROBLEMS"); own != nullptr && *own != '\0') {
    all.emplace_back(own);
  }
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) all.push_back((program.parent_path() / CAUCHY_PROBLEMS_PATH).lexically_normal());
  for (const fs::path& folder : all) {
    if (fs::is_directory(folder, failure)) found.push_back(folder);
  }
  return found;
}

std::vector<fs::path> library_files(LibraryKind kind) {
  std::map<std::string, fs::path> files;
  const auto add = [&](const fs::path& folder) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
      if (entry.path().extension() != ".toml") continue;
      files.emplace(entry.path().stem().string(), entry.path());
    }
  };
  for (const fs::path& folder : library_folders()) {
    if (kind == LibraryKind::problems) {
      add(folder);
    } else {
      add(folder / "operators");
      add(folder / "applications");
    }
  }
  std::vector<fs::path> sorted;
  for (const auto& [name, file] : files) sorted.push_back(file);
  return sorted;
}

namespace {

/// A hint for a name that the library knows as the other kind of problem; empty: it does not.
std::string other_kind(const std::string& word, LibraryKind kind) {
  const bool operators = kind == LibraryKind::operators;
  for (const fs::path& file :
       library_files(operators ? LibraryKind::problems : LibraryKind::operators)) {
    if (file.stem() != word) continue;
    return operators ? "it is a problem with one answer: use cauchy solve"
                     : "it is an operator problem: use cauchy data and cauchy train";
  }
  return {};
}

}  // namespace

fs::path problem_path(const std::string& word, LibraryKind kind) {
  const fs::path path = word;
  std::error_code failure;
  const bool is_path = word.empty() || word.find('/') != std::string::npos ||
                       word.ends_with(".toml") || fs::exists(path, failure);
  if (is_path) return path;
  if (const fs::path here = word + ".toml"; fs::exists(here, failure)) return here;
  std::vector<std::string> names;
  for (const fs::path& file : library_files(kind)) {
    names.push_back(file.stem().string());
    if (names.back() == word) return file;
  }
  const std::string near = nearest_name(word, names), other = other_kind(word, kind);
  const bool operators = kind == LibraryKind::operators;
  throw Error(ErrorKind::not_found,
              fmt::format("there is neither a file nor {} of the library",
                          operators ? "an operator problem" : "a problem"),
              word,
              !other.empty()  ? other
              : names.empty() ? "no library was found: name its folder in CAUCHY_PROBLEMS"
              : near.empty()
                  ? fmt::format("see `cauchy list {}`", operators ? "operators" : "problems")
                  : fmt::format("did you mean '{}'?", near));
}

}  // namespace cauchy::cli
