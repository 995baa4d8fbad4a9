#include <cauchy/training/rules.hpp>

#include <cauchy/base/options.hpp>

namespace cauchy {

void visit_options(TrainingRules& rules, OptionVisitor& v) {
  v.section("balancer", rules.balancer);
  v.section("point_scheme", rules.point_scheme);
  v.section("curriculum", rules.curriculum);
  v.list("point_weights", rules.point_weights);
}

}  // namespace cauchy
