// What balancers have in common: terms that take no part, misuse, one function for all kinds of
// optimisers, and runs that are stopped and resumed.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/small_training.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"
#include "training/balancers/balancers.hpp"
#include "training/balancers/config.hpp"

namespace cauchy::test_balancer_runs {
namespace {

/// The same balancer with updates every few steps, where it has a period.
BalancerOptions quick(BalancerOptions options, std::uint64_t period) {
  std::visit(
      [&](auto& o) {
        if constexpr (requires { o.period; }) o.period = period;
      },
      options);
  return options;
}

class EveryBalancer : public ::testing::TestWithParam<BalancerEntry> {};
INSTANTIATE_TEST_SUITE_P(All, EveryBalancer, ::testing::ValuesIn(all_balancers()),
                         [](const auto& entry) {
                           std::string name(entry.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(EveryBalancer, LeavesLossGradientRowsAndJacobianOneFunction) {
  for (const PointWeightsEntry& weights_entry : all_point_weights()) {
    SmallTraining s = small_training();
    const auto weights = make_point_weights(weights_entry.options, *s.points);
    const auto balancer = make_balancer(quick(GetParam().options, 1), *s.points);
    for (std::uint64_t k = 0; k < 4; ++k) {
      const TrainingStep step{
          .step_in_stage = k, .step = k, .first_order = false, .theta = s.theta};
      if (weights && weights->update(*s.loss, *s.points, step, k == 0)) {
        for (std::size_t t = 0; t < 3; ++t) s.points->weigh(t, weights->factors(t));
      }
      if (balancer) (void)balancer->update(*s.loss, step);
      for (double& e : s.theta) e *= 1.02;
    }
    const std::size_t n = s.theta.size(), m = s.loss->n_residuals();
    std::vector<double> g(n), r(m), j(m * n), jtr(n), v(n), jv(m), ahead(s.theta), behind(ahead);
    const double value = s.loss->gradient(s.theta, g);
    s.loss->jacobian(s.theta, r, j);
    s.loss->jacobian_transposed_times(s.theta, r, jtr);
    Rng rng(7);
    for (std::size_t p = 0; p < n; ++p) {
      v[p] = rng.normal();
      ahead[p] += 1e-5 * v[p];
      behind[p] -= 1e-5 * v[p];
    }
    s.loss->jacobian_times(s.theta, v, jv);
    double squares = 0, largest = 0, row = 0;
    for (const double e : r) squares += e * e;
    for (const double e : g) largest = std::max(largest, std::abs(e));
    for (const double e : jv) row = std::max(row, std::abs(e));
    const auto what = [&] { return weights_entry.name; };
    // Sums of 36 rows in another order; differences: 1e-10 times a third derivative.
    EXPECT_LT(std::abs(squares / value - 1), 1e-13) << what();
    for (std::size_t p = 0; p < n; ++p) {
      EXPECT_LT(std::abs(2 * jtr[p] - g[p]), 1e-13 * largest) << what();
    }
    std::vector<double> plus(m), minus(m);
    s.loss->residuals(ahead, plus);
    s.loss->residuals(behind, minus);
    for (std::size_t i = 0; i < m; ++i) {
      double product = 0;
      for (std::size_t p = 0; p < n; ++p) product += j[i * n + p] * v[p];
      EXPECT_LT(std::abs(product - jv[i]), 1e-13 * row) << what();
      EXPECT_LT(std::abs((plus[i] - minus[i]) / 2e-5 - jv[i]), 1e-6 * row) << what();
    }
  }
}

TEST_P(EveryBalancer, LeavesTermsAloneThatDoNotCountOrAreNotFinite) {
  if (GetParam().name == "fixed") return;
  SmallTraining s = small_training();
  const auto balancer = make_balancer(quick(GetParam().options, 1), *s.points);
  s.loss->weigh(1, 0, WeightLayer::curriculum);
  std::vector<double> g(s.theta.size());
  for (std::uint64_t k = 0; k < 4; ++k) {
    if (k == 3) s.theta.back() = NAN;
    (void)balancer->update(*s.loss, {.step_in_stage = k, .step = k, .theta = s.theta});
    (void)s.loss->gradient(s.theta, g);
    EXPECT_EQ(s.factor(1), 1);
    for (const std::size_t t : {0u, 2u}) EXPECT_TRUE(std::isfinite(s.factor(t)) && s.factor(t) > 0);
    if (k < 3) {
      EXPECT_TRUE(std::ranges::all_of(g, [](double e) { return std::isfinite(e); }));
      EXPECT_EQ(s.loss->parts()[1], 0);
    }
    s.theta[0] *= 1.1;
  }
}

TEST_P(EveryBalancer, TakesAnEnergyAmongTheTerms) {
  if (GetParam().name == "fixed") return;
  SmallTraining s = small_training({.integral = true, .form = TermForm::identity});
  const auto balancer = make_balancer(quick(GetParam().options, 1), *s.points);
  for (std::uint64_t k = 0; k < 3; ++k) {
    (void)balancer->update(*s.loss, {.step_in_stage = k, .step = k, .theta = s.theta});
    s.theta[0] *= 1.1;
  }
  const bool by_gradients = GetParam().name == "annealing" || GetParam().name == "gradient-norms";
  EXPECT_EQ(s.factor(3) != 1, by_gradients);
}

TEST_P(EveryBalancer, ResumesToTheSameBitsWithAllKindsOfOptimisers) {
  Pinn method;
  method.network = Mlp{.width = 5, .depth = 1};
  method.points = {.interior = 30, .boundary = 6, .initial = 10};
  method.stages = {{AdamOptions{}, 25},
                   {LbfgsOptions{}, 12},
                   {QuasiNewtonOptions{}, 8},
                   {LevenbergMarquardtOptions{}, 5},
                   {AdamOptions{}, 6}};
  method.rules.balancer = quick(GetParam().options, 4);
  const RunOptions once{.threads = 1, .history_every = 3};
  const Solution whole = solve(heated_bar(), method, once);
  EXPECT_TRUE(std::isfinite(whole.training->history.back().loss));
  EXPECT_EQ(whole.training->steps, 56u);
  if (GetParam().name != "fixed") {
    Pinn fixed = method;
    fixed.rules.balancer = FixedBalancer{};
    EXPECT_NE(whole.training->parameters, solve(heated_bar(), fixed, once).training->parameters);
  }
  const TemporaryFolder folder;
  for (const std::uint64_t at : {3u, 25u, 33u, 48u, 53u}) {
    StopAfter stop(at);
    RunOptions options = once;
    options.progress = &stop;
    options.checkpoint = folder / "run.bin";
    options.checkpoint_seconds = 1e9;
    EXPECT_TRUE(solve(heated_bar(), method, options).interrupted);
    options.progress = nullptr;
    const Solution rest = solve(heated_bar(), method, options);
    EXPECT_EQ(rest.training->parameters, whole.training->parameters) << at;
    ASSERT_EQ(rest.training->history.size(), whole.training->history.size());
    for (std::size_t i = 0; i < whole.training->history.size(); ++i) {
      EXPECT_EQ(rest.training->history[i].terms, whole.training->history[i].terms) << at;
    }
    std::filesystem::remove(folder / "run.bin");
  }
}

TEST_P(EveryBalancer, RefusesASingleTermAndADamagedState) {
  SmallTraining one = small_training({.n_terms = 1});
  const std::string message =
      message_of([&] { (void)make_balancer(GetParam().options, *one.points); });
  if (GetParam().name == "fixed") {
    EXPECT_EQ(message, "no error");
    return;
  }
  EXPECT_EQ(message, "[training.balancer]: '" + std::string(GetParam().name) +
                         "' weighs terms of the loss against each other, and there is only one: "
                         "all conditions are built in; take kind = \"fixed\"");
  SmallTraining s = small_training();
  const auto balancer = make_balancer(GetParam().options, *s.points);
  (void)balancer->update(*s.loss, {.theta = s.theta});
  TrainingState state;
  balancer->save(state);
  TrainingState none;
  EXPECT_NE(message_of([&] { balancer->restore(none, *s.loss); }), "no error");
  SmallTraining other = small_training({.integral = true});
  const auto fresh = make_balancer(GetParam().options, *other.points);
  if (GetParam().name != "config") {  // whose state is one number
    EXPECT_NE(message_of([&] { fresh->restore(state, *other.loss); }), "no error");
  }
}

TEST(Balancers, SayWhatTheyCannotWeighBeforeARun) {
  Problem p = heated_bar();
  for (Condition& c : p.condition) c.hard = true;
  Pinn method;
  method.rules.balancer = NtkBalancer{};
  EXPECT_TRUE(message_of([&] {
                (void)estimate_cost(p, method);
              }).starts_with("[training.balancer]: 'ntk' weighs terms of the loss"));
  using Kind = PointSource::Kind;
  const std::vector<Kind> equations(2, Kind::equation);
  EXPECT_EQ(
      message_of([&] { check_balancer(AnnealingBalancer{}, equations); }),
      "[training.balancer]: 'annealing' weighs conditions against equations, and the loss has "
      "no conditions; take another kind, \"gradient-norms\" for example");
  check_balancer(NtkBalancer{}, equations);
  SmallTraining s = small_training();
  EXPECT_EQ(message_of([&] { (void)make_balancer(NtkBalancer{.old_share = 1}, *s.points); }),
            "[training.balancer]: old_share must be in [0, 1), got 1");
  EXPECT_EQ(message_of([&] { (void)make_balancer(NtkBalancer{.period = 0}, *s.points); }),
            "[training.balancer]: period must be at least 1, got 0");
}

// --- M-ConFIG ---

/// Adam with its balancer, and how far it is after so many steps.
std::vector<double> trained(SmallTraining& s, Balancer* balancer, std::uint64_t steps) {
  Adam adam(AdamOptions{.learning_rate = 0.01});
  for (std::uint64_t k = 0; k < steps; ++k) {
    if (balancer)
      (void)balancer->update(*s.loss, {.step_in_stage = k, .step = k, .theta = s.theta});
    (void)adam.step(*s.loss, s.theta);
  }
  return s.theta;
}

TEST(MomentumConfig, WithOneTermIsAdam) {
  SmallTraining with = small_training({.n_terms = 1}), without = small_training({.n_terms = 1});
  const auto balancer = detail::make_momentum_config({});
  const auto a = trained(with, balancer.get(), 60), b = trained(without, nullptr, 60);
  for (std::size_t p = 0; p < a.size(); ++p) EXPECT_LT(std::abs(a[p] - b[p]), 1e-11);
}

TEST(MomentumConfig, TakesTheStepsOfItsAlgorithm) {
  constexpr double b1 = 0.9, b2 = 0.999, rate = 0.01;
  SmallTraining s = small_training(), plain = small_training();
  const auto balancer = detail::make_momentum_config({.beta1 = b1});
  const std::vector<double> found = trained(s, balancer.get(), 25);

  std::vector<double> theta = plain.theta;
  const std::size_t n = theta.size(), m = 3;
  std::vector<double> g(n), all(m * n), momenta(m * n), hats(m * n), mean(n), v(n), old(n);
  std::vector<double> counts(m);
  for (int t = 1; t <= 25; ++t) {
    (void)plain.executor->gradient(theta, g, {.terms = all});
    for (std::size_t i = 0; i < m; ++i) {
      // The first step has seen all terms, without a move before the last of them.
      if (t > 1 && i != static_cast<std::size_t>(t - 2) % m) continue;
      counts[i] += 1;
      for (std::size_t p = 0; p < n; ++p) {
        momenta[i * n + p] = b1 * momenta[i * n + p] + (1 - b1) * all[i * n + p];
        hats[i * n + p] = momenta[i * n + p] / (1 - std::pow(b1, counts[i]));
      }
    }
    detail::config_direction(hats, n, mean);
    for (std::size_t p = 0; p < n; ++p) {
      const double now = mean[p] * (1 - std::pow(b1, t));
      const double estimated = (now - b1 * old[p]) / (1 - b1);
      old[p] = now;
      v[p] = b2 * v[p] + (1 - b2) * estimated * estimated;
      theta[p] -= rate * mean[p] / (std::sqrt(v[p] / (1 - std::pow(b2, t))) + 1e-8);
    }
  }
  for (std::size_t p = 0; p < n; ++p) EXPECT_LT(std::abs(theta[p] - found[p]), 1e-11);
}

TEST(MomentumConfig, EvaluatesOneTermPerStep) {
  SmallTraining s = small_training();
  const auto balancer = detail::make_momentum_config({});
  std::vector<double> g(s.theta.size()), first(3), weights;
  for (std::size_t t = 0; t < 3; ++t) weights.push_back(s.executor->weight(t));
  for (std::uint64_t k = 0; k < 5; ++k) {
    (void)balancer->update(*s.loss, {.step_in_stage = k, .step = k, .theta = s.theta});
    const double sum = s.loss->gradient(s.theta, g);
    EXPECT_EQ(sum, s.loss->parts()[0] + s.loss->parts()[1] + s.loss->parts()[2]);
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_EQ(s.executor->weight(t), weights[t]);
      // Steps 1, 2, 3 renew terms 0, 1, 2; a part stays that of the last turn.
      if (k == 0) first[t] = s.loss->parts()[t];
      if (k <= t) {
        EXPECT_EQ(s.loss->parts()[t], first[t]) << k;
      } else {
        EXPECT_NE(s.loss->parts()[t], first[t]) << k;
      }
    }
    for (double& e : s.theta) e *= 1.05;
  }
}

}  // namespace
}  // namespace cauchy::test_balancer_runs
