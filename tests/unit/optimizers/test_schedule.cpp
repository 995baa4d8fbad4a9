#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/optimizers/schedule.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace cauchy::test_schedule {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(ScheduleShapes, ConstantExponentialAndCosineFollowTheirFormulas) {
  const auto at = [](ScheduleShape shape, std::uint64_t t) {
    return schedule_factor({.shape = shape, .steps = 50, .final_factor = 0.04, .warmup_steps = 10},
                           t);
  };
  for (std::uint64_t t = 0; t < 10; ++t) {
    for (const auto shape : {ScheduleShape::constant, ScheduleShape::exponential,
                             ScheduleShape::cosine, ScheduleShape::step, ScheduleShape::plateau}) {
      EXPECT_EQ(at(shape, t), static_cast<double>(t + 1) / 10);
    }
  }
  // 0.04 = 0.2^2; cos(pi / 3) = 1 / 2, and the cosine stays at its end.
  EXPECT_LT(std::abs(at(ScheduleShape::exponential, 35) - 0.2), 4 * eps);
  EXPECT_LT(std::abs(at(ScheduleShape::cosine, 35) - 0.52), 4 * eps);
  EXPECT_LT(std::abs(at(ScheduleShape::cosine, 60) - 0.04), 4 * eps);
  EXPECT_LT(std::abs(at(ScheduleShape::cosine, 61) - 0.04), 4 * eps);
  EXPECT_EQ(at(ScheduleShape::constant, 61), 1);
}

TEST(ScheduleShapes, StepMultipliesByItsFactorEveryKSteps) {
  const Schedule schedule{
      .shape = ScheduleShape::step, .steps = 3, .warmup_steps = 2, .drop_factor = 0.25};
  // Powers of 1/4 are exact.
  const double expected[] = {0.5, 1, 1, 1, 1, 0.25, 0.25, 0.25, 0.0625, 0.0625, 0.0625, 1.0 / 64};
  std::uint64_t t = 0;
  for (const double factor : expected) EXPECT_EQ(schedule_factor(schedule, t++), factor) << t;
}

TEST(ScheduleShapes, PlateauFollowsAScriptedSequence) {
  const Schedule schedule{
      .shape = ScheduleShape::plateau,
      .warmup_steps = 2,
      .drop_factor = 0.5,
      .plateau = {.patience = 2, .threshold = 0.1, .cooldown = 2, .min_factor = 0.2}};
  struct Step {
    double value, factor;
  };
  const Step script[] = {
      {100, 0.5}, {100, 1},                   // warm-up: not counted
      {10, 1},                                // the reference
      {9.5, 1},   {8.9, 1},                   // not below 9: bad; 8.9: new best
      {8.1, 1},   {8.2, 1},     {8.02, 0.5},  // 8.01 is the mark: the third bad step cuts
      {8.5, 0.5}, {8.5, 0.5},                 // cooldown
      {8.5, 0.5}, {8.5, 0.5},   {8.5, 0.25},  // three bad steps again
      {1, 0.25},  {2, 0.25},                  // cooldown; a best value is still noticed
      {2, 0.25},  {0.95, 0.25}, {0.91, 0.2},  // 0.9 is the mark; the least factor
      {5, 0.2},   {5, 0.2},     {5, 0.2},    {5, 0.2}, {5, 0.2}, {5, 0.2}};
  PlateauState state;
  std::uint64_t t = 0;
  for (const Step& step : script) {
    EXPECT_EQ(schedule_factor(schedule, t, step.value, state), step.factor) << t;
    ++t;
  }
  EXPECT_EQ(state.best, 1);
}

TEST(ScheduleShapes, PlateauMeasuresNegativeValuesDownwards) {
  const Schedule schedule{.shape = ScheduleShape::plateau,
                          .plateau = {.patience = 0, .threshold = 0.5, .min_factor = 1e-9}};
  PlateauState state;
  EXPECT_EQ(schedule_factor(schedule, 0, -2, state), 1);
  // The mark is -2 - 0.5 * 2 = -3.
  EXPECT_EQ(schedule_factor(schedule, 1, -3.5, state), 1);
  EXPECT_EQ(state.best, -3.5);
  EXPECT_EQ(schedule_factor(schedule, 2, -5, state), 0.5);  // the mark is -5.25
  EXPECT_EQ(state.best, -3.5);
}

