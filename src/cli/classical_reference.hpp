#pragma once

#include <string>

#include <cauchy/files/problem_file.hpp>

#include "cli/command.hpp"

namespace cauchy::cli {

/// --reference auto or none.
void add_reference_option(CLI::App& command, std::string& reference);

/// Gives a problem without a reference the answer of a classical method as one, from the cache of
/// the user where it was found before; methods that estimate their own error need none.
///   reference   "none": nothing is looked for
///   run_seconds of the run that it is for: the search takes a fifth of that, but 5 to 60 s; 0: 60
/// Returns why there is none; empty: there is one, or none was looked for.
[[nodiscard]] std::string find_reference(ProblemFile& file, const std::string& reference,
                                         int threads, Progress* progress, double run_seconds = 0);

}  // namespace cauchy::cli
