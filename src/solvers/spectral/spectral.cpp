#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/spectral/chebyshev.hpp"
#include "solvers/spectral/fourier.hpp"
#include "solvers/spectral/fourier_form.hpp"
#include "solvers/spectral/prepared_spectral.hpp"

namespace cauchy {

void visit_options(Spectral& m, OptionVisitor& v) {
  v.count("n", m.n, 0, 1'000'000);
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
  v.number("step", m.step, NumberRange::not_negative);
  v.flag("dealias", m.dealias);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_spectral(std::shared_ptr<const Problem> problem,
                                                 const Method& method, int threads) {
  const Spectral options = std::get<Spectral>(method);
  const auto make = [options](std::shared_ptr<const Problem> one) {
    if (is_periodic(*one)) return make_fourier_solver(std::move(one), options);
    if (options.step > 0) {
      throw Error("step is for periodic boxes, others choose it themselves", "[solvers.spectral]",
                  "leave it out");
    }
    return make_chebyshev_solver(std::move(one), options);
  };
  const ClassicalSettings settings{.level = options.n > 0 ? 0 : -1, .tolerance = options.tolerance};
  return prepare_classical("spectral", std::move(problem), make, settings, threads);
}

std::shared_ptr<const FieldModel> load_spectral(const Checkpoint& checkpoint,
                                                const Problem& problem, const Method& /*method*/,
                                                int /*threads*/) {
  return load_classical("spectral", checkpoint, problem);
}

}  // namespace detail
}  // namespace cauchy
