#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cauchy {

enum class LogStart : bool { fresh, resume };

/// A CSV file that gains one row at a time, such as the losses of a training run. read_csv reads it
/// back; set allow_nonfinite for runs that diverged.
///   resume   the file is continued; its names must be the same
///   error    throws Error with the path: cannot be written, other names, no names
class CsvLog final {
 public:
  CsvLog(const std::filesystem::path& path, std::vector<std::string> columns,
         LogStart start = LogStart::fresh);
  ~CsvLog();
  CsvLog(CsvLog&&) noexcept;
  CsvLog& operator=(CsvLog&&) noexcept;

  /// One number per column; another count is an Error.
  void row(std::span<const double> values);
  /// Makes all rows visible to readers. Also done by the destructor, which cannot report errors.
  void flush();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cauchy
