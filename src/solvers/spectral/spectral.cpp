#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/spectral/prepared_spectral.hpp"

namespace cauchy {

void visit_options(Spectral& m, OptionVisitor& v) {
  v.count("n", m.n, 0, 1'000'000);
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_spectral(std::shared_ptr<const Problem> /*problem*/,
                                                 const Method& /*method*/, int /*threads*/) {
  throw Error(ErrorKind::unsupported, "spectral cannot treat this problem", "[solvers.spectral]");
}

std::shared_ptr<const FieldModel> load_spectral(const Checkpoint& checkpoint,
                                                const Problem& problem, const Method& /*method*/,
                                                int /*threads*/) {
  return load_classical("spectral", checkpoint, problem);
}

}  // namespace detail
}  // namespace cauchy
