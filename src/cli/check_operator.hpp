#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/options.hpp"

namespace cauchy::cli {

/// Whether a word of the command line means an operator problem: a file or a run folder with
/// [operator], or a name that the library has for operators alone.
[[nodiscard]] bool names_operator(const std::string& word);

/// `cauchy check` of an operator problem: what is learnt from what, by what, and what is unwise.
void check_operator(const std::string& file, const CommonOptions& o, Console& console);

}  // namespace cauchy::cli
