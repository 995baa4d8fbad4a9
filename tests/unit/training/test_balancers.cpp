// The numbers of every balancer, by hand or by an independent formula.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <cauchy/optimizers/adam.hpp>
#include <cauchy/training/balancer.hpp>

#include "support/message_of.hpp"
#include "support/small_training.hpp"
#include "training/balancers/balancers.hpp"
#include "training/balancers/config.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy::test_balancers {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

double length(std::span<const double> v) {
  double sum = 0;
  for (const double e : v) sum += e * e;
  return std::sqrt(sum);
}
double inner(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
std::vector<double> factors(const SmallTraining& s) {
  std::vector<double> all;
  for (std::size_t t = 0; t < s.loss->n_terms(); ++t) all.push_back(s.factor(t));
  return all;
}
double sum_of(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

/// Losses and gradients of the terms of an executor that no balancer has touched.
struct Terms {
  std::vector<double> losses;
  std::vector<std::vector<double>> gradients;
  Terms(const SmallTrainingOptions& options, std::span<const double> theta) {
    SmallTraining s = small_training(options);
    std::vector<double> g(theta.size()), all(theta.size() * s.loss->n_terms());
    (void)s.executor->gradient(theta, g, {.terms = all});
    losses.assign(s.executor->last_terms().begin(), s.executor->last_terms().end());
    for (std::size_t t = 0; t < losses.size(); ++t) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(t * theta.size());
      gradients.emplace_back(from, from + static_cast<std::ptrdiff_t>(theta.size()));
    }
  }
};

bool ask(Balancer& balancer, SmallTraining& s, std::uint64_t step, bool first_order = true) {
  return balancer.update(
      *s.loss, {.step_in_stage = step, .step = step, .first_order = first_order, .theta = s.theta});
}
void move(SmallTraining& s, double by) {
  for (double& e : s.theta) e *= 1 + by;
}

TEST(GradNorm, DescendsTheDistancesFromTheTargets) {
  const GradNormBalancer options{.alpha = 0, .learning_rate = 0.01};
  const std::vector<double> ones(2, 1.0), norms = {100, 1};
  std::vector<double> lambda = {1, 1};
  // d(|G_1 - 50.5| + |G_2 - 50.5|) / d lambda = (100, -1): one goes down, the other up.
  detail::gradnorm_step(options, ones, ones, norms, lambda);
  EXPECT_LT(std::abs(lambda[0] / lambda[1] - std::exp(-0.02)), 8 * eps);
  EXPECT_LT(std::abs(sum_of(lambda) - 2), 8 * eps);
  for (int k = 0; k < 1000; ++k) detail::gradnorm_step(options, ones, ones, norms, lambda);
  EXPECT_LT(std::abs(lambda[0] * 100 / lambda[1] - 1), 1e-10) << "the gradients become equal";
  EXPECT_LT(std::abs(sum_of(lambda) - 2), 1000 * 2 * eps) << "a rounding per update";
}

TEST(GradNorm, GivesTermsThatLagLongerGradients) {
  const GradNormBalancer options{.alpha = 1, .learning_rate = 0.05};
  const std::vector<double> first = {2, 10}, now = {1, 10}, norms = {3, 0.2};
  std::vector<double> lambda = {1, 1};
  for (int k = 0; k < 1000; ++k) detail::gradnorm_step(options, first, now, norms, lambda);
  EXPECT_LT(std::abs(lambda[0] * 3 / (lambda[1] * 0.2) - 0.5), 1e-10);
  // A term without gradient keeps its factor, and the sum stays.
  std::vector<double> three = {1, 0.5, 1.5};
  detail::gradnorm_step(options, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 0, 2}}, three);
  EXPECT_EQ(three[1], 0.5);
  EXPECT_LT(std::abs(sum_of(three) - 3), 8 * eps);
  EXPECT_GT(three[0], 1);
}

TEST(GradNorm, ComparesWithTheFirstLosses) {
  SmallTraining s = small_training();
  const GradNormBalancer options{.alpha = 1.5, .learning_rate = 0.1, .period = 5};
  const auto balancer = make_balancer(options, *s.points);
  const Terms first({}, s.theta);
  std::vector<double> expected(3, 1.0);
  const auto norms = [](const Terms& at) {
    std::vector<double> all;
    for (const auto& g : at.gradients) all.push_back(length(g));
    return all;
  };
  EXPECT_TRUE(ask(*balancer, s, 0));
  detail::gradnorm_step(options, first.losses, first.losses, norms(first), expected);
  for (const std::uint64_t step : {5u, 10u}) {
    move(s, 0.1);
    EXPECT_FALSE(ask(*balancer, s, step - 1));
    EXPECT_TRUE(ask(*balancer, s, step));
    const Terms now({}, s.theta);
    detail::gradnorm_step(options, first.losses, now.losses, norms(now), expected);
  }
  for (std::size_t t = 0; t < 3; ++t) EXPECT_LT(std::abs(s.factor(t) / expected[t] - 1), 1e-12);
}

