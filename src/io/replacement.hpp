#pragma once

#include <filesystem>

#include <cauchy/io/files.hpp>  // Links

#include "base/regular_file.hpp"  // throw_system_error

namespace cauchy::detail {

/// The name of a new file beside its target, and the renaming that puts it there. For libraries
/// that open files by name; AtomicFile is made of it.
class FileReplacement final {
 public:
  /// Creates the temporary file, empty. Throws Error when the target cannot be written.
  explicit FileReplacement(const std::filesystem::path& target, Links links = Links::follow);
  /// Removes the temporary file unless commit() came first.
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// The target as the caller named it.
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }
  void commit();

 private:
  std::filesystem::path target_, resolved_, temporary_;
  bool done_ = false;
};

}  // namespace cauchy::detail
