#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace cauchy::cli {

// Checks of the values of options. Each throws Error at the option, one sentence with the fix, when
// the words of a call are read; the library that reads them has messages of its own otherwise.

/// A whole number in [least, most].
CLI::Option* whole_number(CLI::Option* option, std::uint64_t least = 0,
                          std::uint64_t most = UINT64_MAX);
/// A finite number above 0, at most `most`.
CLI::Option* positive_number(CLI::Option* option, double most = 1e300);
/// A text with something in it; `example` shows one.
CLI::Option* not_empty(CLI::Option* option, std::string_view example);
/// One of some names; completion knows them too.
CLI::Option* one_of(CLI::Option* option, std::vector<std::string> names);

}  // namespace cauchy::cli
