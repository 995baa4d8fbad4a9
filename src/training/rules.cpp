#include <cauchy/training/rules.hpp>

#include <cauchy/base/options.hpp>

namespace cauchy {

void check_rules(const TrainingRules& rules, const TrainingPoints& points, std::size_t stages) {
  // What comes from outside of the library is made once, for the run.
  if (!std::holds_alternative<CustomBalancer>(rules.balancer)) {
    (void)make_balancer(rules.balancer, points);
  }
  for (const PointWeightsOptions& weights : rules.point_weights) {
    if (!std::holds_alternative<CustomPointWeights>(weights)) {
      (void)make_point_weights(weights, points);
    }
  }
  if (!std::holds_alternative<CustomPointScheme>(rules.point_scheme)) {
    (void)make_point_scheme(rules.point_scheme, points);
  }
  if (!std::holds_alternative<CustomCurriculum>(rules.curriculum)) {
    (void)make_curriculum(rules.curriculum, points, stages);
  }
}

void visit_options(TrainingRules& rules, OptionVisitor& v) {
  v.section("balancer", rules.balancer);
  v.section("point_scheme", rules.point_scheme);
  v.section("curriculum", rules.curriculum);
  v.list("point_weights", rules.point_weights);
}

}  // namespace cauchy
