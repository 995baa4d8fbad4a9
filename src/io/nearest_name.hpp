#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cauchy::detail {

/// "did you mean 'x'? <what> are: x, t, u": the hint for a name that is not among the known ones.
/// At most 12 names are listed; the question is left out when none is near.
std::string nearest_name_hint(std::string_view name, std::span<const std::string> known,
                              std::string_view what);

}  // namespace cauchy::detail
