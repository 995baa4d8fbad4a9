#pragma once

#include <string>
#include <string_view>

namespace cauchy::detail {

/// A name for a file that is to become `file`, new in this process: ".a.csv.123.0.tmp".
[[nodiscard]] std::string temporary_name(std::string_view file);

/// Inverse of temporary_name: "a.csv"; empty for a name of another kind.
[[nodiscard]] std::string_view target_of_temporary(std::string_view name) noexcept;

}  // namespace cauchy::detail
