#pragma once

#include <string>
#include <string_view>

namespace cauchy::detail {

/// Text for XML and HTML, also between quotes: & < > " ' are escaped, characters that XML forbids
/// (most control characters) become spaces, bytes that are no UTF-8 become U+FFFD. Line breaks and
/// tabs stay.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace cauchy::detail
