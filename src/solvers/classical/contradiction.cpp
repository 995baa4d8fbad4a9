#include "solvers/classical/contradiction.hpp"

#include <fmt/format.h>

#include "problem/tested_model.hpp"

namespace cauchy::detail {

std::string contradiction_of(const Solution& s) {
  constexpr double most = 0.3;
  const auto* const tested = dynamic_cast<const TestedModel*>(s.model.get());
  const bool in_the_mean = s.model->kind() == "fvm" || s.model->kind() == "fem";
  std::size_t equation = 0;
  for (const TermCheck& c : s.checks) {
    if (c.kind == TermCheck::Kind::equation) {
      const std::size_t number = equation++;
      if (in_the_mean && !(tested != nullptr && tested->means(c.kind, number))) continue;
    }
    if (!(c.fresh <= most)) {
      return fmt::format("{} does not fulfil '{}': the residual is {:.1g} of its terms", s.method,
                         c.name, c.fresh);
    }
  }
  return {};
}

}  // namespace cauchy::detail
