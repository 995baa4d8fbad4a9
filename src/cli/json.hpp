#pragma once

#include <ostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/solvers/restarts.hpp>  // Spread

namespace cauchy::cli {

/// Keys stay in the order in which they are written. Numbers that are not finite become null.
using Json = nlohmann::ordered_json;

inline Json spread_json(const Spread& s) {
  return {{"min", s.min},
          {"lower_quartile", s.lower_quartile},
          {"median", s.median},
          {"upper_quartile", s.upper_quartile},
          {"max", s.max}};
}

/// One object, indented, bytes that are no UTF-8 replaced, every control character as \uXXXX.
inline void print_json(std::ostream& out, const Json& json) {
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0x7F) {
      clean += "\\u007f";
    } else if (byte == 0xC2 && next < 0xA0) {  // U+0080 to U+009F
      clean += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      clean += text[i];
    }
  }
  out << clean << '\n';
}

}  // namespace cauchy::cli