TEST(ScheduleShapes, AfterAChangeOfTheObjectiveTheNextValueIsTheReference) {
  const Schedule schedule{.shape = ScheduleShape::plateau,
                          .plateau = {.patience = 1, .threshold = 0}};
  PlateauState state;
  EXPECT_EQ(schedule_factor(schedule, 0, 1, state), 1);
  EXPECT_EQ(schedule_factor(schedule, 1, 1, state), 1);
  forget_values(state);
  EXPECT_EQ(schedule_factor(schedule, 2, 50, state), 1);  // not counted
  EXPECT_EQ(schedule_factor(schedule, 3, 49, state), 1);  // better: the count starts again
  EXPECT_EQ(schedule_factor(schedule, 4, 49, state), 1);
  EXPECT_EQ(schedule_factor(schedule, 5, 49, state), 0.5);
}

TEST(ScheduleShapes, PlateauLowersTheRateOfAnOscillatingDescent) {
  // x <- (1 - rate) x with rate 2 goes round for ever; the cut rate 1 reaches 0 in one step.
  FunctionObjective f(1, [](std::span<const double> x, std::span<double> g) {
    if (!g.empty()) g[0] = x[0];
    return x[0] * x[0] / 2;
  });
  GradientDescent method({.learning_rate = 2},
                         {.shape = ScheduleShape::plateau, .plateau = {.patience = 4}});
  std::vector<double> x{3};
  for (int k = 0; k < 5; ++k) {
    (void)method.step(f, x);
    EXPECT_EQ(method.rate(), 2);
    EXPECT_EQ(std::abs(x[0]), 3);
  }
  (void)method.step(f, x);
  EXPECT_EQ(method.rate(), 1);
  EXPECT_EQ(x[0], 0);
}

TEST(ScheduleShapes, AChangeOfTheObjectiveReachesThePlateau) {
  double offset = 0;
  FunctionObjective f(1, [&](std::span<const double> x, std::span<double> g) {
    if (!g.empty()) g[0] = 1;
    return x[0] + offset;
  });
  for (const bool told : {true, false}) {
    offset = 0;
    GradientDescent method({.learning_rate = 1},
                           {.shape = ScheduleShape::plateau, .plateau = {.patience = 1}});
    std::vector<double> x{0};
    for (int k = 0; k < 12; ++k) {
      if (k == 4) {
        offset = 1000;
        if (told) method.objective_changed();
      }
      (void)method.step(f, x);
    }
    EXPECT_EQ(method.rate() == 1, told);  // each value is lower, but for the rise by 1000
  }
}

TEST(ScheduleShapes, RefuseOptionsOutsideTheirRanges) {
  const auto message = [](const Schedule& schedule) -> std::string {
    try {
      check_options(schedule);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  const double nan = std::nan("");
  EXPECT_EQ(message({}), "no error");
  EXPECT_NE(message({.steps = 0}).find("steps must be positive, got 0"), std::string::npos);
  for (const double bad : {0.0, -1.0, 1.5, nan}) {
    EXPECT_NE(message({.final_factor = bad}).find("final_factor must be in (0, 1]"),
              std::string::npos);
    EXPECT_NE(message({.drop_factor = bad}).find("drop_factor must be in (0, 1)"),
              std::string::npos);
    EXPECT_NE(message({.plateau = {.min_factor = bad}}).find("plateau.min_factor must be in"),
              std::string::npos);
  }
  EXPECT_NE(message({.drop_factor = 1}).find("drop_factor"), std::string::npos);
  for (const double bad : {-0.1, 1.0, nan}) {
    EXPECT_NE(message({.plateau = {.threshold = bad}}).find("plateau.threshold must be in [0, 1)"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace cauchy::test_schedule
