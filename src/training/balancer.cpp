#include <cauchy/training/balancer.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "training/balancers/balancers.hpp"
#include "training/rule_table.hpp"

namespace cauchy {

CAUCHY_COMPILE_HERE(BalancerOptions)

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

void check_balancer(const BalancerOptions& options, std::span<const PointSource::Kind> terms) {
  if (options.index() == 0 || std::holds_alternative<CustomBalancer>(options)) return;
  const std::string_view name = all_balancers()[options.index()].name;
  const char* place = "[training.balancer]";
  if (terms.size() < 2) {
    throw Error(ErrorKind::unsupported,
                fmt::format("'{}' weighs terms of the loss against each other, and there is only "
                            "one: all conditions are built in",
                            name),
                place, "take kind = \"fixed\"");
  }
  const auto n = static_cast<std::size_t>(std::ranges::count(terms, PointSource::Kind::equation));
  if (std::holds_alternative<AnnealingBalancer>(options) && (n == 0 || n == terms.size())) {
    throw Error(ErrorKind::unsupported,
                fmt::format("'{}' weighs conditions against equations, and the loss has no {}",
                            name, n == 0 ? "equations" : "conditions"),
                place, "take another kind, \"gradient-norms\" for example");
  }
}

std::unique_ptr<Balancer> make_balancer(const BalancerOptions& options,
                                        const TrainingPoints& points) {
  std::vector<PointSource::Kind> kinds;
  for (std::size_t t = 0; t < points.size(); ++t) kinds.push_back(points.source(t).kind);
  check_balancer(options, kinds);
  detail::check_ranges(options, "[training.balancer]");
  struct Make {
    std::span<const PointSource::Kind> kinds;
    std::uint64_t seed;
    using Made = std::unique_ptr<Balancer>;
    Made operator()(const FixedBalancer&) const { return nullptr; }
    Made operator()(const GradNormBalancer& o) const { return detail::make_gradnorm(o); }
    Made operator()(const UncertaintyBalancer& o) const { return detail::make_uncertainty(o); }
    Made operator()(const AnnealingBalancer& o) const { return detail::make_annealing(o, kinds); }
    Made operator()(const SoftAdaptBalancer& o) const { return detail::make_softadapt(o); }
    Made operator()(const RelobraloBalancer& o) const { return detail::make_relobralo(o, seed); }
    Made operator()(const ConfigBalancer&) const { return detail::make_config(); }
    Made operator()(const MomentumConfigBalancer& o) const {
      return detail::make_momentum_config(o);
    }
    Made operator()(const NtkBalancer& o) const { return detail::make_ntk(o); }
    Made operator()(const GradientNormsBalancer& o) const { return detail::make_gradient_norms(o); }
    Made operator()(const CustomBalancer& o) const {
      return detail::make_custom(o, "[training.balancer]");
    }
  };
  return std::visit(Make{kinds, points.settings().seed}, options);
}

void visit_options(BalancerOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "balancer", all_balancers());
}

}  // namespace cauchy
