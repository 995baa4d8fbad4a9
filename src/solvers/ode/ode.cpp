#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/ode/prepared_ode.hpp"

namespace cauchy {

void visit_options(Ode& m, OptionVisitor& v) {
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_ode(std::shared_ptr<const Problem> /*problem*/,
                                            const Method& /*method*/, int /*threads*/) {
  throw Error(ErrorKind::unsupported, "ode cannot treat this problem", "[solvers.ode]");
}

std::shared_ptr<const FieldModel> load_ode(const Checkpoint& checkpoint, const Problem& problem,
                                           const Method& /*method*/, int /*threads*/) {
  return load_classical("ode", checkpoint, problem);
}

}  // namespace detail
}  // namespace cauchy
