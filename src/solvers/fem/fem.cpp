#include <cauchy/solvers/fem.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/threads.hpp>

#include "problem/primal_problem.hpp"
#include "solvers/fem/fem_field.hpp"
#include "solvers/fem/fem_solver.hpp"
#include "solvers/fem/prepared_fem.hpp"

namespace cauchy {

void visit_options(Fem& m, OptionVisitor& v) {
  v.count("n", m.n, 0, 1'000'000);
  v.count("order", m.order, 0, 2);
  v.word<Stabilization>("stabilization", m.stabilization,
                        {{"auto", Stabilization::automatic},
                         {"never", Stabilization::never},
                         {"always", Stabilization::always}});
  v.word<FemRefinement>(
      "refinement", m.refinement,
      {{"uniform", FemRefinement::uniform}, {"adaptive", FemRefinement::adaptive}});
  v.text("goal", m.goal);
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
  v.section("time", m.time);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_fem(std::shared_ptr<const Problem> problem,
                                            const Method& method, int threads) {
  const Fem options = std::get<Fem>(method);
  if (options.n < 0 || options.order < 0 || options.order > 2 || !(options.tolerance >= 0)) {
    throw Error("a setting of fem is out of its range", "[solvers.fem]",
                "n >= 0, order 0, 1 or 2, tolerance >= 0");
  }
  if (problem->domain->time() == nullptr && (options.time.scheme != TimeScheme::automatic ||
                                             options.time.step > 0 || options.time.tolerance > 0)) {
    throw Error("settings of time have no meaning for a problem without time", "[solvers.fem]",
                "leave [method.time] out");
  }
  if (problem->domain->time() != nullptr &&
      (options.refinement == FemRefinement::adaptive || !options.goal.empty())) {
    throw Error(ErrorKind::unsupported, "adaptive meshes and goals are for steady problems",
                "[solvers.fem]", "leave refinement and goal out");
  }
  const int n_threads = Threads::size_of(threads);
  const auto make =
      [options, n_threads](std::shared_ptr<const Problem> p) -> std::unique_ptr<ClassicalSolver> {
    return std::make_unique<FemSolver>(std::move(p), options, n_threads);
  };
  return prepare_classical(
      "fem", std::move(problem), make,
      {.level = options.n > 0 && options.refinement == FemRefinement::uniform ? 0 : -1,
       .tolerance = options.tolerance,
       .interfaces = true,
       .constants = true},
      threads);
}

std::shared_ptr<const FieldModel> load_fem(const Checkpoint& checkpoint, const Problem& problem,
                                           const Method& /*method*/, int /*threads*/) {
  return load_classical("fem", checkpoint, problem,
                        [](const Checkpoint& c,
                           std::shared_ptr<const Problem> p) -> std::shared_ptr<const FieldModel> {
                          auto primal = primal_problem(*p);
                          if (!primal) return FemField::load(std::move(p), c);
                          p = std::make_shared<const Problem>(std::move(primal->problem));
                          return std::make_shared<PrimalModel>(FemField::load(std::move(p), c),
                                                               std::move(primal->fluxes));
                        });
}

}  // namespace detail
}  // namespace cauchy
