#pragma once

#include <cstdint>
#include <string_view>

// Ranges that the options of several optimisers share. Each throws Error with one sentence that
// names the option, the range and the value; NaN is outside every range.

namespace cauchy::detail {

/// Positive and finite.
void require_positive(std::string_view what, double value, std::string_view place);
/// In [0, 1).
void require_fraction(std::string_view what, double value, std::string_view place);
/// Zero or positive, and finite.
void require_not_negative(std::string_view what, double value, std::string_view place);
/// Bytes that an option allows; 0: half of what this process may have, which does not change while
/// it runs. "the Hessian of 9 parameters would take 2 GB of memory, 1 GB are allowed".
void require_memory(double bytes, std::uint64_t max_bytes, std::string_view what,
                    std::string_view hint, std::string_view place);

}  // namespace cauchy::detail
