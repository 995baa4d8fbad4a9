#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/fvm/fvm_solver.hpp"
#include "solvers/fvm/hamilton_solver.hpp"
#include "solvers/fvm/prepared_fvm.hpp"

namespace cauchy {

void visit_options(Fvm& m, OptionVisitor& v) {
  Words<FvmFlux> fluxes = {{"auto", FvmFlux::automatic}};
  for (const auto* flux : detail::all_numerical_fluxes())
    fluxes.emplace_back(flux->name, flux->kind);
  Words<FvmLimiter> limiters;
  for (const auto& limiter : detail::all_limiters())
    limiters.emplace_back(limiter.name, limiter.kind);
  v.count("n", m.n, 0, 1'000'000);
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
  v.word("flux", m.flux, fluxes);
  v.word("reconstruction", m.reconstruction,
         {{"first", FvmReconstruction::first},
          {"muscl", FvmReconstruction::muscl},
          {"muscl_hancock", FvmReconstruction::muscl_hancock}});
  v.word("limiter", m.limiter, limiters);
  v.word("time", m.time,
         {{"auto", FvmTime::automatic},
          {"euler", FvmTime::euler},
          {"ssprk2", FvmTime::ssprk2},
          {"ssprk3", FvmTime::ssprk3}});
  v.number("cfl", m.cfl, NumberRange::up_to_one);
  v.word("cells", m.cells,
         {{"auto", FvmCells::automatic},
          {"boxes", FvmCells::boxes},
          {"triangles", FvmCells::triangles}});
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_fvm(std::shared_ptr<const Problem> problem,
                                            const Method& method, int threads) {
  const Fvm options = std::get<Fvm>(method);
  if (options.reconstruction == FvmReconstruction::muscl_hancock &&
      (options.time == FvmTime::ssprk2 || options.time == FvmTime::ssprk3)) {
    throw Error("muscl_hancock is a scheme of one stage", "[solvers.fvm]", "use time = \"euler\"");
  }
  if (options.n != 0 && options.n < 4) {
    throw Error("fvm needs at least 4 cells along a side", "[solvers.fvm]");
  }
  const auto make =
      [options, threads](std::shared_ptr<const Problem> p) -> std::unique_ptr<ClassicalSolver> {
    if (auto form = hamilton_jacobi(*p, Lowering(*p))) {
      return std::make_unique<HamiltonSolver>(std::move(p), *std::move(form), options);
    }
    return std::make_unique<FvmSolver>(std::move(p), options, threads);
  };
  ClassicalSettings settings;
  settings.level = options.n > 0 ? 0 : -1;
  settings.tolerance = options.tolerance;
  settings.weak = true;
  return prepare_classical("fvm", std::move(problem), make, settings, threads);
}

std::shared_ptr<const FieldModel> load_fvm(const Checkpoint& checkpoint, const Problem& problem,
                                           const Method& /*method*/, int /*threads*/) {
  return load_classical("fvm", checkpoint, problem);
}

}  // namespace detail
}  // namespace cauchy