TEST(Uncertainty, SettlesWhereTheScalesAreStationary) {
  using Form = UncertaintyBalancer::Form;
  for (const Form form : {Form::sigma, Form::gamma}) {
    SmallTraining s = small_training();
    const Terms at({}, s.theta);
    const auto balancer = make_balancer(
        UncertaintyBalancer{.form = form, .learning_rate = 0.3, .period = 1}, *s.points);
    EXPECT_TRUE(ask(*balancer, s, 0));
    // d/dgamma (exp(-gamma) L + gamma/2) at gamma = 0; d/dlog sigma (L/(2 sigma^2) + log sigma) at
    // 2 sigma^2 = 1.
    const double slope = form == Form::gamma ? 0.5 - at.losses[0] : 1 - 2 * at.losses[0];
    ASSERT_LT(std::abs(slope), 1);
    const double moved = form == Form::gamma ? -0.3 * slope : 2 * -0.3 * slope;
    EXPECT_LT(std::abs(s.factor(0) - std::exp(-moved)), 1e-14);
    for (std::uint64_t k = 1; k < 300; ++k) ask(*balancer, s, k);
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_LT(std::abs(s.factor(t) * 2 * at.losses[t] - 1), 1e-9) << "sigma^2 = L";
    }
  }
}

TEST(Uncertainty, MovesAtMostOneRatePerUpdateHoweverLargeALossIs) {
  SmallTraining s = small_training();
  s.executor->set_weight(0, 1e9);
  s.loss = std::make_unique<TrainingLoss>(*s.executor);
  const auto balancer = make_balancer(UncertaintyBalancer{.learning_rate = 0.05}, *s.points);
  EXPECT_TRUE(ask(*balancer, s, 0));
  EXPECT_LT(std::abs(s.factor(0) - std::exp(-0.05)), 4 * eps);
}

TEST(Annealing, BringsConditionsToTheSlopeOfTheEquations) {
  using Ratio = AnnealingBalancer::Ratio;
  for (const Ratio ratio : {Ratio::max_over_mean, Ratio::mean_over_mean}) {
    for (const double share : {1.0, 0.25}) {
      SmallTraining s = small_training();
      const Terms at({}, s.theta);
      const auto balancer =
          make_balancer(AnnealingBalancer{.ratio = ratio, .new_share = share}, *s.points);
      EXPECT_TRUE(ask(*balancer, s, 0));
      const auto mean = [&](std::size_t t) {
        double sum = 0;
        for (const double e : at.gradients[t]) sum += std::abs(e);
        return sum / static_cast<double>(s.theta.size());
      };
      double top = mean(0);
      for (const double e : at.gradients[0]) {
        if (ratio == Ratio::max_over_mean) top = std::max(top, std::abs(e));
      }
      EXPECT_EQ(s.factor(0), 1) << "the equation";
      for (const std::size_t t : {1u, 2u}) {
        const double expected = share * top / mean(t) + (1 - share);
        EXPECT_LT(std::abs(s.factor(t) / expected - 1), 1e-12) << t;
      }
    }
  }
}

TEST(SoftAdapt, SharesByTheRatiosOfLosses) {
  for (const bool ratio : {true, false}) {
    SmallTraining s = small_training();
    const auto balancer =
        make_balancer(SoftAdaptBalancer{.rate = ratio ? SoftAdaptBalancer::Rate::ratio
                                                      : SoftAdaptBalancer::Rate::difference,
                                        .beta = 2,
                                        .period = 10},
                      *s.points);
    const Terms before({}, s.theta);
    EXPECT_FALSE(ask(*balancer, s, 0)) << "nothing to compare with";
    move(s, 0.2);
    const Terms after({}, s.theta);
    EXPECT_TRUE(ask(*balancer, s, 10));
    double sum = 0;
    std::vector<double> expected;
    for (std::size_t t = 0; t < 3; ++t) {
      const double rate =
          ratio ? after.losses[t] / before.losses[t] : after.losses[t] - before.losses[t];
      sum += expected.emplace_back(std::exp(2 * rate));
    }
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_LT(std::abs(s.factor(t) / (3 * expected[t] / sum) - 1), 1e-12);
    }
    ask(*balancer, s, 20);  // the same losses again: all ratios 1, all differences 0
    for (std::size_t t = 0; t < 3; ++t) EXPECT_LT(std::abs(s.factor(t) - 1), 8 * eps);
  }
}

