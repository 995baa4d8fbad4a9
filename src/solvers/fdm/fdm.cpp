#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/fdm/fdm_steady.hpp"
#include "solvers/fdm/fdm_time.hpp"
#include "solvers/fdm/prepared_fdm.hpp"
#include "solvers/fdm/region_field.hpp"

namespace cauchy {

void visit_options(Fdm& m, OptionVisitor& v) {
  v.count("n", m.n, 0, 1'000'000);
  v.count("order", m.order, 2, 6);
  v.check([&] {
    if (m.order % 2 != 0) throw Error("order must be 2, 4 or 6", "[solvers.fdm]");
  });
  v.word<Upwind>(
      "upwind", m.upwind,
      {{"auto", Upwind::automatic}, {"never", Upwind::never}, {"always", Upwind::always}});
  v.word<LinearSolver>("linear_solver", m.linear_solver,
                       {{"auto", LinearSolver::automatic},
                        {"direct", LinearSolver::direct},
                        {"jacobi", LinearSolver::jacobi},
                        {"gauss-seidel", LinearSolver::gauss_seidel},
                        {"sor", LinearSolver::sor},
                        {"cg", LinearSolver::cg},
                        {"multigrid", LinearSolver::multigrid}});
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
  v.section("time", m.time);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_fdm(std::shared_ptr<const Problem> problem,
                                            const Method& method, int threads) {
  const Fdm options = std::get<Fdm>(method);
  if (problem->domain->time() == nullptr && (options.time.scheme != TimeScheme::automatic ||
                                             options.time.step > 0 || options.time.tolerance > 0)) {
    throw Error("settings of time have no meaning for a problem without time", "[solvers.fdm]",
                "leave [method.time] out");
  }
  const auto make =
      [options](std::shared_ptr<const Problem> p) -> std::unique_ptr<ClassicalSolver> {
    if (p->domain->time() != nullptr) return make_fdm_in_time(std::move(p), options);
    return make_fdm_steady(std::move(p), options);
  };
  return prepare_classical("fdm", std::move(problem), make,
                           {options.n > 0 ? 0 : -1, options.tolerance}, threads);
}

std::shared_ptr<const FieldModel> load_fdm(const Checkpoint& checkpoint, const Problem& problem,
                                           const Method& /*method*/, int /*threads*/) {
  return load_classical("fdm", checkpoint, problem,
                        [](const Checkpoint& c, std::shared_ptr<const Problem> p) {
                          return RegionField::load("fdm", std::move(p), c);
                        });
}

}  // namespace detail
}  // namespace cauchy
