#include "files/toml_mistake.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace cauchy::detail {
namespace {

constexpr std::string_view blank = " \t\r";
constexpr std::string_view key_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

std::string_view stripped(std::string_view text) {
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// At most 40 characters of a text, none of them a control character.
std::string shortened(std::string_view text) {
  std::string result;
  std::size_t n = 0;
  for (const char32_t c : decode_utf8(text)) {
    if (n++ == 40) return result + "...";
    append_utf8(result, c < 0x20 || (c >= 0x7F && c < 0xA0) ? U'?' : c);
  }
  return result;
}

bool is_utf8(std::string_view text) {
  std::string again;
  for (const char32_t c : decode_utf8(text)) append_utf8(again, c);
  return again == text;
}

int column_of(std::string_view line, std::size_t byte) {
  int column = 1;
  for (const char c : line.substr(0, byte)) {
    column += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  }
  return column;
}

/// One line, its comment cut off, and what its quotes and brackets leave open.
struct Line {
  std::string_view whole = {}, code = {};
  std::optional<std::size_t> open_quote = {};  ///< of a string that does not end on this line
  std::string_view key = {}, value = {};       ///< of "key = value", else empty
  std::size_t value_at = 0;
  int brackets = 0;  ///< opened less closed, outside of strings and headers
};

Line read_line(std::string_view text) {
  Line line{.whole = text, .code = text};
  std::size_t equal = std::string_view::npos;
  char quote = 0;
  std::size_t opened = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '#') {
      line.code = text.substr(0, i);
      break;
    }
    if (c == '"' || c == '\'') {
      quote = c;
      opened = i;
    }
    if (c == '=' && equal == std::string_view::npos) equal = i;
    if (c == '[' || c == '{') ++line.brackets;
    if (c == ']' || c == '}') --line.brackets;
  }
  if (quote != 0) line.open_quote = opened;
  if (equal != std::string_view::npos) {
    line.key = stripped(line.code.substr(0, equal));
    line.value = stripped(line.code.substr(equal + 1));
    line.value_at =
        line.value.empty() ? equal : static_cast<std::size_t>(line.value.data() - text.data());
  }
  return line;
}

