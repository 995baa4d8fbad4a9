#pragma once

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

}  // namespace cauchy::detail
