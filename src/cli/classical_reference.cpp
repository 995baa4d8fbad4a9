#include "cli/classical_reference.hpp"

#include <cauchy/base/machine_rates.hpp>
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
                           const RunLimit& limit) {
  constexpr double share = 0.2;
  Method method = file.method;
  const Problem& p = file.problem;
  const bool inverse = !p.unknowns.empty() || !p.coefficients.empty();
  if (reference == "none" || !p.reference.empty() || inverse || !training_settings(method)) {
    return {};
  }
  FoundReference found =
      cauchy::find_reference(p, {.cache = user_cache(),
                                 .threads = threads,
                                 .limit = limit.timed() ? limit.share(share) : limit});
  file.problem.reference.code = std::move(found.reference);
  return found.reason;
}

}  // namespace cauchy::cli
