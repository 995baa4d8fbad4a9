#include <cauchy/training/balancer.hpp>

#include "training/rule_table.hpp"

namespace cauchy {

const std::vector<BalancerEntry>& all_balancers() {
  static const std::vector<BalancerEntry> all = {
      {"fixed", "the weights of the problem", FixedBalancer{}},
  };
  return all;
}

std::unique_ptr<Balancer> make_balancer(const BalancerOptions& options) {
  if (const auto* custom = std::get_if<CustomBalancer>(&options)) {
    return detail::make_custom(*custom, "[training.balancer]");
  }
  return nullptr;
}

void visit_options(BalancerOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "balancer", all_balancers());
}

}  // namespace cauchy
