#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cauchy::detail {

/// Exclusive hold on a folder: a lock of the system (flock) on the file `lock` in it, which the
/// system lets go of when the process ends, however it ends. The file names process and machine for
/// people, and is removed with the hold.
///   no locks  on file systems without them the file alone is the sign: is_sure() tells
class FolderLock final {
 public:
  static constexpr const char* file_name = "lock";

  /// Takes the lock; none while another process, or another object, holds it.
  ///   error    throws Error: the file cannot be made, is a symbolic link, or is none of ours
  [[nodiscard]] static std::optional<FolderLock> take(const std::filesystem::path& folder);
  /// Who holds the folder, as its lock says: "process 123 on einstein"; "another process" when that
  /// cannot be read.
  [[nodiscard]] static std::string holder(const std::filesystem::path& folder);

  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

  /// Whether no lock file was there before.
  [[nodiscard]] bool made_file() const noexcept { return made_file_; }
  /// Whether no other process can hold the folder.
  [[nodiscard]] bool is_sure() const noexcept { return locked_ || made_file_; }

 private:
  FolderLock(std::filesystem::path file, int fd, bool made_file, bool locked);
  void release() noexcept;

  std::filesystem::path file_;
  int fd_ = -1;
  bool made_file_ = false, locked_ = false;
};

}  // namespace cauchy::detail
