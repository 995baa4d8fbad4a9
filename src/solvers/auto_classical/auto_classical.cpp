#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/auto_classical/prepared_auto_classical.hpp"
#include "solvers/classical/classical_solver.hpp"

namespace cauchy {

void visit_options(AutoClassical& m, OptionVisitor& v) {
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_auto_classical(std::shared_ptr<const Problem> /*problem*/,
                                                       const Method& /*method*/, int /*threads*/) {
  throw Error(ErrorKind::unsupported, "auto_classical cannot treat this problem",
              "[solvers.auto_classical]");
}

std::shared_ptr<const FieldModel> load_auto_classical(const Checkpoint& checkpoint,
                                                      const Problem& problem,
                                                      const Method& /*method*/, int /*threads*/) {
  return load_classical("auto_classical", checkpoint, problem);
}

}  // namespace detail
}  // namespace cauchy
