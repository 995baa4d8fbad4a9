#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace cauchy::test_adam {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// One step along a given gradient.
void step(Adam& adam, std::vector<double>& theta, const std::vector<double>& gradient) {
  FunctionObjective given(theta.size(), [&](std::span<const double>, std::span<double> g) {
    if (!g.empty()) std::copy(gradient.begin(), gradient.end(), g.begin());
    return 1.0;
  });
  adam.step(given, theta);
}

TEST(Adam, TheFirstStepIsTheRateTimesTheSignOfTheGradient) {
  // m / (1 - b1) = g and v / (1 - b2) = g^2, whatever the betas.
  const AdamOptions options{.learning_rate = 0.1, .beta1 = 0.7, .beta2 = 0.95, .epsilon = 1e-3};
  Adam adam(options);
  const std::vector<double> g{2.0, -3.0, 1e-3};
  std::vector<double> theta{1.0, 5.0, 0.0};
  step(adam, theta, g);
  const double expected[] = {1 - 0.1 * 2 / (2 + 1e-3), 5 + 0.1 * 3 / (3 + 1e-3),
                             -0.1 * 1e-3 / (1e-3 + 1e-3)};
  // A dozen roundings of numbers up to 5.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(theta[i] - expected[i]), 16 * eps * 5);
  EXPECT_EQ(adam.steps(), 1u);
}

TEST(Adam, ThreeStepsFollowTheFormulas) {
  const double rate = 0.02, b1 = 0.9, b2 = 0.999, e = 1e-8;
  const double g1 = 3, g2 = -1, g3 = 0.5;
  const double m1 = (1 - b1) * g1;
  const double m2 = (1 - b1) * (b1 * g1 + g2);
  const double m3 = (1 - b1) * (b1 * b1 * g1 + b1 * g2 + g3);
  const double v1 = (1 - b2) * g1 * g1;
  const double v2 = (1 - b2) * (b2 * g1 * g1 + g2 * g2);
  const double v3 = (1 - b2) * (b2 * b2 * g1 * g1 + b2 * g2 * g2 + g3 * g3);
  double expected = 0.25;
  Adam adam({.learning_rate = rate, .beta1 = b1, .beta2 = b2, .epsilon = e});
  std::vector<double> theta{expected};
  // 1 - b2^t loses three digits (b2 = 0.999): relative errors of eps / 1e-3 in each step of 0.02.
  const double tolerance = 0.02 * 4 * eps / 1e-3;
  step(adam, theta, std::vector<double>{g1});
  expected -= rate * (m1 / (1 - b1)) / (std::sqrt(v1 / (1 - b2)) + e);
  EXPECT_LT(std::abs(theta[0] - expected), tolerance);
  step(adam, theta, std::vector<double>{g2});
  expected -= rate * (m2 / (1 - b1 * b1)) / (std::sqrt(v2 / (1 - b2 * b2)) + e);
  EXPECT_LT(std::abs(theta[0] - expected), tolerance);
  step(adam, theta, std::vector<double>{g3});
  expected -= rate * (m3 / (1 - b1 * b1 * b1)) / (std::sqrt(v3 / (1 - b2 * b2 * b2)) + e);
  EXPECT_LT(std::abs(theta[0] - expected), 3 * tolerance);
  EXPECT_EQ(adam.steps(), 3u);
}

TEST(Adam, BiasCorrectionMakesEveryStepOfAConstantGradientTheRate) {
  const double rate = 1e-3, g = -7, e = 1e-8;
  Adam adam({.learning_rate = rate, .epsilon = e});
  std::vector<double> theta{0.0};
  const std::vector<double> gradient{g};
  for (int t = 1; t <= 1000; ++t) {
    const double before = theta[0];
    step(adam, theta, gradient);
    // The sum for v and 1 - b2^t err by up to t eps / (1 - b2^t), 1e3 eps at most in practice;
    // theta is of size 1.
    ASSERT_LT(std::abs(theta[0] - before - rate * 7 / (7 + e)), rate * 1e4 * eps + 4 * eps) << t;
  }
}

TEST(Adam, ConvergesOnAQuadraticWithConditionTenThousand) {
  const std::vector<double> curvature{1e-2, 1, 100}, minimum{3, -2, 0.5};
  std::vector<double> theta(3, 0.0), gradient(3);
  Adam adam({.learning_rate = 0.1},
            {.shape = ScheduleShape::exponential, .steps = 4000, .final_factor = 1e-6});
  for (int t = 0; t < 4000; ++t) {
    for (std::size_t i = 0; i < 3; ++i) gradient[i] = curvature[i] * (theta[i] - minimum[i]);
    step(adam, theta, gradient);
  }
  // Near the minimum the iterates move by about the rate, which ends at 1e-7.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(theta[i] - minimum[i]), 1e-5) << i;
}

TEST(Adam, AZeroGradientMovesNothing) {
  Adam adam;
  std::vector<double> theta{1.5, -2.5};
  step(adam, theta, std::vector<double>{0.0, 0.0});
  EXPECT_EQ(theta, (std::vector<double>{1.5, -2.5}));
}

TEST(Adam, RefusesOptionsOutsideTheirRanges) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const double bad : {0.0, -1.0, infinity, nan}) {
    EXPECT_THROW(Adam({.learning_rate = bad}), Error) << bad;
    EXPECT_THROW(Adam({.epsilon = bad}), Error) << bad;
  }
  for (const double bad : {-0.1, 1.0, nan}) {
    EXPECT_THROW(Adam({.beta1 = bad}), Error) << bad;
    EXPECT_THROW(Adam({.beta2 = bad}), Error) << bad;
  }
  EXPECT_NO_THROW(Adam({.beta1 = 0, .beta2 = 0}));
}

}  // namespace
}  // namespace cauchy::test_adam
