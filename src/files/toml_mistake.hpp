#pragma once

#include <string>
#include <string_view>

namespace cauchy::detail {

/// What is wrong with a text that is no TOML, in our words.
struct TomlMistake {
  int line = 1, column = 1;
  std::string message, hint;
};

/// Finds the mistake that made a parser stop at a place, by looking at the text around it: curly
/// quotes, a decimal comma, a string or bracket that is not closed, a key that is given twice, ...
/// Lines and columns count from 1, columns in characters.
[[nodiscard]] TomlMistake toml_mistake(std::string_view text, int line, int column);

}  // namespace cauchy::detail
