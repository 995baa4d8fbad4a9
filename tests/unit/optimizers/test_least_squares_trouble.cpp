#include <gtest/gtest.h>

#include <cauchy/optimizers/gauss_newton.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/natural_gradient.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "optimizers/linear_model.hpp"
#include "support/least_squares_problems.hpp"

// Least-squares methods where trials fail: what they do next, and what they remember.

namespace cauchy::test_least_squares_trouble {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double nan = std::nan("");
using minimization::Residuals;
using Span = std::span<const double>;

std::unique_ptr<Optimizer> method_of(std::size_t k, const StepEquations& equations) {
  if (k == 0) return std::make_unique<GaussNewton>(GaussNewtonOptions{.equations = equations});
  if (k == 1) {
    LevenbergMarquardtOptions lm;
    lm.acceleration = false;
    lm.equations = equations;
    return std::make_unique<LevenbergMarquardt>(lm);
  }
  return std::make_unique<NaturalGradient>(NaturalGradientOptions{.equations = equations});
}

TEST(LeastSquaresMethods, AJacobianThatIsNotFiniteShortensTheStep) {
  // r = x^2 - 1 from 1/2: the undamped step leads to 1.25, which is lower, into a hole where only J
  // is NaN. A quarter of the step, or more damping, goes on to the minimum at 1.
  for (const StepSpace space : {StepSpace::automatic, StepSpace::matrix_free}) {
    for (std::size_t k = 0; k < 3; ++k) {
      int holes = 0;
      Residuals f(1, 1, [&](Span x, std::span<double> r, std::span<double> j) {
        r[0] = x[0] * x[0] - 1;
        if (j.empty()) return;
        j[0] = 2 * x[0];
        if (x[0] < 1.2 || x[0] > 1.3) return;
        ++holes;
        j[0] = nan;
      });
      const auto method = method_of(k, {.space = space});
      std::vector<double> x{0.5};
      const auto first = method->step(f, x);
      EXPECT_EQ(first.status, StepStatus::progress) << method->name();
      EXPECT_GE(holes, 1) << method->name();
      EXPECT_NE(x[0], 0.5);
      EXPECT_LT(std::abs(first.value - f.value(x)), 4 * eps);
      const auto r = minimize(*method, f, x, {.target_value = 1e-20, .max_iterations = 50});
      EXPECT_LT(r.value, 1e-20) << method->name() << ' ' << to_string(r.status);
      EXPECT_LT(std::abs(x[0] - 1), 1e-9);
    }
  }
}

TEST(LeastSquaresMethods, AJacobianThatIsFiniteAtTheStartAloneLeavesItThere) {
  for (std::size_t k = 0; k < 3; ++k) {
    Residuals f(1, 1, [&](Span x, std::span<double> r, std::span<double> j) {
      r[0] = x[0] * x[0] - 1;
      if (!j.empty()) j[0] = x[0] == 0.5 ? 1 : nan;
    });
    const auto method = method_of(k, {});
    std::vector<double> x{0.5};
    for (int i = 0; i < 2; ++i) {  // the second step starts from what the first one left behind
      const auto r = method->step(f, x);
      EXPECT_EQ(r.status, StepStatus::not_finite) << method->name();
      EXPECT_EQ(x[0], 0.5);
      EXPECT_EQ(r.value, 0.5625);
      EXPECT_EQ(r.gradient_norm, 1.5);
    }
  }
}

TEST(MatrixFree, AccuracyFollowsTheGradientWithinItsBounds) {
  using detail::forcing_term;
  EXPECT_EQ(forcing_term(3, 0), 0.1);  // no last step
  EXPECT_LT(std::abs(forcing_term(1, 5) - 0.9 / 25), 4 * eps);
  EXPECT_EQ(forcing_term(1, 2), 0.1);
  EXPECT_EQ(forcing_term(1e-9, 1), 1e-8);
}

TEST(LevenbergMarquardt, ForgetsTheDampingOfAStepThatDidNotMove) {
  // Every trial is higher, until the predicted decrease drowns in rounding: stalled. Then the
  // objective changes to what its Jacobian says.
  for (const DampingRule rule : {DampingRule::gain_ratio, DampingRule::delayed}) {
    bool honest = false;
    Residuals f(1, 1, [&](Span x, std::span<double> r, std::span<double> j) {
      r[0] = honest || x[0] == 0 ? 1 + x[0] : 2;
      if (!j.empty()) j[0] = 1;
    });
    LevenbergMarquardt lm({.rule = rule, .acceleration = false, .max_rejected = 1000});
    std::vector<double> x{0};
    const auto stuck = lm.step(f, x);
    EXPECT_EQ(stuck.status, StepStatus::stalled) << to_string(rule);
    EXPECT_GT(stuck.evaluations, 5u);
    EXPECT_EQ(lm.damping(), 0);
    honest = true;
    lm.objective_changed();
    (void)lm.step(f, x);
    // d = -1 / (1 + mu) with mu = 1e-3.
    EXPECT_LT(std::abs(x[0] + 1 / 1.001), 4 * eps) << to_string(rule);
  }
}

TEST(LevenbergMarquardt, MarquardtScalingDoesNotDependOnTheUnitsOfTheParameters) {
  // Parameters in units of powers of two, for which every product is exact: the same bits.
  for (const bool acceleration : {false, true}) {
    const double unit[] = {1.0 / 1024, 64};
    Residuals f(2, 2, minimization::rosenbrock_residuals);
    Residuals g(2, 2, [&](Span y, std::span<double> r, std::span<double> j) {
      const double x[] = {y[0] * unit[0], y[1] * unit[1]};
      minimization::rosenbrock_residuals(x, r, j);
      for (std::size_t i = 0; i < j.size(); ++i) j[i] *= unit[i % 2];
    });
    const LevenbergMarquardtOptions options{.scale = DampingScale::marquardt,
                                            .acceleration = acceleration};
    LevenbergMarquardt a(options), b(options);
    std::vector<double> x{-1.2, 1}, y{x[0] / unit[0], x[1] / unit[1]};
    for (int k = 0; k < 12; ++k) {
      const auto in_x = a.step(f, x), in_y = b.step(g, y);
      ASSERT_EQ(in_x.evaluations, in_y.evaluations) << k << acceleration;
      for (std::size_t i = 0; i < 2; ++i) ASSERT_EQ(x[i], y[i] * unit[i]) << k << acceleration;
    }
  }
}

}  // namespace
}  // namespace cauchy::test_least_squares_trouble
