#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/ode.hpp>

#include "support/allocation_counter.hpp"

namespace cauchy::test_ode {
namespace {

using View = std::span<const double>;

void oscillator(double, View y, std::span<double> dy) {
  dy[0] = y[1];
  dy[1] = -y[0];
}

class Pairs : public ::testing::TestWithParam<OdePair> {};
INSTANTIATE_TEST_SUITE_P(Ode, Pairs, ::testing::Values(OdePair::dopri5, OdePair::dop853),
                         [](const auto& p) {
                           return p.param == OdePair::dopri5 ? "dopri5" : "dop853";
                         });

TEST_P(Pairs, ErrorsFollowTheTolerance) {
  const std::vector<double> y0 = {1, 0};
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const OdeResult r = integrate_ode(
        oscillator, 0, y0, 20, {.pair = GetParam(), .relative = tolerance, .absolute = tolerance});
    ASSERT_EQ(r.status, OdeStatus::finished);
    EXPECT_EQ(r.t, 20);
    const double error = std::hypot(r.y[0] - std::cos(20.0), r.y[1] + std::sin(20.0));
    EXPECT_LT(error, 50 * tolerance);
    EXPECT_GT(error, 1e-4 * tolerance);
  }
}

TEST_P(Pairs, BackwardsComesHome) {
  const std::vector<double> y0 = {0.3, -0.8};
  const OdeOptions options{.pair = GetParam(), .relative = 1e-10, .absolute = 1e-10};
  const OdeResult there = integrate_ode(oscillator, 0, y0, 5, options);
  const OdeResult back = integrate_ode(oscillator, 5, there.y, 0, options);
  EXPECT_NEAR(back.y[0], 0.3, 1e-8);
  EXPECT_NEAR(back.y[1], -0.8, 1e-8);
}

TEST_P(Pairs, TheCurveIsAsAccurateAsTheStepsAndKnowsItsSlope) {
  const std::vector<double> y0 = {1, 0};
  for (const double end : {8.0, -8.0}) {
    const OdeResult r =
        integrate_ode(oscillator, 0, y0, end,
                      {.pair = GetParam(), .relative = 1e-9, .absolute = 1e-9, .curve = true});
    ASSERT_EQ(r.curve.n_steps(), r.steps);
    EXPECT_EQ(r.curve.knots().front(), 0);
    EXPECT_EQ(r.curve.knots().back(), end);
    std::vector<double> y(2), dy(2);
    for (int i = 0; i <= 100; ++i) {
      const double t = end * i / 100;
      r.curve.value(t, y);
      r.curve.derivative(t, dy);
      EXPECT_NEAR(y[0], std::cos(t), 2e-7);
      EXPECT_NEAR(dy[0], -std::sin(t), 2e-6);
      EXPECT_NEAR(dy[1], -std::cos(t), 2e-6);
    }
  }
}

TEST_P(Pairs, EventsAreFoundInOrderAndByDirection) {
  const std::vector<double> y0 = {1, 0};
  const std::vector<OdeEvent> events = {
      {.value = [](double, View y) { return y[0]; }},
      {.value = [](double, View y) { return y[0]; }, .direction = 1},
      {.value = [](double, View y) { return y[1]; }}};  // zero at the start: does not count
  const OdeResult r = integrate_ode(
      oscillator, 0, y0, 7, {.pair = GetParam(), .relative = 1e-11, .absolute = 1e-11}, events);
  const double pi = std::numbers::pi;
  const std::vector<std::pair<std::size_t, double>> expected = {
      {0, pi / 2}, {2, pi}, {0, 3 * pi / 2}, {1, 3 * pi / 2}, {2, 2 * pi}};
  ASSERT_EQ(r.crossings.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(r.crossings[k].event, expected[k].first) << k;
    EXPECT_NEAR(r.crossings[k].t, expected[k].second, 1e-8) << k;
    EXPECT_NEAR(r.crossings[k].y[0], std::cos(expected[k].second), 1e-8) << k;
  }
}

TEST_P(Pairs, ATerminalEventEndsTheCurveThere) {  // a ball thrown upwards lands at t = 2
  const auto fall = [](double, View y, std::span<double> dy) {
    dy[0] = y[1];
    dy[1] = -1;
  };
  const std::vector<double> y0 = {0, 1};
  const std::vector<OdeEvent> events = {
      {.value = [](double, View y) { return y[0]; }, .direction = -1, .terminal = true}};
  const OdeResult r = integrate_ode(fall, 0, y0, 100, {.pair = GetParam(), .curve = true}, events);
  EXPECT_EQ(r.status, OdeStatus::event);
  EXPECT_EQ(r.trouble, "");
  EXPECT_NEAR(r.t, 2, 1e-12);
  EXPECT_NEAR(r.y[1], -1, 1e-12);
  EXPECT_EQ(r.curve.knots().back(), r.t);
}

TEST_P(Pairs, ABlowUpIsAStatusWithItsTime) {
  const auto square = [](double, View y, std::span<double> dy) { dy[0] = y[0] * y[0]; };
  const std::vector<double> y0 = {1};
  const OdeResult r = integrate_ode(square, 0, y0, 2, {.pair = GetParam()});
  EXPECT_TRUE(r.status == OdeStatus::step_too_small || r.status == OdeStatus::not_finite);
  EXPECT_NEAR(r.t, 1, 1e-4);
  EXPECT_NE(r.trouble.find("t = 1"), std::string::npos) << r.trouble;
  EXPECT_LT(r.steps, 3000u);
}

TEST_P(Pairs, StiffnessIsSeen) {  // van der Pol's equation on its slow branch, mu = 1000
  const auto van_der_pol = [](double, View y, std::span<double> dy) {
    dy[0] = y[1];
    dy[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
  };
  const std::vector<double> y0 = {2, 0};
  const OdeResult seen =
      integrate_ode(van_der_pol, 0, y0, 100, {.pair = GetParam(), .stop_when_stiff = true});
  EXPECT_EQ(seen.status, OdeStatus::stiff);
  EXPECT_LT(seen.steps, 200u);
  const OdeResult limited =
      integrate_ode(van_der_pol, 0, y0, 1e6, {.pair = GetParam(), .max_steps = 500});
  EXPECT_EQ(limited.status, OdeStatus::too_many_steps);
  EXPECT_TRUE(limited.stiff);
  EXPECT_NE(limited.trouble.find("stiff"), std::string::npos) << limited.trouble;
  const std::vector<double> mild = {1, 0};
  EXPECT_FALSE(integrate_ode(oscillator, 0, mild, 100, {.pair = GetParam()}).stiff);
}

TEST_P(Pairs, ValuesThatAreNotFiniteAreAStatus) {
  const auto root = [](double, View y, std::span<double> dy) { dy[0] = -std::sqrt(y[0]); };
  const std::vector<double> y0 = {1}, bad = {-1};  // y = (1 - t/2)^2 until t = 2
  const OdeResult r = integrate_ode(
      [](double t, View, std::span<double> dy) {
        dy[0] = t > 1 ? std::numeric_limits<double>::quiet_NaN() : 1;
      },
      0, y0, 3, {.pair = GetParam()});
  EXPECT_EQ(r.status, OdeStatus::not_finite);
  EXPECT_NEAR(r.t, 1, 1e-6);
  EXPECT_EQ(integrate_ode(root, 0, bad, 1, {.pair = GetParam()}).status, OdeStatus::not_finite);
}

TEST_P(Pairs, NothingIsAllocatedPerStep) {
  const std::vector<double> y0 = {1, 0};
  const auto allocations = [&](double end) {
    const AllocationCounter counter;
    const OdeResult r = integrate_ode(oscillator, 0, y0, end, {.pair = GetParam()});
    if (r.status != OdeStatus::finished) ADD_FAILURE() << r.trouble;
    return counter.count();
  };
  EXPECT_EQ(allocations(1), allocations(1000));
}

TEST(Ode, NoTimeIsNoStep) {
  const std::vector<double> y0 = {1, 2};
  const OdeResult r = integrate_ode(oscillator, 3, y0, 3);
  EXPECT_EQ(r.status, OdeStatus::finished);
  EXPECT_EQ(r.y, y0);
  EXPECT_EQ(r.steps, 0u);
}

TEST(Ode, StopsWhenAsked) {
  const std::vector<double> y0 = {1, 0};
  const OdeResult r =
      integrate_ode(oscillator, 0, y0, 100, {.stop = [](double t) { return t > 10; }});
  EXPECT_EQ(r.status, OdeStatus::stopped);
  EXPECT_GT(r.t, 10);
  EXPECT_LT(r.t, 20);
}

TEST(Ode, RefusesWhatMakesNoSense) {
  const std::vector<double> y0 = {1, 0};
  EXPECT_THROW((void)integrate_ode(oscillator, 0, {}, 1), Error);
  EXPECT_THROW((void)integrate_ode(oscillator, 0, y0, NAN), Error);
  EXPECT_THROW((void)integrate_ode(oscillator, 0, y0, 1, {.relative = -1}), Error);
  EXPECT_THROW((void)integrate_ode(oscillator, 0, y0, 1, {.first_step = -1}), Error);
  const std::vector<OdeEvent> empty(1);
  EXPECT_THROW((void)integrate_ode(oscillator, 0, y0, 1, {}, empty), Error);
  std::vector<double> y(2);
  EXPECT_THROW(OdeCurve().value(0, y), Error);
}

}  // namespace
}  // namespace cauchy::test_ode
