#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/solvers/method.hpp>

#include "support/small_problems.hpp"

namespace cauchy::test_expert {
namespace {

Problem plain_rod() { return rod(1); }

TEST(Expert, IsThePipelineOfTheGuide) {
  const Expanded made =
      expand(Expert{.seed = 7, .width = 20, .depth = 2, .steps = 50}, heated_bar());
  const Pinn& pinn = made.pinn;
  EXPECT_EQ(pinn.seed, 7u);
  EXPECT_EQ(describe(pinn.network), "20 x 2 tanh, 10 Fourier features, factorised");
  EXPECT_EQ(pinn.initialize.weights, Initialization::glorot_normal);
  EXPECT_TRUE(pinn.scale);
  EXPECT_EQ(pinn.points.redraw, 1u);
  EXPECT_EQ(pinn.points.sampler.kind, SamplerKind::uniform);
  ASSERT_EQ(pinn.stages.size(), 1u);
  EXPECT_EQ(pinn.stages[0].steps, 50u);
  // 0.9 after 2,000 steps, 0.81 after 4,000.
  EXPECT_LT(std::abs(schedule_factor(pinn.stages[0].schedule, 2000) - 0.9), 1e-15);
  EXPECT_LT(std::abs(schedule_factor(pinn.stages[0].schedule, 4000) - 0.81), 1e-15);
  ASSERT_EQ(pinn.rules.point_weights.size(), 1u);
  const auto& causal = std::get<CausalWeights>(pinn.rules.point_weights[0]);
  EXPECT_EQ(causal.chunks, 32u);
  EXPECT_EQ(causal.epsilon, std::vector<double>{1});
  const auto& balancer = std::get<GradientNormsBalancer>(pinn.rules.balancer);
  EXPECT_EQ(balancer.period, 1000u);
  EXPECT_EQ(balancer.old_share, 0.9);
  EXPECT_EQ(made.why.size(), 5u);
}

TEST(Expert, LeavesOutWhatTheProblemHasNoUseFor) {
  EXPECT_TRUE(expand(Expert{}, plain_rod()).pinn.rules.point_weights.empty()) << "no time";
  Problem hard_rod = plain_rod();
  hard_rod.condition[0].hard = true;
  const Expanded one = expand(Expert{}, hard_rod);
  EXPECT_TRUE(std::holds_alternative<FixedBalancer>(one.pinn.rules.balancer));
  EXPECT_EQ(one.why.back(), "one term: there is nothing to balance");
  Expert stages;
  stages.stages = {{LbfgsOptions{}, 10}};
  EXPECT_EQ(expand(stages, plain_rod()).pinn.stages.size(), 1u);
  EXPECT_EQ(expand(stages, plain_rod()).pinn.stages[0].steps, 10u);
}

TEST(Expert, TrainsAndSaysWhy) {
  const Expert recipe{.width = 8, .depth = 2, .steps = 40};
  const Solution s = solve(heated_bar(), recipe, {.threads = 1});
  EXPECT_EQ(s.method, "pinn, 8 x 2 tanh, 4 Fourier features, factorised, 170 parameters");
  EXPECT_EQ(s.training->choices.size(), 5u);
  EXPECT_LT(s.training->history.back().loss, s.training->history[0].loss);
}

}  // namespace
}  // namespace cauchy::test_expert
