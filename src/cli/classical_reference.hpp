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
///   limit       of the run that it is for; of seconds that the user has set the search takes a
///   fifth
/// Returns why there is none; empty: there is one, or none was looked for.
[[nodiscard]] std::string find_reference(ProblemFile& file, const std::string& reference,
                                         int threads, const RunLimit& limit);

}  // namespace cauchy::cli
