// Every balancer on a problem that needs it, against the weights of the problem, over five seeds.
#include <algorithm>

#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

#include "support/small_problems.hpp"

namespace cauchy::test_balancing {
namespace {

/// Median error of u = 1 + sin(pi x) after 1,000 steps of Adam, its boundary with this weight.
double balanced_error(double weight, double beta2, const BalancerOptions& balancer) {
  const Coordinate x("x");
  Problem p = rod(pi * pi * sin(pi * x));
  p.condition = {on_boundary(Field("u") == 1)};
  p.condition[0].weight = weight;
  p.reference.formulas["u"] = 1 + sin(pi * x);
  Pinn method;
  method.network = Mlp{.width = 8, .depth = 1};
  method.points = {.interior = 40, .boundary = 2};
  method.stages = {{AdamOptions{.learning_rate = 5e-3, .beta2 = beta2}, 1000}};
  method.rules.balancer = balancer;
  std::vector<double> errors;
  for (method.seed = 1; method.seed <= 5; ++method.seed) {
    errors.push_back(solve(p, method, {.threads = 1, .history_every = 0}).error.relative_l2());
  }
  std::ranges::sort(errors);
  return errors[2];
}

struct Need {
  std::string_view name;
  BalancerOptions options;
  double weight;  ///< 1e-4: the condition counts too little; 10: the equation lags behind
  double margin;  ///< the error falls at least by this factor; measured ones are 2-5 times larger
  double beta2 = 0.999;
};
const std::vector<Need>& needs() {
  static const std::vector<Need> all = {
      // The strong term is scaled down: Adam must forget how steep it was.
      {"gradnorm", GradNormBalancer{}, 1e-4, 5, 0.95},
      {"uncertainty", UncertaintyBalancer{.form = UncertaintyBalancer::Form::sigma}, 1e-4, 15},
      {"annealing", AnnealingBalancer{}, 1e-4, 100},
      {"softadapt", SoftAdaptBalancer{.beta = 100, .period = 2}, 10, 2},
      {"relobralo", RelobraloBalancer{.old_share = 0.99, .temperature = 0.01}, 10, 1.5},
      {"config", ConfigBalancer{}, 1e-4, 100},
      {"m-config", MomentumConfigBalancer{}, 1e-4, 15},
      {"ntk", NtkBalancer{}, 1e-4, 10},
      {"gradient-norms", GradientNormsBalancer{}, 1e-4, 20},
  };
  return all;
}

class NeededBalancer : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(All, NeededBalancer, ::testing::Range<std::size_t>(0, needs().size()));

TEST_P(NeededBalancer, LowersTheErrorOfAProblemThatNeedsIt) {
  const Need& need = needs()[GetParam()];
  const double with = balanced_error(need.weight, need.beta2, need.options);
  const double without = balanced_error(need.weight, need.beta2, FixedBalancer{});
  EXPECT_LT(need.margin * with, without) << need.name;
}

TEST(NeededBalancers, AllOfTheTableAreHere) {
  for (const BalancerEntry& entry : all_balancers()) {
    const auto same = [&](const Need& need) { return need.name == entry.name; };
    EXPECT_TRUE(entry.name == "fixed" || std::ranges::any_of(needs(), same)) << entry.name;
  }
}

}  // namespace
}  // namespace cauchy::test_balancing
