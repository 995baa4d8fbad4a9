#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace cauchy::cli {

/// Lets text pass but for control characters, which could command a terminal (ESC, BEL, DEL, the
/// codes U+0080 to U+009F), and bytes that are no UTF-8: each becomes '?'. Letters of all languages
/// stay. Characters may be cut anywhere between two calls.
class ControlFilter final {
 public:
  /// Appends the text; line breaks and tabs stay.
  void append(std::string& out, std::string_view text);

 private:
  unsigned char lead_ = 0;  // of the character that has begun
  int expected_ = 0;        // bytes of it that are still to come
};

/// Text from a file for one line of a terminal: ControlFilter, line breaks and tabs become spaces.
[[nodiscard]] std::string plain_text(std::string_view text);

/// A stream to another one through a ControlFilter, unbuffered; it fails when that one does.
class PlainStream final : private std::streambuf, public std::ostream {
 public:
  explicit PlainStream(std::ostream& to);

 private:
  std::streambuf::int_type overflow(std::streambuf::int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  std::ostream& to_;
  ControlFilter filter_;
};

}  // namespace cauchy::cli
