#pragma once

#include <filesystem>
#include <string_view>

namespace cauchy::detail {

/// Throws Error("cannot <what>: <text of the system error>", path) with a hint where there is one.
[[noreturn]] void throw_system_error(std::string_view what, const std::filesystem::path& path,
                                     int code);

}  // namespace cauchy::detail
