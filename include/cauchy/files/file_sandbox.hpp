#pragma once

#include <memory>
#include <string>
#include <vector>

namespace cauchy {

namespace detail {
struct FileRules;
}

/// Which files the problem files may name that this thread reads while it lives: data, meshes,
/// surfaces, starts, `include`. The folder is that of the first problem file; symbolic links are
/// followed. What a problem file names outside of it is told, and nothing of it is quoted in
/// messages. Files that overrides name (--set) are those of who typed them.
class FileSandbox final {
 public:
  /// refuse: a file outside of the folder is an Error at its name; else it is read.
  explicit FileSandbox(bool refuse);
  ~FileSandbox();
  FileSandbox(const FileSandbox&) = delete;
  FileSandbox& operator=(const FileSandbox&) = delete;

  /// Names of the files outside, as they were written, in the order in which they were met.
  [[nodiscard]] const std::vector<std::string>& outside() const noexcept;

 private:
  std::shared_ptr<detail::FileRules> rules_, before_;
};

}  // namespace cauchy
