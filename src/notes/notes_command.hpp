#pragma once

#include <filesystem>
#include <ostream>
#include <span>
#include <string>

namespace cauchy::notes {

/// The program `cauchy-notes`, which `cauchy notes` calls:
///   list [--json]                              all artefacts
///   run ID... | --all | --fast [--out FOLDER]  makes them; those that are there are left, unless
///       [--again] [--threads N]                --again; exit code 1 when a check fails
///   site [--out FOLDER] [--docs FOLDER]        writes the pages
///   sources  where the files that make artefacts are
///   returns  0: all went well, 1: a check failed or it was stopped, 2: misuse
[[nodiscard]] int run_notes(std::span<const std::string> args, std::ostream& out, std::ostream& err,
                            const std::filesystem::path& sources);

}  // namespace cauchy::notes
