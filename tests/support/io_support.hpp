#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include <cauchy/base/error.hpp>

namespace cauchy {

/// A folder of its own for one test, removed at the end.
class TemporaryFolder final {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cauchy_io_XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ec;
    if (!path_.empty()) std::filesystem::remove_all(path_, ec);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Files in it: a temporary file that was left behind is counted.
  [[nodiscard]] std::size_t n_entries() const {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++n;
    return n;
  }

 private:
  std::filesystem::path path_;
};

/// The text of the Error that f throws; what stands in remove (a folder, say) is left out.
template <class F>
std::string error_of(F&& f, const std::filesystem::path& remove = {}) {
  try {
    f();
  } catch (const Error& e) {
    std::string text = e.what();
    const std::string cut = remove.string();
    for (std::size_t at; !cut.empty() && (at = text.find(cut)) != std::string::npos;)
      text.erase(at, cut.size() + (text[at + cut.size()] == '/' ? 1 : 0));
    return text;
  }
  return "no error";
}

}  // namespace cauchy
