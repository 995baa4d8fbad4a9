#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

#include "solvers/time/cvode.hpp"

namespace cauchy::detail::test_cvode {
namespace {

/// y' = -c (y - cos t) - sin t with the solution cos t.
StiffSystem stable_curve(double c) {
  return {[c](double t, std::span<const double> y, std::span<double> dy) {
            dy[0] = -c * (y[0] - std::cos(t)) - std::sin(t);
          },
          [c](double, std::span<const double>, Matrix& j) { j = Matrix(1, 1, -c); }};
}

TEST(Cvode, StiffEquationsTakeFewSteps) {
  const TimeResult r = integrate_cvode(stable_curve(1e6), 0, {1}, 10, 1e-7, 1e-9);
  ASSERT_EQ(r.trouble, "");
  EXPECT_EQ(r.times, (std::vector<double>{0, 10}));
  EXPECT_NEAR(r.states[1][0], std::cos(10.0), 1e-6);
  EXPECT_LT(r.steps, 500u);  // an explicit method needs millions
}

TEST(Cvode, SeenStatesAndSlopesFollowTheSolutionInBothDirections) {
  for (const double end : {3.0, -3.0}) {
    std::vector<double> times;
    const auto seen = [&](double t, std::span<const double> y, std::span<const double> dy) {
      EXPECT_NEAR(y[0], std::cos(t), 1e-5);
      EXPECT_NEAR(dy[0], -std::sin(t), 1e-3);
      times.push_back(t);
    };
    const TimeResult r = integrate_cvode(stable_curve(end > 0 ? 10 : -10), 0, {1}, end, 1e-8, 1e-8,
                                         {}, 10'000, seen);
    ASSERT_EQ(r.trouble, "");
    ASSERT_EQ(times.size(), 4 * r.steps + 1);
    EXPECT_EQ(times.front(), 0);
    EXPECT_EQ(times.back(), end);
    for (std::size_t k = 1; k < times.size(); ++k) EXPECT_GT(times[k] * end, times[k - 1] * end);
  }
}

TEST(Cvode, BlowUpLimitsAndStopsAreTold) {
  const StiffSystem square{
      [](double, std::span<const double> y, std::span<double> dy) { dy[0] = y[0] * y[0]; },
      [](double, std::span<const double> y, Matrix& j) { j = Matrix(1, 1, 2 * y[0]); }};
  const TimeResult blown = integrate_cvode(square, 0, {1}, 2, 1e-8, 1e-8);
  EXPECT_NE(blown.trouble.find("too small at t = "), std::string::npos) << blown.trouble;
  EXPECT_NEAR(blown.times.back(), 1, 1e-3);
  EXPECT_LT(blown.steps, 10'000u);
  const TimeResult limited = integrate_cvode(stable_curve(1), 0, {1}, 1e6, 1e-8, 1e-8, {}, 50);
  EXPECT_NE(limited.trouble.find("50 steps"), std::string::npos) << limited.trouble;
  const TimeResult stopped =
      integrate_cvode(stable_curve(1), 0, {1}, 1e6, 1e-8, 1e-8, [](double t) { return t > 1; });
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_THROW((void)integrate_cvode(square, 0, {1}, 1, 0, 0), Error);
}

}  // namespace
}  // namespace cauchy::detail::test_cvode
