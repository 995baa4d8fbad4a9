#pragma once

#include <cauchy/training/balancer.hpp>
#include <cauchy/training/curriculum.hpp>
#include <cauchy/training/point_scheme.hpp>
#include <cauchy/training/point_weights.hpp>

namespace cauchy {

/// What changes while an optimiser works, by name and in any combination.
struct TrainingRules {
  BalancerOptions balancer = FixedBalancer{};
  std::vector<PointWeightsOptions> point_weights = {};  ///< their factors are multiplied
  PointSchemeOptions point_scheme = RedrawPoints{};
  CurriculumOptions curriculum = NoCurriculum{};
};

/// Throws Error for a rule that these points cannot have: weights in time without a time, a
/// balancer of a single term, batches larger than all points. The points need not have been drawn.
///   stages   of the training
void check_rules(const TrainingRules& rules, const TrainingPoints& points, std::size_t stages);

/// balancer, point_scheme, curriculum: a table each, with `kind` and its options; point_weights: a
/// list of such tables.
void visit_options(TrainingRules& rules, OptionVisitor& visitor);

}  // namespace cauchy
