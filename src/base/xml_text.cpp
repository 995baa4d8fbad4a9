#include "base/xml_text.hpp"

#include "base/utf8.hpp"

namespace cauchy::detail {

std::string xml_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t code : decode_utf8(text)) {
    switch (code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default: {
        const bool forbidden = (code < 32 && code != '\n' && code != '\t') || code == 127 ||
                               code == 0xFFFE || code == 0xFFFF;
        append_utf8(out, forbidden ? U' ' : code);
      }
    }
  }
  return out;
}

}  // namespace cauchy::detail
