#include "expr/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace cauchy::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

/// Decodes the first code point; rejects overlong forms, surrogates and values above U+10FFFF.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < n) return {};
  std::uint32_t value = lead & (0x7Fu >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  if (value < smallest[n] || surrogate || value > 0x10FFFF) return {};
  return {value, n};
}

/// What to write in place of a character that people paste or know from other languages.
std::string_view hint_for(std::uint32_t c) {
  switch (c) {
    case 0x2212:
    case 0x2013:
      return "write '-' for minus";
    case 0x00B7:
    case 0x00D7:
    case 0x22C5:
      return "write '*' for a product";
    case 0x00B2:
      return "write '^2'";
    case 0x00B3:
      return "write '^3'";
    case 0x2264:
      return "write '<='";
    case 0x2265:
      return "write '>='";
    case '&':
      return "write 'and'";
    case '|':
      return "write 'or'";
    case '!':
      return "write 'not'";
    case '\'':
      return "write u_x for a derivative";
    default:
      return c < 0x80 ? "remove it" : "names are made of the letters a-z and A-Z, digits and '_'";
  }
}

constexpr std::array<std::string_view, 3> long_symbols{"<=", ">=", "=="};
constexpr std::string_view short_symbols = "+-*/^()[],<>=";

}  // namespace

Lexer::Lexer(std::string_view text, const TextPlace& place)
    : text_(text), name_(place.name), at_{place.line, place.column} {
  if (text.size() > max_bytes) {
    fail(at_,
         fmt::format("text of {} bytes is too long, at most {} are read", text.size(), max_bytes));
  }
  check_utf8();
}

std::string Lexer::place(Position at) const {
  return fmt::format("{}:{}:{}", name_, at.line, at.column);
}

void Lexer::fail(Position at, std::string_view message, std::string_view hint,
                 ErrorKind kind) const {
  throw Error(kind, message, place(at), hint);
}

void Lexer::check_utf8() const {
  Position at = at_;
  for (std::size_t i = 0; i < text_.size();) {
    const CodePoint c = decode(text_.substr(i));
    if (c.bytes == 0) {
      fail(at, fmt::format("invalid UTF-8, byte 0x{:02X}", static_cast<unsigned char>(text_[i])),
           "save the text as UTF-8");
    }
    at = c.value == '\n' ? Position{at.line + 1, 1} : Position{at.line, at.column + 1};
    i += c.bytes;
  }
}

void Lexer::advance(std::size_t bytes) {
  offset_ += bytes;
  at_.column += static_cast<int>(bytes);  // tokens are ASCII
}

void Lexer::skip_space() {
  for (; offset_ < text_.size() && is_space(text_[offset_]); ++offset_) {
    at_ = text_[offset_] == '\n' ? Position{at_.line + 1, 1} : Position{at_.line, at_.column + 1};
  }
}

Token Lexer::number() {
  Token token{Token::Kind::number, {}, 0, at_, false};
  const char* first = text_.data() + offset_;
  const auto [last, status] = std::from_chars(first, text_.data() + text_.size(), token.value);
  token.text = text_.substr(offset_, static_cast<std::size_t>(last - first));
  if (status == std::errc::result_out_of_range) {
    const bool cut = token.text.size() > 40;
    fail(at_,
         fmt::format("number {}{} is out of range", token.text.substr(0, 40), cut ? "..." : ""),
         "numbers lie between 5e-324 and 1.7e308 in magnitude");
  }
  advance(token.text.size());
  return token;
}

void Lexer::fail_at_character() const {
  const CodePoint c = decode(text_.substr(offset_));
  const bool printable = c.value > 0x20 && c.value != 0x7F;
  const std::string shown =
      printable ? fmt::format("'{}'", text_.substr(offset_, c.bytes)) : std::string();
  const std::string code =
      c.value >= 0x80 || !printable ? fmt::format("U+{:04X}", c.value) : std::string();
  fail(at_,
       fmt::format("unexpected character {}{}{}", shown, !shown.empty() && !code.empty() ? " " : "",
                   code),
       hint_for(c.value));
}

Token Lexer::next() {
  const std::size_t before = offset_;
  skip_space();
  const bool glued = offset_ == before && offset_ > 0;
  if (offset_ == text_.size()) return {Token::Kind::end, {}, 0, at_, glued};
  const std::string_view rest = text_.substr(offset_);
  const char c = rest.front();
  Token token{Token::Kind::symbol, {}, 0, at_, glued};
  if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
    token = number();
    token.glued = glued;
    return token;
  }
  if (is_letter(c)) {
    const auto* end = std::find_if_not(rest.begin(), rest.end(),
                                       [](char k) { return is_letter(k) || is_digit(k); });
    token.kind = Token::Kind::name;
    token.text = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  } else {
    for (const std::string_view symbol : long_symbols) {
      if (rest.starts_with(symbol)) token.text = rest.substr(0, 2);
    }
    if (token.text.empty() && short_symbols.find(c) != std::string_view::npos) {
      token.text = rest.substr(0, 1);
    }
    if (token.text.empty()) fail_at_character();
  }
  advance(token.text.size());
  return token;
}

}  // namespace cauchy::detail
