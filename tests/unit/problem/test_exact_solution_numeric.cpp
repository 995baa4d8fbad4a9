#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/problem/exact_solutions.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/exact_solution_oracle.hpp"

// Solutions by series, roots and matrix exponentials: their equations by differences, and what else
// is known of them.

namespace cauchy::test_exact_solution_numeric {
namespace {

using std::numbers::pi;
using testing::Defect;
using testing::ExactOracle;
using testing::parameter_sets;

void expect_conditions(const std::string& name, double step, double tolerance) {
  const ExactSolution& s = exact_solution(name);
  Rng rng(11);
  for (const std::vector<double>& parameters : parameter_sets(s, 3, rng)) {
    ExactOracle oracle(s, parameters, step);
    for (const ExactCondition& condition : s.conditions) {
      for (int i = 0; i < 10; ++i) {
        const std::vector<double> point = oracle.on(condition.where, rng);
        EXPECT_LT(std::abs(oracle.defect(condition.form, point).residual), tolerance)
            << name << ": " << condition.form << " at " << ::testing::PrintToString(point);
      }
    }
  }
}

void expect_equations(const std::string& name, const std::vector<double>& parameters, double step,
                      double tolerance, double start = 0) {
  const ExactSolution& s = exact_solution(name);
  Rng rng(12);
  ExactOracle oracle(s, parameters, step);
  for (int i = 0; i < 20; ++i) {
    std::vector<double> point = oracle.inside(rng);
    point[0] = std::max(point[0], start);
    for (const std::string& equation : s.equations) {
      const Defect found = oracle.defect(equation, point);
      EXPECT_LT(std::abs(found.residual), tolerance * (1 + found.size))
          << name << ": " << equation << " at " << ::testing::PrintToString(point);
    }
  }
}

// With rates below 5 the differences err by h^8 5^9 / 630 = 8e-11 relative to the solution for
// h = 0.02, and rounding adds 4e-16 / h.
TEST(LinearSystem, SatisfiesItsEquationsInEveryRegime) {
  for (const std::array<double, 4> a : {std::array{-0.5, 2.0, -2.0, -0.5},   // a spiral
                                        std::array{1.0, 2.0, 3.0, -1.0},     // a saddle
                                        std::array{-2.0, 0.0, 0.0, -3.0},    // a node
                                        std::array{0.0, 3.0, -3.0, 0.0},     // a centre
                                        std::array{-1.0, 1.0, 0.0, -1.0},    // one eigenvector
                                        std::array{-1.0, 1.0, 1e-9, -1.0},   // nearly so
                                        std::array{-1.0, 1.0, -1e-9, -1.0},  // on the other side
                                        std::array{0.0, 0.0, 0.0, 0.0}}) {
    expect_equations("linear_system_2x2", {a[0], a[1], a[2], a[3], 0.7, -0.4}, 0.02, 1e-10);
  }
  expect_conditions("linear_system_2x2", 0.02, 1e-15);
}

TEST(DampedOscillator, SatisfiesItsEquationsInEveryRegime) {
  for (const double zeta : {0.0, 0.1, 0.9, 1 - 1e-12, 1.0, 1 + 1e-12, 1.2, 1.5}) {
    expect_equations("damped_oscillator", {1.6, zeta, 1.0, -0.5}, 0.02, 1e-10);
  }
  expect_conditions("damped_oscillator", 0.02, 1e-15);
}

TEST(DampedOscillator, IsContinuousAtTheCriticalDamping) {
  const ExactSolution& s = exact_solution("damped_oscillator");
  const double omega = 1.5, u0 = 1.0, v0 = 0.3;
  for (const double t : {0.1, 1.0, 5.0}) {
    const double expected = std::exp(-omega * t) * (u0 + (v0 + omega * u0) * t);
    for (const double zeta : {1 - 1e-13, 1.0, 1 + 1e-13}) {
      const std::vector<double> parameters{omega, zeta, u0, v0}, point{t};
      // The solution depends smoothly on zeta, with a slope below 20 here.
      EXPECT_LT(std::abs(s.evaluate(point, parameters)[0] - expected), 2e-12);
    }
  }
}

TEST(DampedOscillator, DoesNotOverflowWhenHeavilyDamped) {
  // With zeta = 1000 the slow rate is omega / (zeta + sqrt(zeta^2 - 1)) = 5.0000e-4 omega.
  const std::vector<double> parameters{1.0, 1000.0, 1.0, 0.0}, point{1000.0};
  const double root = std::sqrt(1e6 - 1);
  const double expected =
      (1000 + root) / (2 * root) * std::exp(-1000.0 / (1000 + root));  // the fast part is gone
  EXPECT_LT(std::abs(exact_solution("damped_oscillator").evaluate(point, parameters)[0] - expected),
            1e-9);  // the slow rate as a difference of numbers of size 1000, times t
}

TEST(BurgersColeHopfEntry, EqualsTheFunctionAndHoldsItsConditions) {
  const ExactSolution& s = exact_solution("burgers_cole_hopf");
  const double nu = 0.01 / pi;
  const std::vector<double> point{0.5, 0.05};
  EXPECT_EQ(s.default_parameters(), std::vector<double>{nu});
  EXPECT_EQ(s.evaluate(point)[0], burgers_cole_hopf(0.5, 0.05, nu));
  expect_conditions("burgers_cole_hopf", 0, 1e-12);
  // As derived for the function: length of the shock 2 nu, step nu / 20.
  expect_equations("burgers_cole_hopf", {0.03}, 0.03 / 20,
                   (3e-13 + 2800 * 2.2e-16 * (4 + 1 / 0.12)) / 0.03, 0.05);
}

// ---- Strings

TEST(RobinRoots, AreTheKnownOnes) {
  const std::vector<double> one = robin_roots(1, 5), tenth = robin_roots(0.1, 3);
  // findroot with 30 digits (mpmath)
  const std::array expected_one{2.0287578381104342236, 4.9131804394348836888, 7.9786657124132407552,
                                11.085538406497022543, 14.20743672519118836};
  const std::array expected_tenth{2.8627725875152072854, 5.760557932709097325,
                                  8.708313830875857619};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LT(std::abs(one[i] - expected_one[i]), 4e-15);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(tenth[i] - expected_tenth[i]), 4e-15);
}

TEST(RobinRoots, SolveTheirEquationOnePerBracket) {
  for (const double alpha : {1e-300, 1e-8, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e8, 1e300}) {
    const std::vector<double> roots = robin_roots(alpha, 1000);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const double y = roots[i], n = static_cast<double>(i + 1);
      EXPECT_GE(y, (n - 0.5) * pi * (1 - 2e-16));  // the product is rounded too
      EXPECT_LE(y, n * pi);
      // Divided by the size of its derivative, 1 + alpha + alpha y, the error is that of y and of
      // the reduction of y by pi: a few units of rounding of y.
      const double f = std::sin(y) + alpha * y * std::cos(y);
      EXPECT_LT(std::abs(f) / (1 + alpha + alpha * y), 4e-16 * y) << alpha << " " << n;
    }
  }
}

