#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/optimizers/loss_transform.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/quasi_newton.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/minimization_problems.hpp"

namespace cauchy::test_loss_transform {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
using minimization::extended_rosenbrock;
using minimization::Span;

/// f = k whatever x, with gradient slope.
FunctionObjective constant(double k, double slope) {
  return {1, [=](Span, std::span<double> g) {
            if (!g.empty()) g[0] = slope;
            return k;
          }};
}

TEST(LossTransform, GivesTheValueAndTheGradientOfTheComposition) {
  FunctionObjective f(4, extended_rosenbrock);
  const std::vector<double> x{-1.2, 1, 0.3, -0.7};
  std::vector<double> plain(4), g(4);
  const double loss = f.gradient(x, plain);
  for (const auto t : {LossTransform::none, LossTransform::square_root, LossTransform::logarithm}) {
    TransformedObjective h(f, t);
    ASSERT_EQ(h.size(), 4u);
    const double value = h.gradient(x, g);
    EXPECT_EQ(value, h.value(x));
    EXPECT_EQ(value, h.apply(loss));
    double expected = loss, slope = 1;
    if (t == LossTransform::square_root) {
      expected = std::sqrt(loss);
      slope = 0.5 / expected;
    }
    if (t == LossTransform::logarithm) {
      expected = std::log(loss);
      slope = 1 / loss;
    }
    EXPECT_EQ(value, expected);
    // exp turns an absolute error of eps |log f|, |log f| < 8, into a relative one.
    EXPECT_LT(std::abs(h.invert(value) - loss), 16 * eps * loss);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LT(std::abs(g[i] - slope * plain[i]), 4 * eps * std::abs(plain[i] * slope));
      // And by central differences: h^2 f''' / 6 and eps f / h are below 1e-6 here.
      std::vector<double> up = x, down = x;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      EXPECT_LT(std::abs((h.value(up) - h.value(down)) / 2e-5 - g[i]), 2e-6) << to_string(t);
    }
  }
}

TEST(LossTransform, IsSafeAtTheMinimum) {
  // Even where rounding leaves a gradient that is not zero.
  for (const auto t : {LossTransform::square_root, LossTransform::logarithm}) {
    FunctionObjective f = constant(0, 1e-20);
    TransformedObjective h(f, t);
    std::vector<double> x{2}, g{7};
    const double value = h.gradient(x, g);
    EXPECT_EQ(g[0], 0);
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_EQ(value, h.value(x));
    QuasiNewton method;
    EXPECT_EQ(method.step(h, x).status, StepStatus::converged);
  }
  FunctionObjective f = constant(0, 0);
  const TransformedObjective root(f, LossTransform::square_root), log(f, LossTransform::logarithm);
  EXPECT_EQ(root.apply(0), 0);
  EXPECT_LT(std::abs(log.apply(0) + 744.44007192138122), 1e-9);
  EXPECT_LT(log.apply(0), log.apply(1e-320));
}

TEST(LossTransform, ANegativeLossIsNotANumber) {
  for (const auto t : {LossTransform::square_root, LossTransform::logarithm}) {
    FunctionObjective f = constant(-1e-300, 1);
    TransformedObjective h(f, t);
    std::vector<double> x{2}, g{7};
    EXPECT_TRUE(std::isnan(h.value(x)));
    EXPECT_TRUE(std::isnan(h.gradient(x, g)));
    EXPECT_TRUE(std::isnan(g[0]));
    QuasiNewton method;
    EXPECT_EQ(method.step(h, x).status, StepStatus::not_finite);
    EXPECT_EQ(x[0], 2);
  }
  FunctionObjective f = constant(-3, 1);
  TransformedObjective same(f, LossTransform::none);
  EXPECT_EQ(same.value(std::vector<double>{1}), -3);
}

TEST(LossTransform, PassesOnWhatIsNotFinite) {
  for (const double bad : {infinity, std::nan("")}) {
    for (const auto t : {LossTransform::square_root, LossTransform::logarithm}) {
      FunctionObjective f = constant(bad, 1);
      TransformedObjective h(f, t);
      std::vector<double> x{2}, g{7};
      const double value = h.gradient(x, g);
      EXPECT_EQ(std::isnan(value), std::isnan(bad));
      EXPECT_FALSE(std::isfinite(value));
      EXPECT_TRUE(std::isnan(g[0]));
    }
  }
}

TEST(LossTransform, TheSmallestLossesKeepAFiniteGradient) {
  FunctionObjective f = constant(1e-310, 1e-155);  // 1 / f overflows
  TransformedObjective h(f, LossTransform::logarithm);
  std::vector<double> x{2}, g{7};
  (void)h.gradient(x, g);
  EXPECT_TRUE(std::isfinite(g[0]));
  EXPECT_LT(std::abs(g[0] / 1e155 - 1), 1e-12);  // 1e-310 has 46 bits
}

TEST(LossTransform, MethodsReachTheMinimumOfTheLoss) {
  for (const auto t : {LossTransform::square_root, LossTransform::logarithm}) {
    FunctionObjective f(4, extended_rosenbrock);
    TransformedObjective h(f, t);
    QuasiNewton method;
    std::vector<double> x{-1.2, 1, -1.2, 1};
    const auto r = minimize(method, h, x, {.target_value = h.apply(1e-16), .max_iterations = 500});
    EXPECT_EQ(r.reason, StopReason::target_value) << to_string(t) << " " << to_string(r.status);
    EXPECT_LE(h.invert(r.value), 1.0000001e-16);
    // f >= lambda |x - 1|^2 / 2 with the smallest curvature lambda = 0.4 of each pair.
    for (const double v : x) EXPECT_LT(std::abs(v - 1), 3e-8);
  }
}

TEST(LossTransform, HasNames) {
  EXPECT_EQ(to_string(LossTransform::none), "none");
  EXPECT_EQ(to_string(LossTransform::square_root), "square_root");
  EXPECT_EQ(to_string(LossTransform::logarithm), "logarithm");
  EXPECT_EQ(to_string(static_cast<LossTransform>(9)), "unknown");
}

}  // namespace
}  // namespace cauchy::test_loss_transform
