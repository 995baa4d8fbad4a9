#include <cauchy/solvers/learning_study.hpp>

#include <limits>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>

#include "problem/error_meter.hpp"
#include "solvers/pinn/pinn_training.hpp"

namespace cauchy {
namespace {

/// The loss at many random points: the risk up to its own error.
std::unique_ptr<Executor> risk_of(const detail::PinnAssembly& pinn, std::size_t n,
                                  const std::shared_ptr<Threads>& pool) {
  auto executor = make_executor(pinn.graph, detail::engine_terms(pinn.loss), {.pool = pool});
  SamplerOptions sampler{.kind = SamplerKind::uniform};
  sampler.seed = pinn.method.seed + 40'009;
  for (std::size_t t = 0; t < pinn.loss.terms.size(); ++t) {
    const detail::PinnTerm& term = pinn.loss.terms[t];
    detail::set_term_points(*executor, t, *pinn.problem, term, term.draw(n, sampler));
  }
  return executor;
}

void expect_study(const Pinn& method, const LearningPlan& plan) {
  const bool fixed = std::holds_alternative<FixedBalancer>(method.rules.balancer) &&
                     method.rules.point_weights.empty() &&
                     std::holds_alternative<NoCurriculum>(method.rules.curriculum);
  if (!std::holds_alternative<Mlp>(method.network) || !fixed || method.points.redraw > 0) {
    throw Error(ErrorKind::unsupported, "a study of risks trains one loss by networks of one kind",
                "[solvers.learning_study]",
                "take an Mlp, fixed weights and points, and no curriculum");
  }
  if (plan.widths.empty() || plan.points.empty() || plan.restarts == 0 || plan.fresh == 0) {
    throw Error("there is nothing to train", "[solvers.learning_study]",
                "give widths, points and restarts");
  }
}

}  // namespace

std::vector<LearningResult> learning_study(const Problem& problem, const Pinn& method,
                                           const LearningPlan& plan, const RunOptions& options) {
  expect_study(method, plan);
  check(problem);
  const auto shared = std::make_shared<const Problem>(problem);
  const auto pool = std::make_shared<Threads>(options.threads);
  RunOptions quiet = options;
  quiet.error_share = 0;
  std::vector<LearningResult> all;
  for (const int width : plan.widths) {
    // Every number of points is a loss of its own; all networks of the width are seen by each.
    std::vector<std::unique_ptr<detail::PinnAssembly>> pinns;
    std::vector<std::unique_ptr<detail::PinnTraining>> losses;
    std::vector<std::vector<double>> family;
    for (const std::size_t n : plan.points) {
      Pinn m = method;
      std::get<Mlp>(m.network).width = width;
      m.points.interior = n;
      pinns.push_back(std::make_unique<detail::PinnAssembly>(shared, m));
      losses.push_back(std::make_unique<detail::PinnTraining>(*pinns.back(), pool));
      for (std::size_t k = 0; k < plan.restarts; ++k) {
        Rng start(method.seed + k);
        family.push_back(
            losses.back()
                ->train(initial_parameters(pinns.back()->graph->parameters(), start, m.initialize),
                        losses.back()->setup(), quiet)
                .theta);
      }
    }
    const auto risk = risk_of(*pinns.front(), plan.fresh, pool);
    std::vector<double> risks;
    for (const auto& theta : family) risks.push_back(risk->loss(theta));
    for (std::size_t p = 0; p < plan.points.size(); ++p) {
      std::vector<double> empirical;
      for (const auto& theta : family) empirical.push_back(losses[p]->loss().value(theta));
      const std::size_t first = p * plan.restarts;
      LearningResult r{.width = width,
                       .points = plan.points[p],
                       .parts = decompose_risk(risks, empirical, first),
                       .error = std::numeric_limits<double>::quiet_NaN()};
      if (!problem.reference.empty()) {
        r.error = detail::ErrorMeter(problem, 2000).largest(*losses[p]->field(family[first]));
      }
      all.push_back(r);
    }
  }
  return all;
}

}  // namespace cauchy
