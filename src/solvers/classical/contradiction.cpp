#include "solvers/classical/contradiction.hpp"

#include <fmt/format.h>

namespace cauchy::detail {

std::string contradiction_of(const Solution& s) {
  constexpr double most = 0.3;
  for (const TermCheck& c : s.checks) {
    if (c.kind == TermCheck::Kind::equation && s.model->kind() == "fvm") continue;
    if (!(c.fresh <= most)) {
      return fmt::format("{} does not fulfil '{}': the residual is {:.1g} of its terms", s.method,
                         c.name, c.fresh);
    }
  }
  return {};
}

}  // namespace cauchy::detail
