#pragma once

#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cauchy {

/// A folder of its own for one test, removed at the end with all that is in it.
class TemporaryFolder final {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cauchy_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The path of a file in it, as text.
  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file; gives its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return file(name);
  }
  /// Files in it: a temporary file that was left behind is counted.
  [[nodiscard]] std::size_t n_entries() const {
    const std::filesystem::directory_iterator first(path_);
    return static_cast<std::size_t>(std::distance(first, {}));
  }

 private:
  std::filesystem::path path_;
};

/// The bytes of a file; empty when there is none.
inline std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace cauchy
