#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cauchy::detail {

/// Code points of UTF-8 text; every byte that is no part of a valid sequence gives U+FFFD.
std::vector<char32_t> decode_utf8(std::string_view text);

void append_utf8(std::string& out, char32_t code);

}  // namespace cauchy::detail
