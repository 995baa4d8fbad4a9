#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include <cauchy/base/error.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>

#include "io/csv_lexer.hpp"

namespace cauchy {
namespace {

using detail::CsvField;
using detail::NumberKind;
using detail::Separator;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

class CsvReader final {
 public:
  CsvReader(std::string_view text, std::string_view name, const TableOptions& options)
      : text_(text), name_(name), options_(options) {}

  Table read();

 private:
  [[noreturn]] void fail(std::string_view message, std::size_t column = 0,
                         std::string_view hint = {}) const {
    throw Error(ErrorKind::file, message,
                column == 0 ? fmt::format("{}:{}", name_, line_number_)
                            : fmt::format("{}:{}:{}", name_, line_number_, column),
                hint);
  }

  bool next_line();
  std::vector<CsvField> split(std::string_view line) const;
  std::vector<std::string> names_of(const std::vector<CsvField>& fields) const;
  void check_names(const std::vector<std::string>& names) const;
  std::vector<std::string> header_names(bool& is_data);
  double number_of(const CsvField& field) const;
  bool append_fast();
  void append_checked();

  std::string_view text_, line_, comment_;
  std::size_t comment_line_ = 0;
  std::string_view name_;
  const TableOptions& options_;
  std::size_t position_ = 0, line_number_ = 0, n_columns_ = 0;
  Separator separator_ = Separator::comma;
  std::vector<double> values_;
};

// Advances line_ to the next line that is neither empty nor a comment; false at the end.
bool CsvReader::next_line() {
  while (position_ < text_.size()) {
    const char* const begin = text_.data() + position_;
    const auto* const newline =
        static_cast<const char*>(std::memchr(begin, '\n', text_.size() - position_));
    const std::size_t length =
        newline != nullptr ? static_cast<std::size_t>(newline - begin) : text_.size() - position_;
    position_ += length + 1;
    ++line_number_;
    line_ = {begin, length};
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    std::size_t i = 0;
    while (i < line_.size() && is_blank(line_[i])) ++i;
    if (i == line_.size()) continue;
    if (line_[i] != '#') return true;
    comment_ = line_.substr(i + 1);
    comment_line_ = line_number_;
  }
  return false;
}

std::vector<CsvField> CsvReader::split(std::string_view line) const {
  bool is_closed = true;
  std::vector<CsvField> fields = detail::split_fields(line, separator_, is_closed);
  if (!is_closed)
    fail("quote is not closed on its line", fields.back().column, "add one, or remove it");
  return fields;
}

std::vector<std::string> CsvReader::names_of(const std::vector<CsvField>& fields) const {
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const CsvField& field : fields) {
    const bool marked = field.text.starts_with('\'') && detail::begins_like_a_formula(field.text);
    names.push_back(marked ? field.text.substr(1) : field.text);
  }
  return names;
}

void CsvReader::check_names(const std::vector<std::string>& names) const {
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) fail(fmt::format("column {} has no name", i + 1), 0, "give it one");
    if (!seen.insert(names[i]).second)
      fail(fmt::format("column name '{}' occurs twice", names[i]), 0, "rename one of them");
  }
}

// The names of the columns; is_data: the current line is already a row of numbers.
std::vector<std::string> CsvReader::header_names(bool& is_data) {
  separator_ = detail::detect_separator(line_);
  const std::vector<CsvField> fields = split(line_);
  std::size_t n_numbers = 0;
  const CsvField* a_number = nullptr;
  for (const CsvField& field : fields) {
    double value = 0.0;
    if (field.quoted || detail::read_number(field.text, value) == NumberKind::not_a_number)
      continue;
    ++n_numbers;
    a_number = &field;
  }
  is_data = n_numbers == fields.size();
  std::vector<std::string> names;
  if (is_data) {
    if (!options_.columns.empty()) {
      if (options_.columns.size() != fields.size())
        fail(fmt::format("row has {} numbers, but {} column names were given", fields.size(),
                         options_.columns.size()));
      return options_.columns;
    }
    const bool above = comment_line_ != 0 && comment_line_ + 1 == line_number_;
    if (above) names = names_of(split(comment_));
    if (!above || names.size() != fields.size())
      fail("the first line must name the columns, but holds numbers", 0,
           "put a line such as 'x,t,u' on top");
  } else {
    if (n_numbers > 0)
      fail(fmt::format("the first line mixes names and numbers: '{}'", a_number->text),
           a_number->column, "name the columns in the first line; quote a name that is a number");
    names = names_of(fields);
  }
  check_names(names);
  if (!options_.columns.empty() && names != options_.columns)
    fail(fmt::format("the columns are {}, but {} were expected", fmt::join(names, ", "),
                     fmt::join(options_.columns, ", ")));
  return names;
}

