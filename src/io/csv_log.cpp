#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/csv_log.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/table.hpp>

#include "io/append_file.hpp"
#include "io/csv_rows.hpp"

namespace cauchy {

struct CsvLog::State {
  State(const std::filesystem::path& path, bool keep, std::size_t n)
      : place(path.string()), file(path, keep), n_columns(n) {}
  std::string place, line;
  detail::AppendFile file;
  std::size_t n_columns;
};

CsvLog::CsvLog(const std::filesystem::path& path, std::vector<std::string> columns,
               LogStart start) {
  check_table({columns, {}, {}}, path.string());
  std::string names;
  detail::append_csv_names(names, columns, ',');
  std::error_code ec;
  const bool keep = start == LogStart::resume && std::filesystem::exists(path, ec) &&
                    std::filesystem::file_size(path, ec) > 0;
  if (keep) {
    const std::string before = read_file(path);
    if (!before.starts_with(names))
      throw Error(ErrorKind::file, "the log has other columns, so it cannot be continued",
                  path.string(), "write to a new file");
    // A run that was killed may have left half a row.
    if (before.back() != '\n') {
      const std::size_t end = before.rfind('\n') + 1;
      write_file_atomically(path, std::string_view(before).substr(0, end));
    }
  }
  state_ = std::make_unique<State>(path, keep, columns.size());
  if (!keep) state_->file.write(names);
  flush();
}

CsvLog::~CsvLog() = default;
CsvLog::CsvLog(CsvLog&&) noexcept = default;
CsvLog& CsvLog::operator=(CsvLog&&) noexcept = default;

void CsvLog::row(std::span<const double> values) {
  if (values.size() != state_->n_columns)
    throw Error(fmt::format("row has {} values, expected {}", values.size(), state_->n_columns),
                state_->place);
  state_->line.clear();
  detail::append_csv_row(state_->line, values, ',');
  state_->file.write(state_->line);
}

void CsvLog::flush() { state_->file.flush(); }

}  // namespace cauchy
