#include <gtest/gtest.h>

#include <cauchy/report/ticks.hpp>
#include <cmath>
#include <limits>

namespace cauchy::test_plot_ticks {
namespace {

using Labels = std::vector<std::string>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

void expect_values(const std::vector<double>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)  // an integer times a rounded step: two roundings
    EXPECT_NEAR(values[i], expected[i], 4e-16 * std::abs(expected[i])) << i;
}

TEST(PlotTicks, StepsAreOneTwoOrFiveTimesAPowerOfTen) {
  expect_values(linear_ticks({0, 1}, 10).major, {0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1});
  expect_values(linear_ticks({0, 1}, 5).major, {0, .2, .4, .6, .8, 1});
  expect_values(linear_ticks({0, 1}, 4).major, {0, .5, 1});
  expect_values(linear_ticks({-1.04, 1.04}, 6).major, {-1, -.5, 0, .5, 1});
  expect_values(linear_ticks({3, 97}, 5).major, {20, 40, 60, 80});
  expect_values(linear_ticks({0, 4.2e-7}, 5).major, {0, 1e-7, 2e-7, 3e-7, 4e-7});
}

TEST(PlotTicks, MinorMarksDivideTheStepsAndSkipTheMajorOnes) {
  const Ticks by_five = linear_ticks({0, 1}, 4);
  expect_values(by_five.minor, {.1, .2, .3, .4, .6, .7, .8, .9});
  expect_values(linear_ticks({0, 4}, 2).minor, {.5, 1, 1.5, 2.5, 3, 3.5});
}

TEST(PlotTicks, NumberOfTicksStaysWithinItsBounds) {
  for (double high = 1; high < 10; high += 0.037) {
    for (int count = 2; count <= 10; ++count) {
      const auto n = linear_ticks({-0.3, high}, count).major.size();
      EXPECT_LE(n, static_cast<std::size_t>(count) + 1);
      EXPECT_GE(n, static_cast<std::size_t>(count) / 3);  // a step grows at most by 2.5
    }
  }
}

TEST(PlotTicks, LabelsHaveNoNoiseAndNoTrailingZeros) {
  EXPECT_EQ(linear_ticks({0, 1}, 5).labels, (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(linear_ticks({-0.3, 0.3}, 6).labels,
            (Labels{"−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(linear_ticks({0, 20000}, 2).labels, (Labels{"0", "10000", "20000"}));
  EXPECT_EQ(linear_ticks({1000, 1001}, 2).labels, (Labels{"1000", "1000.5", "1001"}));
}

TEST(PlotTicks, TinyAndHugeNumbersAreScientific) {
  EXPECT_EQ(linear_ticks({0, 2e-5}, 4).labels,
            (Labels{"0", "5×10⁻⁶", "10⁻⁵", "1.5×10⁻⁵", "2×10⁻⁵"}));
  EXPECT_EQ(linear_ticks({-1e6, 1e6}, 4).labels, (Labels{"−10⁶", "−5×10⁵", "0", "5×10⁵", "10⁶"}));
  EXPECT_EQ(tick_labels(std::vector<double>{-2.5e-12}, 5e-13), (Labels{"−2.5×10⁻¹²"}));
}

TEST(PlotTicks, NeighbouringLabelsDifferForAnyRange) {
  for (int exponent = -290; exponent <= 290; exponent += 29) {
    for (const double offset : {0.0, 1.0, 1e6}) {
      const double unit = std::pow(10.0, exponent);
      const Ticks ticks = linear_ticks({offset * unit, (offset + 0.7) * unit}, 5);
      ASSERT_GE(ticks.major.size(), 2u);
      ASSERT_EQ(ticks.labels.size(), ticks.major.size());
      for (std::size_t i = 1; i < ticks.labels.size(); ++i)
        EXPECT_NE(ticks.labels[i], ticks.labels[i - 1]) << exponent << " " << offset;
    }
  }
}

TEST(PlotTicks, LogTicksArePowersOfTen) {
  const Ticks ticks = log_ticks({2e-4, 30}, 10);
  expect_values(ticks.major, {1e-3, 1e-2, 1e-1, 1, 10});
  EXPECT_EQ(ticks.labels, (Labels{"10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹"}));
  EXPECT_EQ(ticks.minor.size(), 8u + 4 * 8 + 2);  // 2..9e-4, four decades, 20 and 30
}

TEST(PlotTicks, ManyDecadesAreThinnedOnMultiplesOfTheStride) {
  const Ticks ticks = log_ticks({1e-8, 1}, 4);
  EXPECT_EQ(ticks.labels, (Labels{"10⁻⁶", "10⁻³", "10⁰"}));
  EXPECT_EQ(ticks.minor.size(), 6u);  // the left-out powers
}

TEST(PlotTicks, LogTicksWithinADecadeFallBackToRoundNumbers) {
  EXPECT_EQ(log_ticks({0.03, 0.7}, 5).labels, (Labels{"0.05", "0.1", "0.2", "0.5"}));
  EXPECT_EQ(log_ticks({2.1, 4.1}, 4).labels, (Labels{"2.5", "3", "3.5", "4"}));
}

TEST(PlotTicks, SingleValuesAreWidened) {
  const auto expect = [](Limits got, double low, double high) {
    EXPECT_NEAR(got.low, low, 1e-15 * std::abs(low));
    EXPECT_NEAR(got.high, high, 1e-15 * std::abs(high));
  };
  expect(widened({5, 5}, AxisScale::linear), 4.5, 5.5);
  expect(widened({-5, -5}, AxisScale::linear), -5.5, -4.5);
  expect(widened({0, 0}, AxisScale::linear), -1, 1);
  expect(widened({3, 1}, AxisScale::linear), 1, 3);
  expect(widened({6, 6}, AxisScale::log), 2, 18);
  expect(widened({-1, 10}, AxisScale::log), 0.01, 10);
  expect(widened({-2, -1}, AxisScale::log), 0.1, 1);
  expect(widened({nan, 1}, AxisScale::linear), 0, 1);
  expect(widened({0, inf}, AxisScale::linear), 0, 1);
}

TEST(PlotTicks, LimitsSkipWhatCannotBeShown) {
  const std::vector<double> values{nan, 3, -2, inf, 0, -inf, 7};
  const Limits linear = limits_of(values, AxisScale::linear);
  EXPECT_EQ(linear.low, -2);
  EXPECT_EQ(linear.high, 7);
  const Limits log = limits_of(values, AxisScale::log);
  EXPECT_EQ(log.low, 3);
  EXPECT_EQ(log.high, 7);
  const Limits none = limits_of({}, AxisScale::linear);
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 1);
  EXPECT_EQ(limits_of(std::vector<double>{-1, 0}, AxisScale::log).low, 0.1);
}

TEST(PlotTicks, ExtremeLimitsNeitherHangNorOverflow) {
  constexpr double big = std::numeric_limits<double>::max();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  for (const Limits& limits :
       {Limits{-big, big}, Limits{0, tiny}, Limits{tiny, big}, Limits{nan, nan},
        Limits{1, 1 + 1e-16}, Limits{-inf, inf}, Limits{big, big}}) {
    for (const int count : {-1, 0, 1, 10}) {
      EXPECT_LT(linear_ticks(limits, count).major.size(), 20u);
      EXPECT_LT(log_ticks(limits, count).major.size(), 20u);
    }
  }
}

}  // namespace
}  // namespace cauchy::test_plot_ticks
