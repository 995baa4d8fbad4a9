#include <gtest/gtest.h>

#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/rmsprop.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "support/coupled_problem.hpp"

namespace cauchy::test_first_order_methods {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
using minimization::coupled;
using Span = std::span<const double>;

/// c x^2 / 2 in one variable.
FunctionObjective parabola(double c) {
  return FunctionObjective(1, [c](Span x, std::span<double> g) {
    if (!g.empty()) g[0] = c * x[0];
    return c * x[0] * x[0] / 2;
  });
}

/// Gradient (2, -3, 0) everywhere.
FunctionObjective slope() {
  return FunctionObjective(3, [](Span x, std::span<double> g) {
    if (!g.empty()) {
      g[0] = 2;
      g[1] = -3;
      g[2] = 0;
    }
    return 2 * x[0] - 3 * x[1];
  });
}

TEST(GradientDescent, HasFourRegimesAroundTheInverseCurvature) {
  // E'' = 4, so the best rate is 1/4 and the error is multiplied by 1 - 4 rate. All numbers are
  // short binary fractions: every comparison is exact.
  const double curvature = 4, best = 1 / curvature;
  struct Regime {
    double rate, factor;
  };
  for (const Regime& regime : {Regime{best / 2, 0.5}, Regime{best * 1.5, -0.5},
                               Regime{best * 2, -1}, Regime{best * 2.5, -1.5}}) {
    auto f = parabola(curvature);
    GradientDescent method({.learning_rate = regime.rate});
    std::vector<double> x{3};
    double expected = 3;
    for (int k = 0; k < 20; ++k) {
      EXPECT_EQ(method.step(f, x).status, StepStatus::progress);
      expected *= regime.factor;
      ASSERT_EQ(x[0], expected) << regime.rate << ' ' << k;
    }
  }
  auto f = parabola(curvature);
  GradientDescent newton({.learning_rate = best});
  std::vector<double> x{3};
  EXPECT_EQ(newton.step(f, x).status, StepStatus::progress);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(newton.step(f, x).status, StepStatus::converged);
}

TEST(GradientDescent, BeyondTwiceTheBestRateItDivergesAndXIsTheBestPoint) {
  auto f = parabola(4);
  GradientDescent method({.learning_rate = 10});
  std::vector<double> x{3};
  const auto r = minimize(method, f, x, {.max_iterations = 1000});
  // The first point is the lowest of a growing sequence; the objective overflows before x does.
  EXPECT_EQ(r.status, Status::not_finite);
  EXPECT_EQ(x[0], 3);
  EXPECT_EQ(r.value, 18);
}

/// z_k of z_{k+1} = a z_k - b z_{k-1} from its characteristic roots.
double two_term(double a, double b, double z0, double z1, int k) {
  const std::complex<double> root = std::sqrt(std::complex<double>(a * a - 4 * b));
  const auto p = (a + root) / 2.0, q = (a - root) / 2.0;
  const auto s = (z1 - q * z0) / (p - q), t = (p * z0 - z1) / (p - q);
  return (s * std::pow(p, k) + t * std::pow(q, k)).real();
}

TEST(Momentum, FollowsTheClosedFormOnAParabola) {
  // x_{k+1} = (1 + mu - rate c) x_k - mu x_{k-1}; real and complex roots.
  for (const double rate : {0.001, 0.1}) {
    const double mu = 0.6, c = 3;
    auto f = parabola(c);
    Momentum method({.learning_rate = rate, .momentum = mu});
    std::vector<double> x{2};
    for (int k = 1; k <= 40; ++k) {
      (void)method.step(f, x);
      const double expected = two_term(1 + mu - rate * c, mu, 2, 2 * (1 - rate * c), k);
      // A contraction: errors of a few eps per step, and k eps from the powers.
      ASSERT_LT(std::abs(x[0] - expected), 500 * eps) << rate << ' ' << k;
    }
  }
}

TEST(Nesterov, FollowsTheClosedFormOnAParabola) {
  // x_{k+1} = (1 - rate c) ((1 + mu) x_k - mu x_{k-1}), x the point where the gradient is taken.
  for (const double rate : {0.001, 0.1}) {
    const double mu = 0.6, c = 3, a = 1 - rate * c;
    auto f = parabola(c);
    Nesterov method({.learning_rate = rate, .momentum = mu});
    std::vector<double> x{2};
    for (int k = 1; k <= 40; ++k) {
      (void)method.step(f, x);
      const double expected = two_term(a * (1 + mu), a * mu, 2, 2 * (1 - (1 + mu) * rate * c), k);
      ASSERT_LT(std::abs(x[0] - expected), 500 * eps) << rate << ' ' << k;
    }
  }
}

TEST(Nesterov, IsTheLookAheadFormOfNesterov) {
  const double mu = 0.8, rate = 0.02;
  FunctionObjective f(5, coupled);
  Nesterov method({.learning_rate = rate, .momentum = mu});
  std::vector<double> x{1, -1, 2, 0.5, 3}, theta = x, v(5, 0.0), y(5), g(5);
  for (int k = 0; k < 30; ++k) {
    for (std::size_t i = 0; i < 5; ++i) y[i] = theta[i] + mu * v[i];
    // One formula in two orders of summation; the problem contracts.
    for (std::size_t i = 0; i < 5; ++i) ASSERT_LT(std::abs(x[i] - y[i]), 1e3 * eps) << k;
    (void)coupled(y, g);
    for (std::size_t i = 0; i < 5; ++i) {
      v[i] = mu * v[i] - rate * g[i];
      theta[i] += v[i];
    }
    (void)method.step(f, x);
  }
}

TEST(Momentum, WithoutMomentumBothAreGradientDescent) {
  FunctionObjective f(5, coupled);
  GradientDescent plain({.learning_rate = 0.03});
  Momentum ball({.learning_rate = 0.03, .momentum = 0});
  Nesterov ahead({.learning_rate = 0.03, .momentum = 0});
  std::vector<double> x{1, -1, 2, 0.5, 3}, y = x, z = x;
  for (int k = 0; k < 20; ++k) {
    (void)plain.step(f, x);
    (void)ball.step(f, y);
    (void)ahead.step(f, z);
    ASSERT_EQ(x, y);
    ASSERT_EQ(x, z);
  }
}

TEST(Momentum, AVelocityThatTurnsRoundIsNotStalled) {
  // Gradient -1 in the first step, then +1/2: v = 1, then 1/2 - 1/2 = 0 and x stays for one step.
  int calls = 0;
  FunctionObjective f(1, [&](Span, std::span<double> g) {
    g[0] = ++calls == 1 ? -1 : 0.5;
    return 1.0;
  });
  Momentum method({.learning_rate = 1, .momentum = 0.5});
  std::vector<double> x{0};
  EXPECT_EQ(method.step(f, x).step_norm, 1);
  const auto turn = method.step(f, x);
  EXPECT_EQ(turn.step_norm, 0);
  EXPECT_EQ(turn.status, StepStatus::progress);
  EXPECT_EQ(method.step(f, x).step_norm, 0.5);
  // A step below the rounding of x is.
  Momentum tiny({.learning_rate = 1e-30, .momentum = 0.5});
  x = {1};
  EXPECT_EQ(tiny.step(f, x).status, StepStatus::stalled);
}

TEST(RmsProp, TheFirstStepsFollowTheFormulas) {
  auto f = slope();
  const double rate = 0.1, beta = 0.75, e = 1e-3;
  RmsProp method({.learning_rate = rate, .beta = beta, .epsilon = e});
  std::vector<double> x(3, 0.0);
  (void)method.step(f, x);
  // sqrt((1 - beta) g^2) = |g| / 2.
  double first = -rate * 2 / (1 + e), second = rate * 3 / (1.5 + e);
  EXPECT_LT(std::abs(x[0] - first), 8 * eps);
  EXPECT_LT(std::abs(x[1] - second), 8 * eps);
  EXPECT_EQ(x[2], 0);
  (void)method.step(f, x);
  // A constant gradient: s = (1 - beta^2) g^2.
  const double root = std::sqrt(1 - beta * beta);
  first -= rate * 2 / (2 * root + e);
  second += rate * 3 / (3 * root + e);
  EXPECT_LT(std::abs(x[0] - first), 8 * eps);
  EXPECT_LT(std::abs(x[1] - second), 8 * eps);
}

TEST(Adam, FollowsAReferenceWithTheMomentsWrittenAsSums) {
  const double rate = 0.01, b1 = 0.9, b2 = 0.99, e = 1e-6;
  FunctionObjective f(5, coupled);
  Adam method({.learning_rate = rate, .beta1 = b1, .beta2 = b2, .epsilon = e});
  std::vector<double> x{1, -1, 2, 0.5, 3}, y = x, g(5);
  std::vector<std::vector<double>> all;
  for (int t = 1; t <= 50; ++t) {
    (void)coupled(y, g);
    all.push_back(g);
    for (std::size_t i = 0; i < 5; ++i) {
      long double m = 0, v = 0;
      for (int k = 1; k <= t; ++k) {
        const long double past = all[static_cast<std::size_t>(k - 1)][i];
        m += (1 - b1) * std::pow(static_cast<long double>(b1), t - k) * past;
        v += (1 - b2) * std::pow(static_cast<long double>(b2), t - k) * past * past;
      }
      const long double mean = m / (1 - std::pow(static_cast<long double>(b1), t));
      const long double square = v / (1 - std::pow(static_cast<long double>(b2), t));
      y[i] -= static_cast<double>(rate * mean / (std::sqrt(square) + e));
    }
    (void)method.step(f, x);
    // 1 - b2^t loses two digits in steps of 0.01; errors add up over 50 steps.
    for (std::size_t i = 0; i < 5; ++i) ASSERT_LT(std::abs(x[i] - y[i]), 200 * eps) << t;
  }
}

TEST(Adam, ClippingShortensTheGradientFirst) {
  FunctionObjective f(5, coupled);
  FunctionObjective shortened(5, [](std::span<const double> x, std::span<double> g) {
    const double value = coupled(x, g);
    double square = 0;
    for (const double e : g) square += e * e;
    for (double& e : g) e *= std::min(1.0, 0.5 / std::sqrt(square));
    return value;
  });
  Adam method({.learning_rate = 0.05, .clip_norm = 0.5}), adam({.learning_rate = 0.05});
  std::vector<double> x{1, -1, 2, 0.5, 3}, y = x;
  for (int k = 0; k < 30; ++k) {
    (void)adam.step(shortened, y);
    (void)method.step(f, x);
    // The norms are added in different orders; Adam divides them out again.
    for (std::size_t i = 0; i < 5; ++i) ASSERT_LT(std::abs(x[i] - y[i]), 200 * eps) << k;
  }
}

TEST(AdamW, TheDecayIsAFactorOnEveryEntryWhateverItsGradient) {
  auto f = slope();
  const double rate = 0.25, decay = 0.5;  // kept: 7/8, exact
  AdamW method({.learning_rate = rate, .weight_decay = decay});
  Adam adam({.learning_rate = rate});
  std::vector<double> x{8, -8, 16}, y = x;
  double kept = 16;
  for (int k = 0; k < 5; ++k) {
    const std::vector<double> before_x = x, before_y = y;
    (void)method.step(f, x);
    (void)adam.step(f, y);
    kept *= 0.875;
    EXPECT_EQ(x[2], kept);  // no gradient: the decay alone, exact
    for (std::size_t i = 0; i < 2; ++i) {
      // The moments of a constant gradient are those of Adam: the moves agree.
      EXPECT_LT(std::abs((x[i] - 0.875 * before_x[i]) - (y[i] - before_y[i])), 8 * 16 * eps);
    }
  }
  AdamW none({.learning_rate = rate, .weight_decay = 0});
  Adam again({.learning_rate = rate});
  x = y = {8, -8, 16};
  for (int k = 0; k < 5; ++k) {
    (void)none.step(f, x);
    (void)again.step(f, y);
    EXPECT_EQ(x, y);
  }
}

TEST(AdamW, TheRateOfTheScheduleScalesTheDecayToo) {
  auto f = slope();
  AdamW method({.learning_rate = 0.5, .weight_decay = 0.5},
               {.shape = ScheduleShape::step, .steps = 1, .drop_factor = 0.5});
  std::vector<double> x{0, 0, 1};
  (void)method.step(f, x);
  EXPECT_EQ(x[2], 0.75);
  (void)method.step(f, x);
  EXPECT_EQ(x[2], 0.75 * 0.875);
}

}  // namespace
}  // namespace cauchy::test_first_order_methods