TEST(RobinRoots, HaveTheRightLimits) {
  const std::vector<double> fixed = robin_roots(0, 50), loose = robin_roots(1e15, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    const double n = static_cast<double>(i + 1);
    EXPECT_EQ(fixed[i], n * pi);
    EXPECT_LT(std::abs(loose[i] - (n - 0.5) * pi), 1e-14 * n);
  }
}

TEST(RobinRoots, RefuseWhatIsNotAString) {
  for (const double bad : {-1e-9, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW((void)robin_roots(bad, 3), Error) << bad;
  }
  EXPECT_TRUE(robin_roots(1, 0).empty());
}

TEST(RobinRoots, GiveOrthogonalEigenfunctions) {
  const std::vector<double> y = robin_roots(0.7, 8);
  const Rule rule = scaled(gauss_legendre(60), 0, 1);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double found =
          rule.integrate([&](double x) { return std::sin(y[i] * x) * std::sin(y[j] * x); });
      const double expected = i == j ? 0.5 - std::sin(2 * y[i]) / (4 * y[i]) : 0;
      EXPECT_LT(std::abs(found - expected), 1e-14) << i << " " << j;
    }
  }
}

// Solutions of the wave equation are those for which the sums over opposite corners of every
// parallelogram of characteristics agree: no derivative is needed, and kinks are allowed.
TEST(Strings, SatisfyTheWaveEquationOnParallelograms) {
  Rng rng(13);
  for (const std::string name : {"string_dirichlet", "string_robin", "string_triangle"}) {
    const ExactSolution& s = exact_solution(name);
    for (const std::vector<double>& parameters : parameter_sets(s, 3, rng)) {
      const ExactOracle oracle(s, parameters);
      const double c = parameters[0];
      for (int i = 0; i < 50; ++i) {
        const double x = rng.uniform(0.1, 0.9), t = rng.uniform(0.2, 2.0);
        const double k = rng.uniform(0, 0.1) / c;
        const double defect = oracle.values({t + k, x})[0] + oracle.values({t - k, x})[0] -
                              oracle.values({t, x + c * k})[0] - oracle.values({t, x - c * k})[0];
        EXPECT_LT(std::abs(defect), 2e-13) << name;
      }
    }
  }
}

