#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cauchy::detail {

/// What stands between two fields: ';', ',', tab, or any run of blanks and tabs.
enum class Separator : char { semicolon = ';', comma = ',', tab = '\t', blanks = ' ' };

/// The separator of a line: the first of ';' ',' tab that occurs outside quotes, else blanks.
Separator detect_separator(std::string_view line);

struct CsvField {
  std::string text;    // without quotes and surrounding blanks
  std::size_t column;  // 1 for the first byte of the line
  bool quoted;
};

/// Splits a line without its end. A quote without its partner gives is_closed = false.
std::vector<CsvField> split_fields(std::string_view line, Separator separator, bool& is_closed);

enum class NumberKind { number, nonfinite, too_large, not_a_number };

/// Reads the whole text as one number. nonfinite: the words nan, inf, infinity, with value set.
NumberKind read_number(std::string_view text, double& value);

/// Whether a spreadsheet would calculate with this name: it begins with one of = + - @, or with
/// quotes ' and then one of these. Such a name is written with one more quote ' in front.
[[nodiscard]] bool begins_like_a_formula(std::string_view name);

/// Appends the shortest decimal that reads back to the same bits.
void append_number(std::string& out, double value);

}  // namespace cauchy::detail
