#include "solvers/variational/trial.hpp"

#include <variant>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

void refuse_setting(std::string_view method, std::string_view what, std::string_view why,
                    std::string_view fix) {
  throw Error(ErrorKind::unsupported, fmt::format("{} {}: {}", method, what, why), "[method]",
              std::string(fix));
}

void check_rules_of_sums(const TrainingRules& rules, std::string_view method) {
  if (!std::holds_alternative<RedrawPoints>(rules.point_scheme)) {
    refuse_setting(method, "takes no point scheme but 'redraw'",
                   "its points are the nodes of integrals", "leave out [method.point_scheme]");
  }
  if (!std::holds_alternative<NoCurriculum>(rules.curriculum)) {
    refuse_setting(method, "takes no curriculum", "its integrals are those of the whole problem",
                   "leave out [method.curriculum]");
  }
  for (const PointWeightsOptions& weights : rules.point_weights) {
    if (std::holds_alternative<NoPointWeights>(weights) ||
        (std::holds_alternative<NoiseWeights>(weights) && method != "ritz")) {
      continue;
    }
    refuse_setting(method, "takes no point weights", "its points are the nodes of integrals",
                   "leave out [[method.point_weights]]");
  }
}

}  // namespace

void check_trial(const Pinn& trial, std::string_view method, bool energy) {
  const auto refuse = [&](bool given, std::string_view key) {
    if (!given) return;
    refuse_setting(method, fmt::format("takes no '{}'", key), "it belongs to residuals at points",
                   "leave it out, or use pinn");
  };
  refuse(!trial.decompose.empty(), "decompose");
  refuse(!trial.features.counts.empty(), "features");
  refuse(trial.sobolev > 0, "sobolev");
  refuse(trial.contraction > 0, "contraction");
  refuse(trial.diagnose, "diagnose");
  refuse(trial.goal > 0, "goal");
  refuse(trial.points.rule != PointRule::sampler, "points.rule");
  if (std::holds_alternative<Pinnsformer>(trial.network)) {
    refuse_setting(method, "has no 'pinnsformer'", "its tokens are residuals at several times",
                   "use another network");
  }
  check_rules_of_sums(trial.rules, method);
  if (!energy) return;
  if (trial.last_layer != LastLayerStart::random) {
    refuse_setting(method, "takes no 'last_layer'", "an energy is no sum of squares",
                   "leave it out, or use vpinn");
  }
  if (!std::holds_alternative<FixedBalancer>(trial.rules.balancer)) {
    refuse_setting(method, "takes no balancer",
                   "the energy may be negative, and what is held against it is the penalty",
                   "set 'penalty'");
  }
  for (const Stage& stage : trial.stages) {
    if (entry_of(stage.method).kind == OptimizerKind::least_squares) {
      refuse_setting(method, fmt::format("is not trained by '{}'", entry_of(stage.method).name),
                     "an energy is no sum of squares", "use adam, lbfgs or ssbroyden, or vpinn");
    }
    if (stage.transform != LossTransform::none) {
      refuse_setting(method, "takes no 'transform' of the loss", "an energy may be negative",
                     "leave it out");
    }
  }
}

}  // namespace cauchy::detail
