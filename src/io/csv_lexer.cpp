#include "io/csv_lexer.hpp"

#include <charconv>
#include <cmath>

namespace cauchy::detail {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Whether a decimal that from_chars found out of range is too small rather than too large.
bool is_tiny(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos && e + 1 < text.size()) return text[e + 1] == '-';
  return text.find('.') != std::string_view::npos && text.find_first_of("123456789") > 1;
}

}  // namespace

Separator detect_separator(std::string_view line) {
  bool comma = false, tab = false, quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ';') return Separator::semicolon;
    comma = comma || c == ',';
    tab = tab || c == '\t';
  }
  return comma ? Separator::comma : tab ? Separator::tab : Separator::blanks;
}

std::vector<CsvField> split_fields(std::string_view line, Separator separator, bool& is_closed) {
  const char sep = static_cast<char>(separator);
  const bool by_blanks = separator == Separator::blanks;
  const auto skipped = [&](char c) { return is_blank(c) && (by_blanks || c != sep); };
  std::vector<CsvField> fields;
  is_closed = true;
  std::size_t i = 0;
  for (;;) {
    while (i < line.size() && skipped(line[i])) ++i;
    if (by_blanks && i == line.size()) return fields;
    CsvField field{{}, i + 1, false};
    if (i < line.size() && line[i] == '"') {
      field.quoted = true;
      for (++i;; ++i) {
        if (i == line.size()) {
          is_closed = false;
          fields.push_back(std::move(field));
          return fields;
        }
        if (line[i] == '"') {
          if (i + 1 < line.size() && line[i + 1] == '"') {
            ++i;
          } else {
            ++i;
            break;
          }
        }
        field.text += line[i];
      }
    }
    // Text after a closing quote belongs to the field, so that "1"2 is found not to be a number.
    const std::size_t first = i;
    while (i < line.size() && (by_blanks ? !is_blank(line[i]) : line[i] != sep)) ++i;
    std::size_t last = i;
    while (last > first && is_blank(line[last - 1])) --last;
    field.text += line.substr(first, last - first);
    fields.push_back(std::move(field));
    if (i == line.size()) return fields;
    if (!by_blanks) ++i;
  }
}

bool begins_like_a_formula(std::string_view name) {
  const std::size_t first = name.find_first_not_of('\'');
  return first != std::string_view::npos &&
         std::string_view("=+-@").find(name[first]) != std::string_view::npos;
}

NumberKind read_number(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error == std::errc::invalid_argument)
    return NumberKind::not_a_number;
  const bool has_digit = text.find_first_of("0123456789") != std::string_view::npos &&
                         text.find_first_of("nN") == std::string_view::npos;
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return NumberKind::too_large;
    value = text[0] == '-' ? -0.0 : 0.0;
    return NumberKind::number;
  }
  if (std::isfinite(value)) return NumberKind::number;
  return has_digit ? NumberKind::too_large : NumberKind::nonfinite;
}

void append_number(std::string& out, double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, result.ptr);
}

}  // namespace cauchy::detail
