#include "cli/classical_reference.hpp"

#include <algorithm>

#include <cauchy/solvers/reference.hpp>

#include "cli/option_checks.hpp"

namespace cauchy::cli {

void add_reference_option(CLI::App& command, std::string& reference) {
  one_of(command.add_option("--reference", reference,
                            "of a problem that gives none: auto, a classical method on finer and "
                            "finer grids (the default), or none"),
         {"auto", "none"});
}

std::string find_reference(ProblemFile& file, const std::string& reference, int threads,
                           Progress* progress, double run_seconds) {
  constexpr double share = 0.2, at_least = 5, at_most = 60;
  Method method = file.method;
  const Problem& p = file.problem;
  const bool inverse = !p.unknowns.empty() || !p.coefficients.empty();
  if (reference == "none" || !p.reference.empty() || inverse || !training_settings(method)) {
    return {};
  }
  const double seconds =
      run_seconds > 0 ? std::clamp(share * run_seconds, at_least, at_most) : at_most;
  FoundReference found = cauchy::find_reference(p, {.cache = reference_cache(),
                                                    .max_seconds = seconds,
                                                    .threads = threads,
                                                    .progress = progress});
  file.problem.reference.code = std::move(found.reference);
  return found.reason;
}

}  // namespace cauchy::cli
