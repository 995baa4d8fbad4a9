#pragma once

#include <cstdint>
#include <string>

namespace cauchy::detail {

/// A time for people: "80 us", "12.3 ms", "4.1 s", "2 min 03 s", "1 h 05 min"; "NaN".
[[nodiscard]] std::string duration(double seconds);

/// "12,345".
[[nodiscard]] std::string grouped(std::uint64_t n);

}  // namespace cauchy::detail
