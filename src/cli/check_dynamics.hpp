#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/options.hpp"

namespace cauchy::cli {

/// `cauchy check` of a file with [dynamics]: what is known, what is learnt from how many rows, and
/// what the answer is measured by.
void check_dynamics(const std::string& file, const CommonOptions& o, Console& console);

}  // namespace cauchy::cli
