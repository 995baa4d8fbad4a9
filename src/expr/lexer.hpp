#pragma once

#include <string>
#include <string_view>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>

namespace cauchy::detail {

/// Where a character stands; columns count code points.
struct Position {
  int line = 1;
  int column = 1;
};

struct Token {
  enum class Kind { number, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;  // of the source; empty at the end
  double value = 0;       // of a number
  Position position;
  bool glued = false;  // no space before it

  [[nodiscard]] bool is(std::string_view symbol) const {
    return kind == Kind::symbol && text == symbol;
  }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return kind == Kind::name && text == word;
  }
};

/// Cuts a text into tokens. The text must outlive the lexer.
///   error    throws Error on text above max_bytes, invalid UTF-8, a character that starts no token
///            and numbers out of the range of double
class Lexer final {
 public:
  static constexpr std::size_t max_bytes = 1u << 20;

  Lexer(std::string_view text, const TextPlace& place);
  [[nodiscard]] Token next();

  [[nodiscard]] std::string place(Position at) const;
  [[noreturn]] void fail(Position at, std::string_view message, std::string_view hint = {},
                         ErrorKind kind = ErrorKind::syntax) const;

 private:
  void check_utf8() const;
  void skip_space();
  void advance(std::size_t bytes);
  Token number();
  [[noreturn]] void fail_at_character() const;

  std::string_view text_;
  std::string name_;
  Position at_;
  std::size_t offset_ = 0;
};

}  // namespace cauchy::detail