// The bump has wave numbers up to about 60 (1e-7 of the largest) and mostly below 20: first
// differences err by h^8 20^9 / 630 = 2e-11 for h = 2e-3, and by 4e-16 / h from rounding.
TEST(Strings, HoldTheirConditions) {
  expect_conditions("string_dirichlet", 2e-3, 1e-10);
  expect_conditions("string_robin", 2e-3, 1e-10);
  expect_conditions("string_triangle", 2e-3, 1e-14);
}

TEST(Strings, AreAtRestAtTheStartEvenUnderTheFiniteSpeedOfWaves) {
  // u_t = 0 at the start means that u is even in time.
  for (const std::string name : {"string_dirichlet", "string_robin", "string_triangle"}) {
    const ExactOracle oracle(exact_solution(name), exact_solution(name).default_parameters());
    for (const double x : {0.2, 0.5, 0.9}) {
      for (const double t : {0.01, 0.3, 1.7}) {
        EXPECT_LT(std::abs(oracle.values({t, x})[0] - oracle.values({-t, x})[0]), 1e-15);
      }
    }
  }
}

double bump(double x) {  // odd extension of period 2
  const double y = x - 2 * std::round(x / 2);
  return std::copysign(std::pow(4 * std::abs(y) * (1 - std::abs(y)), 8), y);
}

TEST(StringDirichlet, AgreesWithDAlembert) {
  Rng rng(14);
  const ExactOracle oracle(exact_solution("string_dirichlet"), {1.3});
  for (int i = 0; i < 200; ++i) {
    const double t = rng.uniform(0, 2), x = rng.uniform(0, 1);
    const double expected = (bump(x - 1.3 * t) + bump(x + 1.3 * t)) / 2;
    EXPECT_LT(std::abs(oracle.values({t, x})[0] - expected), 2e-13);
  }
}

TEST(StringRobin, TendsToTheFixedEndAndTheFreeEnd) {
  Rng rng(15);
  const ExactSolution& s = exact_solution("string_robin");
  const ExactOracle fixed(s, {1.0, 0.0}), nearly_fixed(s, {1.0, 1e-12}),
      nearly_free(s, {1.0, 1e12});
  const ExactOracle dirichlet(exact_solution("string_dirichlet"), {1.0});
  for (int i = 0; i < 50; ++i) {
    const double t = rng.uniform(0, 2), x = rng.uniform(0, 1);
    EXPECT_EQ(fixed.values({t, x})[0], dirichlet.values({t, x})[0]);
    // The answer to a small alpha is alpha times slopes below 100.
    EXPECT_LT(std::abs(nearly_fixed.values({t, x})[0] - fixed.values({t, x})[0]), 1e-10);
    // A free end reflects with the same sign: the bump is mirrored at x = 1.
    const auto mirrored = [](double y) {
      const double z = y - 4 * std::round(y / 4);  // period 4, odd, symmetric about 1
      return std::copysign(bump(std::abs(z) <= 1 ? std::abs(z) : 2 - std::abs(z)), z);
    };
    const double expected = (mirrored(x - t) + mirrored(x + t)) / 2;
    EXPECT_LT(std::abs(nearly_free.values({t, x})[0] - expected), 1e-10);
  }
}

TEST(StringRobin, KeepsItsEnergyWithThatOfTheLooseEnd) {
  // int (u_t^2 + c^2 u_x^2) / 2 + c^2 u(1)^2 / (2 alpha) is constant.
  const double alpha = 0.6, c = 1.0;
  ExactOracle oracle(exact_solution("string_robin"), {c, alpha}, 2e-3);
  const Rule rule = scaled(gauss_legendre(60), 0, 1);
  const auto energy = [&](double t) {
    const double inside = rule.integrate([&](double x) {
      const double u_t = oracle.derivative(field_derivative("u", {{"t", 1}}), {t, x});
      const double u_x = oracle.derivative(field_derivative("u", {{"x", 1}}), {t, x});
      return (u_t * u_t + c * c * u_x * u_x) / 2;
    });
    const double end = oracle.values({t, 1.0})[0];
    return inside + c * c * end * end / (2 * alpha);
  };
  const double start = energy(0);
  EXPECT_GT(start, 1);
  for (const double t : {0.3, 0.5, 0.8, 1.5}) {
    EXPECT_LT(std::abs(energy(t) - start), 1e-9 * start) << t;
  }
}

