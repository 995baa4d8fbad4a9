#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace cauchy {

/// The command `cauchy` as a function: args are the words behind its name.
///   returns  0 graded good, 1 ran but failed its tolerance, 2 bad input (one sentence on err)
[[nodiscard]] int run_cli(std::span<const std::string> args, std::ostream& out, std::ostream& err);

}  // namespace cauchy