TEST(SoftAdapt, DoesNotOverflow) {
  std::vector<double> lambda = {1, 1, 1};
  const std::vector<bool> all(3, true);
  detail::softmax_factors({{1e3, 0, 999}}, all, lambda);
  EXPECT_LT(std::abs(lambda[0] - 3 / (1 + std::exp(-1.0))), 16 * eps);
  EXPECT_EQ(lambda[1], 0);
  EXPECT_LT(std::abs(sum_of(lambda) - 3), 8 * eps);
  lambda = {0.5, 1, 1.5};
  detail::softmax_factors({{1, 7, 1}}, {true, false, true}, lambda);
  EXPECT_EQ(lambda, (std::vector<double>{1, 1, 1})) << "one that takes no part keeps its own";
}

/// Factors of ReLoBRaLo after looks at theta, 1.1 theta and 1.21 theta.
std::vector<double> relobralo_factors(const RelobraloBalancer& options, std::uint64_t seed = 2) {
  SmallTraining s = small_training({.seed = seed});
  s.theta = small_training().theta;
  const auto balancer = make_balancer(options, *s.points);
  for (std::uint64_t k = 0; k < 3; ++k) {
    ask(*balancer, s, k * options.period);
    move(s, 0.1);
  }
  return factors(s);
}

TEST(Relobralo, HasItsLimits) {
  const auto hot = relobralo_factors({.temperature = 1e15});
  for (const double f : hot) EXPECT_LT(std::abs(f - 1), 1e-12);
  // tau -> 0 and nothing kept: all to the term whose loss grew most since the last look.
  const auto cold = relobralo_factors({.old_share = 0, .temperature = 1e-9});
  EXPECT_LT(std::abs(*std::max_element(cold.begin(), cold.end()) - 3), 1e-9);
  for (const double old_share : {0.0, 0.3, 0.95}) {
    for (const double keep : {1e-9, 0.5, 1.0}) {
      const auto f = relobralo_factors({.old_share = old_share, .keep = keep, .temperature = 0.1});
      EXPECT_LT(std::abs(sum_of(f) - 3), 32 * eps);
    }
  }
}

TEST(Relobralo, MixesTheLastLookAndTheFirst) {
  SmallTraining s = small_training();
  std::vector<Terms> at;
  for (int k = 0; k < 3; ++k) {
    at.emplace_back(SmallTrainingOptions{}, s.theta);
    move(s, 0.1);
  }
  const auto w = [&](std::size_t k, std::size_t since) {
    std::vector<double> all;
    for (std::size_t t = 0; t < 3; ++t) {
      all.push_back(std::exp(at[k].losses[t] / at[since].losses[t] / 0.2));
    }
    const double sum = sum_of(all);
    for (double& e : all) e *= 3 / sum;
    return all;
  };
  const double a = 0.7;
  const auto forgets = relobralo_factors({.old_share = a, .keep = 1e-300, .temperature = 0.2});
  const auto keeps = relobralo_factors({.old_share = a, .keep = 1, .temperature = 0.2});
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_LT(std::abs(forgets[t] - (a * w(2, 0)[t] + (1 - a) * w(2, 1)[t])), 1e-12);
    const double average = a * (a + (1 - a) * w(1, 0)[t]) + (1 - a) * w(2, 1)[t];
    EXPECT_LT(std::abs(keeps[t] - average), 1e-12) << "a moving average";
  }
  std::vector<double> seen;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    seen.push_back(relobralo_factors({.keep = 0.5, .temperature = 0.2}, seed)[0]);
  }
  EXPECT_NE(*std::min_element(seen.begin(), seen.end()),
            *std::max_element(seen.begin(), seen.end()))
      << "seeds look back at different times";
}

TEST(Ntk, TakesTheTracesOfTheRowsOfTheLoss) {
  const SmallTrainingOptions options{.integral = true};
  SmallTraining s = small_training(options);
  std::vector<double> w(12);
  for (std::size_t i = 0; i < 12; ++i) w[i] = 1 + static_cast<double>(i % 3);
  s.executor->set_weights(0, w);
  const std::size_t n = s.theta.size();
  std::vector<double> r(s.loss->n_residuals()), j(r.size() * n), traces;
  s.loss->jacobian(s.theta, r, j);
  std::size_t row = 0;
  for (std::size_t t = 0; t < 4; ++t) {
    double trace = 0;
    for (std::size_t i = 0; i < s.executor->n_rows(t) * n; ++i, ++row) trace += j[row] * j[row];
    traces.push_back(trace);
  }
  const auto balancer = make_balancer(NtkBalancer{.old_share = 0, .period = 3}, *s.points);
  for (const std::uint64_t step : {0u, 3u}) {  // its own factors do not change what it sees
    ask(*balancer, s, step);
    double inverse = 0;
    for (std::size_t t = 0; t < 4; ++t) {
      inverse += 1 / s.factor(t);
      EXPECT_LT(std::abs(s.factor(t) * traces[t] / sum_of(traces) - 1), 1e-12) << t;
    }
    EXPECT_LT(std::abs(inverse - 1), 1e-14);
  }
}

