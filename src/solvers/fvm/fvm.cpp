#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/fvm/prepared_fvm.hpp"

namespace cauchy {

void visit_options(Fvm& m, OptionVisitor& v) {
  v.count("n", m.n, 0, 1'000'000);
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_fvm(std::shared_ptr<const Problem> /*problem*/,
                                            const Method& /*method*/, int /*threads*/) {
  throw Error(ErrorKind::unsupported, "fvm cannot treat this problem", "[solvers.fvm]");
}

std::shared_ptr<const FieldModel> load_fvm(const Checkpoint& checkpoint, const Problem& problem,
                                           const Method& /*method*/, int /*threads*/) {
  return load_classical("fvm", checkpoint, problem);
}

}  // namespace detail
}  // namespace cauchy
