#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cauchy/files/problem_file.hpp>

#include "cli/command.hpp"

namespace cauchy::cli {

/// A problem to be solved from several starts.
struct RestartsJob {
  std::string label;
  ProblemFile file;
};

struct RestartsSettings {
  std::size_t n = 2;  ///< seeds of each job
  int threads = 0;
  double max_seconds = 0;   ///< of each run
  std::string out;          ///< runs are kept in out/1, out/2, ...; empty: nowhere
  std::string accept = {};  ///< a grade besides `converged` that is good enough
  bool quiet = false, json = false;
};

/// Solves each job n times and prints one table of seeds for each: loss, optimisation error,
/// relative L2 error, and the best run marked. The exit code is 1 unless all runs are good enough.
void compare_restarts(const std::vector<RestartsJob>& jobs, const RestartsSettings& settings,
                      Console& console);

}  // namespace cauchy::cli
