#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <cauchy/files/run_folder.hpp>

namespace cauchy::cli {

/// The unknown constants of a run, under its label.
struct ConstantsOfRun {
  std::string run;
  std::vector<FoundConstant> constants;
};

/// A table of value, interval where there is one, and relative error; nothing without constants.
/// One run needs no column for its label.
void print_constants(std::ostream& out, const std::vector<ConstantsOfRun>& runs,
                     std::size_t indent = 0);

}  // namespace cauchy::cli
