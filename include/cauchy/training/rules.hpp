#pragma once

#include <cauchy/training/balancer.hpp>
#include <cauchy/training/curriculum.hpp>
#include <cauchy/training/point_scheme.hpp>
#include <cauchy/training/point_weights.hpp>

namespace cauchy {

/// What changes while an optimiser works, by name and in any combination.
struct TrainingRules {
  BalancerOptions balancer = FixedBalancer{};
  PointWeightsOptions point_weights = NoPointWeights{};
  PointSchemeOptions point_scheme = RedrawPoints{};
  CurriculumOptions curriculum = NoCurriculum{};
};

/// balancer, point_weights, point_scheme, curriculum: a table each, with `kind` and its options.
void visit_options(TrainingRules& rules, OptionVisitor& visitor);

}  // namespace cauchy