TEST(GradientNorms, MakesAllGradientsTheSameLength) {
  SmallTraining s = small_training(), slow = small_training();
  const Terms at({}, s.theta);
  const auto balancer =
      make_balancer(GradientNormsBalancer{.old_share = 0, .period = 2}, *s.points);
  EXPECT_TRUE(ask(*balancer, s, 0));
  EXPECT_FALSE(ask(*balancer, s, 1));
  double inverse = 0, sum = 0;
  for (const auto& g : at.gradients) sum += length(g);
  for (std::size_t t = 0; t < 3; ++t) {
    inverse += 1 / s.factor(t);
    EXPECT_LT(std::abs(s.factor(t) * length(at.gradients[t]) / sum - 1), 1e-12);
  }
  EXPECT_LT(std::abs(inverse - 1), 1e-14);
  ask(*make_balancer(GradientNormsBalancer{.old_share = 0.9}, *slow.points), slow, 0);
  EXPECT_LT(std::abs(slow.factor(1) - (0.9 + 0.1 * s.factor(1))), 1e-12 * s.factor(1));
}

TEST(Config, HasEqualPositiveCosinesToAllGradients) {
  constexpr std::size_t n = 12;
  Rng rng(3);
  for (const std::size_t m : {1u, 2u, 3u, 5u}) {
    std::vector<double> g(m * n), result(n);
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = rng.normal() * std::pow(10.0, i / n);
    detail::config_direction(g, n, result);
    double sum = 0;
    std::vector<double> cosines;
    for (std::size_t i = 0; i < m; ++i) {
      const auto row = std::span(g).subspan(i * n, n);
      cosines.push_back(inner(row, result) / length(row) / length(result));
      sum += inner(row, result) / length(result);
    }
    for (const double c : cosines) EXPECT_LT(std::abs(c - cosines[0]), 1e-13) << m;
    EXPECT_GT(cosines[0], 0) << m;
    EXPECT_LT(std::abs(length(result) / sum - 1), 1e-13) << m;
    if (m == 1) {
      EXPECT_EQ(result, g);
    }
    if (m != 2) continue;
    std::vector<double> d(n);  // the bisector
    for (std::size_t p = 0; p < n; ++p) {
      d[p] = g[p] / length(std::span(g).first(n)) + g[n + p] / length(std::span(g).last(n));
    }
    const double along =
        (inner(d, std::span(g).first(n)) + inner(d, std::span(g).last(n))) / inner(d, d);
    for (std::size_t p = 0; p < n; ++p) EXPECT_LT(std::abs(result[p] - along * d[p]), 1e-12);
  }
}

TEST(Config, TakesDependentAndVanishingGradients) {
  const auto direction = [](const std::vector<double>& g) {
    std::vector<double> result(2);
    detail::config_direction(g, 2, result);
    return result;
  };
  const auto near = [](const std::vector<double>& a, double x, double y) {
    return std::hypot(a[0] - x, a[1] - y) < 1e-14;
  };
  EXPECT_TRUE(near(direction({3, 4, 6, 8}), 9, 12)) << "parallel: the sum";
  EXPECT_TRUE(near(direction({3, 4, -6, -8}), 0, 0)) << "opposed: none lowers both";
  EXPECT_TRUE(near(direction({0, 0, 6, 8}), 6, 8)) << "a term that is solved has no say";
  EXPECT_TRUE(near(direction({0, 0, 0, 0}), 0, 0));
  EXPECT_TRUE(near(direction({2, 0, 0, 4, 2, 0}), 4, 4)) << "(1, 1) suits all three";
  EXPECT_TRUE(std::isnan(direction({NAN, 1, 1, 1})[0])) << "the optimiser is to see it";
}

TEST(Config, IsForFirstOrderMethodsOnly) {
  SmallTraining s = small_training();
  const auto balancer = make_balancer(ConfigBalancer{}, *s.points);
  std::vector<double> sum(s.theta.size()), g(sum.size()), expected(sum.size()), all;
  const double value = s.loss->gradient(s.theta, sum);
  for (const auto& row : Terms({}, s.theta).gradients)
    all.insert(all.end(), row.begin(), row.end());
  detail::config_direction(all, sum.size(), expected);
  EXPECT_TRUE(ask(*balancer, s, 0));
  EXPECT_FALSE(ask(*balancer, s, 1));
  EXPECT_EQ(s.loss->gradient(s.theta, g), value);
  EXPECT_EQ(g, expected);
  EXPECT_NE(g, sum);
  EXPECT_TRUE(ask(*balancer, s, 2, false));
  EXPECT_EQ(s.loss->gradient(s.theta, g), value);
  EXPECT_EQ(g, sum);
}

}  // namespace
}  // namespace cauchy::test_balancers
