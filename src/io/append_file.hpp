#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cauchy::detail {

/// A file that grows while the program runs, so that others can watch it; buffered.
class AppendFile final {
 public:
  /// keep: what stands in the file stays, and new bytes follow it. Throws Error with the path, also
  /// for a symbolic link.
  AppendFile(const std::filesystem::path& path, bool keep);
  /// Writes what is buffered; a failure here is lost, so call flush() before.
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Whether the file held anything when it was opened.
  [[nodiscard]] bool had_bytes() const noexcept { return had_bytes_; }
  void write(std::string_view bytes);
  void flush();

 private:
  int try_flush() noexcept;  // 0 or the code of the system error

  std::filesystem::path path_;
  std::string buffer_;
  int fd_ = -1;
  bool had_bytes_ = false;
};

}  // namespace cauchy::detail
