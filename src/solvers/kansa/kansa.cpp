#include <cauchy/solvers/kansa.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/kansa/kansa_solver.hpp"
#include "solvers/kansa/prepared_kansa.hpp"

namespace cauchy {

void visit_options(Kansa& m, OptionVisitor& v) {
  Words<RbfKernel> kernels;
  for (const RbfKernelEntry& e : all_rbf_kernels()) kernels.emplace_back(e.name, e.kernel);
  const std::vector<std::string> names = sampler_names();
  Words<SamplerKind> samplers;
  for (const std::string& name : names) samplers.emplace_back(name, sampler_kind(name));
  static const Words<KansaFactorization> factorizations = {{"auto", KansaFactorization::automatic},
                                                           {"qr", KansaFactorization::qr},
                                                           {"svd", KansaFactorization::svd}};
  v.count("n", m.n, 0, 1'000'000);
  v.word("kernel", m.kernel, kernels);
  v.number("shape", m.shape, NumberRange::not_negative);
  v.count("tail", m.tail, 0, 10);
  v.number("oversampling", m.oversampling, NumberRange::positive);
  v.count("outside", m.outside, 0, 100);
  v.word("sampler", m.sampler, samplers);
  v.word("factorization", m.factorization, factorizations);
  v.number("cutoff", m.cutoff, NumberRange::inside_one);
  v.count("iterations", m.iterations, 0, 10'000);
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
  v.check([&] {
    if (!(m.oversampling >= 1)) {
      throw Error("oversampling must be at least 1", "[method]", "1 is square collocation");
    }
  });
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_kansa(std::shared_ptr<const Problem> problem,
                                              const Method& method, int threads) {
  const Kansa& kansa = std::get<Kansa>(method);
  if (!(kansa.oversampling >= 1) || !(kansa.cutoff > 0 && kansa.cutoff < 1) || kansa.n < 0 ||
      !(kansa.shape >= 0) || kansa.iterations < 0 || kansa.tail < 0 || kansa.outside < 0) {
    throw Error("a setting of kansa is out of its range", "[solvers.kansa]",
                "oversampling >= 1, 0 < cutoff < 1, the others not negative");
  }
  const auto make = [kansa](std::shared_ptr<const Problem> p) -> std::unique_ptr<ClassicalSolver> {
    return std::make_unique<KansaSolver>(std::move(p), kansa);
  };
  return prepare_classical("kansa", std::move(problem), make,
                           {.level = kansa.n > 0 ? 0 : -1, .tolerance = kansa.tolerance}, threads);
}

std::shared_ptr<const FieldModel> load_kansa(const Checkpoint& checkpoint, const Problem& problem,
                                             const Method& /*method*/, int /*threads*/) {
  return load_classical("kansa", checkpoint, problem,
                        [](const Checkpoint& c, std::shared_ptr<const Problem> p) {
                          return RbfField::load(std::move(p), c);
                        });
}

}  // namespace detail
}  // namespace cauchy
