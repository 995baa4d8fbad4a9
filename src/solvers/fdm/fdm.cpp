#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/fdm/prepared_fdm.hpp"

namespace cauchy {

void visit_options(Fdm& m, OptionVisitor& v) {
  v.count("n", m.n, 0, 1'000'000);
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_fdm(std::shared_ptr<const Problem> /*problem*/,
                                            const Method& /*method*/, int /*threads*/) {
  throw Error(ErrorKind::unsupported, "fdm cannot treat this problem", "[solvers.fdm]");
}

std::shared_ptr<const FieldModel> load_fdm(const Checkpoint& checkpoint, const Problem& problem,
                                           const Method& /*method*/, int /*threads*/) {
  return load_classical("fdm", checkpoint, problem);
}

}  // namespace detail
}  // namespace cauchy
