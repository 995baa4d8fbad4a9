#include "cli/output_file.hpp"

#include <cctype>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::cli {

namespace fs = std::filesystem;

void check_output(const fs::path& file, bool force) {
  if (file.empty()) return;
  std::error_code failure;  // whatever cannot be looked at is told by who writes
  if (fs::is_directory(file, failure)) {
    throw Error(ErrorKind::file, "cannot write: is a folder", file.string(), "name a file in it");
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!fs::exists(folder, failure)) {
    throw Error(ErrorKind::file,
                fmt::format("cannot write: the folder '{}' does not exist", folder.string()),
                file.string(), "make it first, or name another one");
  }
  const fs::file_status status = fs::symlink_status(file, failure);
  if (!force && (fs::is_regular_file(status) || fs::is_symlink(status))) {
    throw Error("the file exists already", file.string(),
                "choose another name, or replace it with --force");
  }
}

std::string folder_name(std::string name) {
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  return name.empty() ? std::string("problem") : name;
}

}  // namespace cauchy::cli
