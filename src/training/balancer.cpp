#include <cauchy/training/balancer.hpp>

#include "training/rule_table.hpp"

namespace cauchy {

const std::vector<BalancerEntry>& all_balancers() {
  static const std::vector<BalancerEntry> all = {
      {"fixed", "the weights of the problem", FixedBalancer{}},
      {"gradnorm", "gradients of equal length, more for terms that lag", GradNormBalancer{}},
      {"uncertainty", "a trained scale per term", UncertaintyBalancer{}},
      {"annealing", "conditions as steep as the equations", AnnealingBalancer{}},
      {"softadapt", "more for terms that fall slowly", SoftAdaptBalancer{}},
      {"relobralo", "the same with a memory and random looks back", RelobraloBalancer{}},
      {"config", "a direction that lowers every term, for first-order methods", ConfigBalancer{}},
      {"m-config", "the same with momenta, one gradient per step", MomentumConfigBalancer{}},
      {"ntk", "equal traces of the neural tangent kernel", NtkBalancer{}},
      {"gradient-norms", "gradients of equal length", GradientNormsBalancer{}},
  };
  return all;
}

std::unique_ptr<Balancer> make_balancer(const BalancerOptions& options, std::uint64_t /*seed*/) {
  if (const auto* custom = std::get_if<CustomBalancer>(&options)) {
    return detail::make_custom(*custom, "[training.balancer]");
  }
  return nullptr;
}

void visit_options(BalancerOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "balancer", all_balancers());
}

}  // namespace cauchy
