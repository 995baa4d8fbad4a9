#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/kansa/prepared_kansa.hpp"

namespace cauchy {

void visit_options(Kansa& m, OptionVisitor& v) {
  v.count("n", m.n, 0, 1'000'000);
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_kansa(std::shared_ptr<const Problem> /*problem*/,
                                              const Method& /*method*/, int /*threads*/) {
  throw Error(ErrorKind::unsupported, "kansa cannot treat this problem", "[solvers.kansa]");
}

std::shared_ptr<const FieldModel> load_kansa(const Checkpoint& checkpoint, const Problem& problem,
                                             const Method& /*method*/, int /*threads*/) {
  return load_classical("kansa", checkpoint, problem);
}

}  // namespace detail
}  // namespace cauchy