double CsvReader::number_of(const CsvField& field) const {
  double value = 0.0;
  switch (detail::read_number(field.text, value)) {
    case NumberKind::number:
      return value;
    case NumberKind::nonfinite:
      if (options_.allow_nonfinite) return value;
      fail(fmt::format("'{}' is not a finite number", field.text), field.column,
           "remove the row, or fill the value in");
    case NumberKind::too_large:
      fail(fmt::format("number '{}' is too large", field.text), field.column,
           "numbers end at 1.7e308");
    case NumberKind::not_a_number:
      break;
  }
  if (field.text.empty())
    fail("value is missing", field.column, "remove the row, or fill the value in");
  const bool decimal_comma = separator_ != Separator::comma &&
                             field.text.find(',') != std::string::npos &&
                             field.text.find_first_not_of("0123456789+-,.eE") == std::string::npos;
  std::string shown = field.text.substr(0, 40);
  if (shown.size() < field.text.size()) shown += "...";
  // Binary data must not reach a terminal.
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  fail(fmt::format("'{}' is not a number", shown), field.column,
       decimal_comma ? "decimals are written with a point" : "write a number, or remove the row");
}

// Appends the numbers of line_ when it is a plain row; otherwise leaves values_ as it was.
bool CsvReader::append_fast() {
  const char sep = static_cast<char>(separator_);
  const bool by_blanks = separator_ == Separator::blanks;
  const std::size_t size_before = values_.size();
  const char* p = line_.data();
  const char* const end = p + line_.size();
  const auto skip = [&] {
    while (p != end && is_blank(*p) && (by_blanks || *p != sep)) ++p;
  };
  for (std::size_t c = 0; c < n_columns_; ++c) {
    skip();
    if (c > 0 && !by_blanks) {
      if (p == end || *p != sep) break;
      ++p;
      skip();
    }
    double value = 0.0;
    const auto [stop, error] = std::from_chars(p, end, value);
    if (error != std::errc{} || !std::isfinite(value)) break;
    p = stop;
    if (by_blanks && p != end && !is_blank(*p)) break;
    values_.push_back(value);
  }
  skip();
  if (p == end && values_.size() == size_before + n_columns_) return true;
  values_.resize(size_before);
  return false;
}

// Appends the numbers of line_, or says what is wrong with it.
void CsvReader::append_checked() {
  const std::vector<CsvField> fields = split(line_);
  if (fields.size() != n_columns_)
    fail(fmt::format("row has {} values, expected {}", fields.size(), n_columns_));
  for (const CsvField& field : fields) values_.push_back(number_of(field));
}

Table CsvReader::read() {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    throw Error("text is UTF-16", name_, "save it as UTF-8");
  if (!next_line()) throw Error("file holds no table", name_, "it has no line of names");

  bool is_data = false;
  std::vector<std::string> names = header_names(is_data);
  n_columns_ = names.size();
  if (!is_data && !next_line())
    throw Error("table has names but no rows", name_, "add at least one");

  // A guess from the first row, which may be shorter than it should; a number takes two bytes.
  const std::size_t rest = text_.size() - std::min(position_, text_.size());
  values_.reserve(std::min((rest / (line_.size() + 1) + 2) * n_columns_,
                           (rest + line_.size()) / 2 + n_columns_));
  do {
    if (!append_fast()) append_checked();
  } while (next_line());
  return {std::move(names), std::move(values_), std::string(name_)};
}

}  // namespace

Table parse_csv(std::string_view text, std::string_view name, const TableOptions& options) {
  return CsvReader(text, name, options).read();
}

Table read_csv(const std::filesystem::path& path, const TableOptions& options) {
  return parse_csv(read_file(path), path.string(), options);
}

}  // namespace cauchy