class MistakeFinder final {
 public:
  MistakeFinder(std::string_view text, int line, int column) : at_{line, column, {}, {}} {
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      lines_.push_back(read_line(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (lines_.empty()) lines_.emplace_back();
    number_ = std::min(static_cast<std::size_t>(std::max(1, line)), lines_.size()) - 1;
    // A string or a list that is not closed is noticed on a later line.
    while (number_ > 0 && stripped(lines_[number_].code).empty()) --number_;
  }

  TomlMistake find() {
    (void)(no_utf8() || open_text() || curly_quotes() || open_string() || backslash() || twice() ||
           open_list() || header() || no_equal() || bad_key() || bad_value() || something_else());
    return at_;
  }

 private:
  const Line& line() const { return lines_[number_]; }

  bool say(std::size_t byte, std::string message, std::string hint) {
    at_.line = static_cast<int>(number_) + 1;
    at_.column = column_of(line().whole, byte);
    at_.message = std::move(message);
    at_.hint = std::move(hint);
    return true;
  }

  bool no_utf8() {
    if (is_utf8(line().whole)) return false;
    return say(0, "the line has a byte that is no UTF-8", "save the file as UTF-8");
  }

  bool curly_quotes() {
    constexpr std::array<std::string_view, 8> quotes{"“", "”", "„", "‘", "’", "«", "»", "′"};
    for (const std::string_view q : quotes) {
      const auto at = line().code.find(q);
      if (at == std::string_view::npos) continue;
      return say(at, fmt::format("{} is no quotation mark of TOML", q), "use the straight \"");
    }
    return false;
  }

  /// Three quotes that have no partner: the text ends inside of a string.
  bool open_text() {
    for (const std::string_view quotes : {"\"\"\"", "'''"}) {
      std::size_t n = 0, last = 0, byte = 0;
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        const std::string_view text = lines_[i].whole;
        for (auto at = text.find(quotes); at != std::string_view::npos;
             at = text.find(quotes, at + 3)) {
          ++n;
          last = i;
          byte = at;
        }
      }
      if (n % 2 == 0) continue;
      number_ = last;
      return say(byte, "the text is not closed", fmt::format("end it with {} too", quotes));
    }
    return false;
  }

  bool open_string() {
    if (!line().open_quote) return false;
    const std::size_t at = *line().open_quote;
    const std::string_view rest = line().whole.substr(at);
    return say(at, "the string is not closed", fmt::format("add {} at its end", rest[0]));
  }

  bool backslash() {
    const auto at = line().code.find('\\');
    if (at == std::string_view::npos) return false;
    return say(at, "a backslash has a special meaning in \"...\"",
               "write it twice, or use '...' around the text");
  }

  /// A key of the same table before this line, or the table itself.
  bool twice() {
    const std::string_view code = stripped(line().code);
    const bool header = code.starts_with('[');
    const std::string_view name = header ? code : line().key;
    if (name.empty()) return false;
    std::string_view table;
    std::vector<std::pair<std::string_view, std::size_t>> seen;  // keys of the present table
    for (std::size_t i = 0; i < number_; ++i) {
      const std::string_view before = stripped(lines_[i].code);
      if (before.starts_with('[') && lines_[i].key.empty()) {
        if (header && before == code && !code.starts_with("[[")) return say_twice(code, i);
        table = before;
        seen.clear();
      } else if (!lines_[i].key.empty()) {
        seen.emplace_back(lines_[i].key, i);
      }
    }
    if (header) return false;
    for (const auto& [key, i] : seen) {
      if (key == name) return say_twice(name, i);
    }
    return false;
  }
  bool say_twice(std::string_view name, std::size_t first) {
    return say(line().whole.find_first_not_of(blank),
               fmt::format("'{}' is given twice, first in line {}", shortened(name), first + 1),
               "keep one of them");
  }

  /// The statement that this line belongs to opens more brackets than it closes.
  bool open_list() {
    if (stripped(line().code).starts_with('[') && line().brackets != 0) return false;  // a header
    std::size_t first = number_;
    while (first > 0 && lines_[first].key.empty()) --first;
    int open = 0;
    for (std::size_t i = first; i <= number_; ++i) open += lines_[i].brackets;
    if (lines_[first].key.empty() && !stripped(lines_[first].code).starts_with('[')) return false;
    const std::size_t here = number_;
    number_ = first;
    // The key of the next statement is taken for a part of the list.
    if (open <= 0 && first == here && first > 0) {
      std::size_t before = first - 1;
      while (before > 0 && lines_[before].key.empty()) --before;
      int left = 0;
      for (std::size_t i = before; i < first; ++i) left += lines_[i].brackets;
      if (left > 0 && !lines_[before].key.empty()) {
        number_ = before;
        open = left;
      }
    }
    const Line& start = line();
    if (open <= 0 || start.key.empty()) {
      number_ = here;
      if (open < 0 && !line().key.empty()) {
        return say(line().value_at, "a bracket is closed that was not opened", "remove it");
      }
      return false;
    }
    const bool table = start.value.starts_with('{');
    return say(start.value_at, fmt::format("'{}' opens a bracket that is not closed", start.key),
               table ? "close it with } on the same line" : "close it with ]");
  }

  bool header() {
    const std::string_view code = stripped(line().code);
    if (!code.starts_with('[') || !line().key.empty()) return false;
    const bool two = code.starts_with("[[");
    std::string_view name = code.substr(two ? 2 : 1);
    name = name.substr(0, name.find(']'));
    return say(
        line().whole.find('['), fmt::format("'{}' is no header of a table", shortened(code)),
        fmt::format("write {}{}{}", two ? "[[" : "[",
                    stripped(name).empty() ? "name" : shortened(stripped(name)), two ? "]]" : "]"));
  }

  bool no_equal() {
    if (!line().key.empty() || stripped(line().code).empty()) return false;
    const std::string_view code = stripped(line().code);
    const auto at = static_cast<std::size_t>(code.data() - line().whole.data());
    if (code.starts_with("//") || code.starts_with('%') || code.starts_with("--") ||
        code.starts_with("/*")) {
      return say(at, "this is no comment of TOML", "comments begin with #");
    }
    const auto colon = code.find(':');
    if (colon != std::string_view::npos) {
      return say(at + colon, "':' does not give a key its value", "write key = value");
    }
    if (code.starts_with('=')) return say(at, "there is no key before '='", "write key = value");
    return say(at, fmt::format("'{}' has no '='", shortened(code)),
               "write key = value, [table], or # before a comment");
  }

  bool bad_key() {
    const std::string_view key = line().key;
    if (key.empty() || key.starts_with('"') || key.starts_with('\'') || key.starts_with('{')) {
      return false;
    }
    const auto bad = key.find_first_not_of(std::string(key_letters) + ".\"' \t");
    const bool space = key.find_first_of(" \t") != std::string_view::npos &&
                       key.find('.') == std::string_view::npos;
    if (bad == std::string_view::npos && !space) return false;
    return say(static_cast<std::size_t>(key.data() - line().whole.data()),
               fmt::format("'{}' is no key", shortened(key)),
               "keys are made of a-z, A-Z, 0-9, _ and -");
  }

  bool bad_value() {
    const std::string_view value = line().value;
    if (line().key.empty()) return false;
    const std::size_t at = line().value_at;
    const std::string key = shortened(line().key);
    if (value.empty()) {
      return say(at, fmt::format("'{}' has no value", key), "write one behind '='");
    }
    if (value.starts_with('=')) {
      return say(at, "there are two '='", fmt::format("write {} = value", key));
    }
    const std::string_view word = value.substr(0, value.find_first_of(" \t"));
    std::string_view rest = stripped(value.substr(word.size()));
    const bool number = value.find_first_not_of("+-.0123456789") != 0;
    if (number) return bad_number(value, word, rest, at);
    if (value.starts_with('"') || value.starts_with('\'')) {
      const auto end = value.find(value[0], 1);
      if (end != std::string_view::npos) rest = stripped(value.substr(end + 1));
      return say(at, fmt::format("there is more behind the value: '{}'", shortened(rest)),
                 "one key has one value; begin comments with #");
    }
    if (value.starts_with('[') || value.starts_with('{')) {
      return say(at, fmt::format("the list of '{}' cannot be read", key),
                 value.starts_with('[') ? "write [1, 2] with commas, texts in quotes"
                                        : "write { x = 1, y = 2 } on one line, texts in quotes");
    }
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (lower == "true" || lower == "false" || lower == "yes" || lower == "no" || lower == "on" ||
        lower == "off") {
      const bool yes = lower == "true" || lower == "yes" || lower == "on";
      return say(at, fmt::format("'{}' is neither true nor false", word),
                 fmt::format("write {} = {}", key, yes ? "true" : "false"));
    }
    return say(at, fmt::format("'{}' is neither a number nor in quotes", shortened(value)),
               fmt::format("put it in quotes: {} = \"{}\"", key, shortened(value)));
  }

  bool bad_number(std::string_view value, std::string_view word, std::string_view rest,
                  std::size_t at) {
    const auto comma = value.find(',');
    if (comma != std::string_view::npos) {
      std::string point(value);
      point[comma] = '.';
      return say(at, fmt::format("'{}' has a comma", shortened(value)),
                 fmt::format("write {} with a point, or a list in brackets", shortened(point)));
    }
    if (!rest.empty()) {
      return say(at, fmt::format("there is more behind the number: '{}'", shortened(rest)),
                 "put an expression in quotes; begin comments with #");
    }
    const bool plain = word.find_first_not_of("+-.0123456789eE_") == std::string_view::npos;
    return say(at, fmt::format("'{}' is no number of TOML", shortened(value)),
               plain ? "write it like 0.5, 10 or 1e-3, with digits on both sides of the point"
                     : "put an expression in quotes");
  }

  bool something_else() {
    return say(line().whole.find_first_not_of(blank) == std::string_view::npos
                   ? 0
                   : line().whole.find_first_not_of(blank),
               "this line is no TOML", "write key = value, [table], or # before a comment");
  }

  TomlMistake at_;
  std::vector<Line> lines_;
  std::size_t number_ = 0;
};

}  // namespace

TomlMistake toml_mistake(std::string_view text, int line, int column) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return {1, 1, "the text is UTF-16", "save it as UTF-8"};
  }
  if (text.find('\0') != std::string_view::npos) {
    return {line, column, "the text has a zero byte", "save it as plain text in UTF-8"};
  }
  return MistakeFinder(text, line, column).find();
}

}  // namespace cauchy::detail
