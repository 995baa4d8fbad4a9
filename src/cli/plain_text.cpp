#include "cli/plain_text.hpp"

#include <algorithm>

namespace cauchy::cli {
namespace {

/// Bytes that follow the first one of a character; -1 when none begins so.
int n_following(unsigned char byte) {
  if (byte < 0x80) return 0;
  if (byte >= 0xC2 && byte <= 0xDF) return 1;
  if (byte >= 0xE0 && byte <= 0xEF) return 2;
  return byte >= 0xF0 && byte <= 0xF4 ? 3 : -1;
}

bool is_control(unsigned char byte) {
  return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
}

}  // namespace

void ControlFilter::append(std::string& out, std::string_view text) {
  // U+0080 to U+009F are 0xC2 and a second byte below 0xA0: 0xC2 waits for its second byte.
  constexpr unsigned char waits = 0xC2;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (expected_ > 0 && (byte & 0xC0) == 0x80) {
      --expected_;
      const bool waited = lead_ == waits;
      if (waited && byte < 0xA0) {
        out += '?';
        continue;
      }
      if (waited) out += static_cast<char>(waits);
      out += c;
      continue;
    }
    if (expected_ > 0 && lead_ == waits) out += '?';
    expected_ = std::max(n_following(byte), 0);
    lead_ = byte;
    if (n_following(byte) < 0 || is_control(byte)) {
      out += '?';
    } else if (byte != waits) {
      out += c;
    }
  }
}

std::string plain_text(std::string_view text) {
  std::string line;
  ControlFilter().append(line, text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

PlainStream::PlainStream(std::ostream& to) : std::ostream(this), to_(to) {}

std::streambuf::int_type PlainStream::overflow(std::streambuf::int_type c) {
  using Traits = std::char_traits<char>;
  if (Traits::eq_int_type(c, Traits::eof())) return Traits::not_eof(c);
  const char byte = Traits::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : Traits::eof();
}

std::streamsize PlainStream::xsputn(const char* text, std::streamsize size) {
  std::string clean;
  filter_.append(clean, {text, static_cast<std::size_t>(size)});
  to_.write(clean.data(), static_cast<std::streamsize>(clean.size()));
  return to_ ? size : 0;
}

int PlainStream::sync() { return to_.flush() ? 0 : -1; }

}  // namespace cauchy::cli
