#include <algorithm>

#include <fmt/format.h>

#include <cauchy/solvers/recipes.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/recipes/prepared_recipes.hpp"

namespace cauchy {
namespace {

constexpr std::size_t expert_points = 1024;  // of each equation, in every step
constexpr std::size_t expert_sides = 256;    // of each condition
constexpr double expert_rate = 1e-3, expert_decay = 0.9;
constexpr std::uint64_t expert_decay_steps = 2000;

Stage expert_stage(std::uint64_t steps) {
  Stage stage{AdamOptions{}, steps};
  std::get<AdamOptions>(stage.method).learning_rate = expert_rate;
  stage.schedule.shape = ScheduleShape::exponential;
  stage.schedule.steps = expert_decay_steps;
  stage.schedule.final_factor = expert_decay;
  return stage;
}

}  // namespace

Expanded expand(const Expert& recipe, const Problem& problem) {
  detail::check_recipe(recipe);
  Expanded made;
  Pinn& pinn = made.pinn;
  const auto say = [&](std::string text) { made.why.push_back(std::move(text)); };
  pinn.seed = recipe.seed;
  pinn.precision = recipe.precision;
  pinn.network = Mlp{.width = recipe.width,
                     .depth = recipe.depth,
                     .activation = Activation::tanh,
                     .fourier = std::max(1, recipe.width / 2),
                     .factorized = true};
  pinn.initialize.weights = Initialization::glorot_normal;
  say(
      fmt::format("network {}: random frequencies and factors against the bias towards smooth "
                  "functions; coordinates, fields and residuals in units of their size",
                  describe(pinn.network)));
  pinn.points = {.interior = expert_points,
                 .boundary = expert_sides,
                 .initial = expert_sides,
                 .sampler = {.kind = SamplerKind::uniform},
                 .redraw = 1};
  say(
      fmt::format("{} points of each equation, drawn anew for every step: residuals are small "
                  "everywhere, not at fixed points alone",
                  expert_points));
  pinn.stages = recipe.stages;
  if (pinn.stages.empty()) {
    pinn.stages = {expert_stage(recipe.steps)};
    say(fmt::format("Adam with rate {}, times {} every {} steps", expert_rate, expert_decay,
                    expert_decay_steps));
  }
  if (problem.domain && problem.domain->time() != nullptr) {
    const CausalWeights causal{.epsilon = {1}, .chunks = 32};
    pinn.rules.point_weights = {causal};
    say(
        fmt::format("causal weights in {} chunks of time, epsilon = 1: early times are solved "
                    "before late ones",
                    causal.chunks));
  }
  const detail::PinnAssembly assembly(std::make_shared<const Problem>(problem), pinn);
  if (assembly.loss.terms.size() > 1) {
    const GradientNormsBalancer balancer{.old_share = 0.9, .period = 1000};
    pinn.rules.balancer = balancer;
    say(fmt::format("{} terms, weighed every {} steps so that their gradients have the same length",
                    assembly.loss.terms.size(), balancer.period));
  } else {
    say("one term: there is nothing to balance");
  }
  return made;
}

}  // namespace cauchy
