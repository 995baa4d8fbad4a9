#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/fdm/prepared_fdm.hpp"

namespace cauchy {

void visit_options(FdmTime& /*time*/, OptionVisitor& /*v*/) {}

void visit_options(Fdm& m, OptionVisitor& v) {
  v.count("n", m.n, 0, 1'000'000);
  v.count("order", m.order, 2, 6);
  v.check([&] {
    if (m.order % 2 != 0) throw Error("order must be 2, 4 or 6", "[solvers.fdm]");
  });
  v.word<Upwind>("upwind", m.upwind,
                 {{"auto", Upwind::automatic}, {"never", Upwind::never}, {"always", Upwind::always}});
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
  v.section("time", m.time);
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
