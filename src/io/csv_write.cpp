#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>

#include "io/csv_lexer.hpp"
#include "io/csv_rows.hpp"

namespace cauchy {
namespace detail {
namespace {

/// The marks by which files say their encoding. A name that begins a file must not look like one.
bool begins_like_a_mark(const std::string& name) {
  return name.starts_with("\xEF\xBB\xBF") || name.starts_with("\xFF\xFE") ||
         name.starts_with("\xFE\xFF");
}

void append_name(std::string& out, const std::string& name) {
  if (name.find_first_of("\r\n") != std::string::npos)
    throw Error("column name contains a line break", "[io.csv]");
  double value = 0.0;
  // Spreadsheets take what begins so for a formula; the reader takes the mark away again.
  const std::string cell = detail::begins_like_a_formula(name) ? "'" + name : name;
  const bool plain = name.find_first_of(";,\t \"#") == std::string::npos &&
                     !begins_like_a_mark(name) &&
                     read_number(name, value) == NumberKind::not_a_number;
  if (plain) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

void append_csv_names(std::string& out, std::span<const std::string> names, char separator) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += separator;
    append_name(out, names[i]);
  }
  out += '\n';
}

void append_csv_row(std::string& out, std::span<const double> row, char separator) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += separator;
    append_number(out, row[i]);
  }
  out += '\n';
}

}  // namespace detail

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// Calls consume(text) after every megabyte or so, and at the end.
template <class Consume>
void write_rows(const Table& table, char separator, Consume&& consume) {
  if (separator != ',' && separator != ';' && separator != '\t' && separator != ' ')
    throw Error(fmt::format("separator '{}' is not one of comma, semicolon, tab, blank", separator),
                "[io.csv]");
  check_table(table, "[io.csv]");
  const std::size_t n = table.columns.size();
  std::string text;
  detail::append_csv_names(text, table.columns, separator);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    detail::append_csv_row(text, std::span(table.values).subspan(row * n, n), separator);
    if (text.size() >= kPiece) {
      consume(text);
      text.clear();
    }
  }
  consume(text);
}

}  // namespace

std::string to_csv(const Table& table, char separator) {
  std::string all;
  write_rows(table, separator, [&](const std::string& piece) { all += piece; });
  return all;
}

void write_csv(const std::filesystem::path& path, const Table& table, char separator) {
  AtomicFile file(path);
  write_rows(table, separator, [&](const std::string& piece) { file.write(piece); });
  file.commit();
}

}  // namespace cauchy