TEST(StringTriangle, AgreesWithItsSeries) {
  // c_n = 2 h sin(n pi p) / (n^2 pi^2 p (1 - p)); N terms leave at most 2 h / (pi^2 p (1 - p) N).
  const double c = 0.8, p = 0.3, h = 1.5;
  const ExactOracle oracle(exact_solution("string_triangle"), {c, p, h});
  constexpr int n_terms = 20000;
  for (const auto& [t, x] : {std::pair{0.1, 0.2}, {0.7, 0.5}, {1.9, 0.85}}) {
    double sum = 0;
    for (int n = n_terms; n > 0; --n) {
      sum += 2 * h * std::sin(n * pi * p) / (n * n * pi * pi * p * (1 - p)) * std::sin(n * pi * x) *
             std::cos(n * pi * c * t);
    }
    EXPECT_LT(std::abs(oracle.values({t, x})[0] - sum), 2 * h / (pi * pi * p * (1 - p) * n_terms));
  }
}

// ---- Buckley and Leverett

double flux(double u, double m) { return u * u / (u * u + (1 - u) * (1 - u) / m); }

TEST(BuckleyLeverett, HasTheKnownShock) {
  // M = 1: height 1 / sqrt(2), speed (1 + sqrt(2)) / 2.
  const ExactOracle oracle(exact_solution("buckley_leverett"), {1.0});
  const double speed = (1 + std::numbers::sqrt2) / 2, t = 0.4;
  EXPECT_EQ(oracle.values({t, speed * t * (1 + 1e-14)})[0], 0);
  EXPECT_LT(std::abs(oracle.values({t, speed * t * (1 - 1e-14)})[0] - std::sqrt(0.5)), 1e-6);
  EXPECT_LT(std::abs(oracle.values({t, speed * t * 0.5})[0] - 0.8), 0.1);
}

TEST(BuckleyLeverett, SatisfiesTheJumpConditionAndIsAFanBehind) {
  for (const double m : {0.1, 1.0, 2.0, 10.0, 100.0}) {
    const double top = 1 / std::sqrt(1 + m), speed = flux(top, m) / top;
    const ExactOracle oracle(exact_solution("buckley_leverett"), {m});
    const double t = 0.3;
    EXPECT_EQ(oracle.values({t, speed * t + 1e-12})[0], 0);
    EXPECT_GT(oracle.values({t, speed * t - 1e-12})[0], top - 1e-12);
    double last = 1;
    for (int i = 1; i < 50; ++i) {
      const double x = speed * t * i / 50;
      const double u = oracle.values({t, x})[0];
      EXPECT_LT(u, last);
      EXPECT_GT(u, top);
      last = u;
      // f'(u) = x / t, where f' = 2 u (1 - u) / M / (u^2 + (1 - u)^2 / M)^2.
      const double q = u * u + (1 - u) * (1 - u) / m;
      EXPECT_LT(std::abs(2 * u * (1 - u) / m / (q * q) - x / t), 1e-13 * (1 + m * m));
    }
  }
}

TEST(BuckleyLeverett, KeepsTheWaterThatFlowsIn) {
  // f(1) = 1: the volume after the time t is t. The fan is analytic in x up to the shock.
  for (const double m : {0.5, 2.0, 5.0}) {
    const ExactOracle oracle(exact_solution("buckley_leverett"), {m});
    const double top = 1 / std::sqrt(1 + m), front = flux(top, m) / top * 0.3;
    const Rule rule = scaled(gauss_legendre(80), 0, front);
    const double volume = rule.integrate([&](double x) { return oracle.values({0.3, x})[0]; });
    EXPECT_LT(std::abs(volume - 0.3), 1e-12) << m;
  }
}

TEST(BuckleyLeverett, HoldsItsConditions) { expect_conditions("buckley_leverett", 0, 1e-15); }

}  // namespace
}  // namespace cauchy::test_exact_solution_numeric
