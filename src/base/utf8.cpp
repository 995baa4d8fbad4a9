#include "base/utf8.hpp"

#include <cstddef>

namespace cauchy::detail {
namespace {

constexpr char32_t replacement = 0xFFFD;

// Length of the sequence that starts with this byte; 0 for a byte that starts none.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

bool is_valid(char32_t code, std::size_t length) {
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  return !is_surrogate && !is_overlong && code <= 0x10FFFF;
}

}  // namespace

std::vector<char32_t> decode_utf8(std::string_view text) {
  std::vector<char32_t> codes;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = sequence_length(lead);
    if (length == 1) {
      codes.push_back(lead);
      ++i;
      continue;
    }
    char32_t code = length == 0 ? 0 : lead & (0xFFu >> (length + 1));
    std::size_t k = 1;
    for (; k < length && i + k < text.size(); ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) break;
      code = (code << 6) | (next & 0x3Fu);
    }
    const bool valid = length > 0 && k == length && is_valid(code, length);
    codes.push_back(valid ? code : replacement);
    i += valid ? length : 1;
  }
  return codes;
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

}  // namespace cauchy::detail
