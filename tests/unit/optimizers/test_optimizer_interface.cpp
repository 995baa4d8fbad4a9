#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "optimizers/vector_ops.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_optimizer_interface {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");
using Span = std::span<const double>;

/// sum_i c_i (x_i - 1)^2 / 2 with c = 1, 2, ..., n.
double bowl(Span x, std::span<double> g) {
  double f = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double c = static_cast<double>(i + 1), r = x[i] - 1;
    f += c * r * r / 2;
    if (!g.empty()) g[i] = c * r;
  }
  return f;
}

TEST(VectorOps, DotIsThePlainSumUpToRounding) {
  for (const std::size_t n : {0u, 1u, 7u, 8u, 1023u, 1024u, 1025u, 2048u, 5003u}) {
    std::vector<double> x(n), y(n);
    long double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = std::sin(static_cast<double>(i));
      y[i] = std::cos(static_cast<double>(3 * i + 1));
      sum += static_cast<long double>(x[i]) * y[i];
    }
    // At most 128 + 3 + log2(n / 1024) additions in a row, of terms below 1.
    EXPECT_LE(std::abs(detail::dot(x, y) - static_cast<double>(sum)),
              140 * eps * static_cast<double>(n))
        << n;
  }
}

TEST(VectorOps, TheNormNeitherOverflowsNorUnderflows) {
  for (const double scale : {1.0, 1e-200, 1e200, 0x1p-1060}) {
    const double norm = detail::norm(std::vector<double>{3 * scale, -4 * scale});
    EXPECT_LE(std::abs(norm / scale - 5), 20 * eps) << scale;
  }
  EXPECT_EQ(detail::norm(std::vector<double>(3, 0.0)), 0);
  EXPECT_EQ(detail::norm(std::vector<double>{1, -infinity}), infinity);
  EXPECT_TRUE(std::isnan(detail::norm(std::vector<double>{1, nan, infinity})));
}

using Maker = std::function<std::unique_ptr<Optimizer>()>;
std::vector<Maker> makers() {
  return {[] { return std::make_unique<Lbfgs>(LbfgsOptions{.memory = 3}); },
          [] {
            return std::make_unique<Adam>(
                AdamOptions{.learning_rate = 0.05},
                Schedule{.shape = ScheduleShape::cosine, .steps = 40, .warmup_steps = 3});
          }};
}

TEST(Optimizer, SavedAndRestoredContinuesWithTheSameBits) {
  for (const Maker& make : makers()) {
    for (const int stop : {0, 1, 7}) {
      FunctionObjective f(5, [](Span x, std::span<double> g) {
        double v = 0;
        for (std::size_t i = 0; i < 5; ++i) {
          v += std::cosh(x[i] - 0.3 * static_cast<double>(i)) + std::sin(x[i] * x[(i + 1) % 5]);
        }
        for (std::size_t i = 0; i < g.size(); ++i) {
          const std::size_t next = (i + 1) % 5, before = (i + 4) % 5;
          g[i] = std::sinh(x[i] - 0.3 * static_cast<double>(i)) +
                 x[next] * std::cos(x[i] * x[next]) + x[before] * std::cos(x[i] * x[before]);
        }
        return v;
      });
      const auto whole = make(), first = make(), second = make();
      std::vector<double> x{1, -1, 2, 0.5, 3}, y = x;
      for (int k = 0; k < stop; ++k) {
        (void)whole->step(f, x);
        (void)first->step(f, y);
      }
      OptimizerState state;
      first->save(state);
      second->restore(state);
      for (int k = 0; k < 8; ++k) {
        const auto a = whole->step(f, x), b = second->step(f, y);
        ASSERT_EQ(x, y) << whole->name() << stop << k;
        ASSERT_EQ(a.value, b.value);
        ASSERT_EQ(a.step_norm, b.step_norm);
        ASSERT_EQ(a.evaluations, b.evaluations);
      }
      OptimizerState of_whole, of_second;
      whole->save(of_whole);
      second->save(of_second);
      EXPECT_TRUE(of_whole == of_second);
    }
  }
}

TEST(Optimizer, RefusesTheStateOfAnotherMethod) {
  FunctionObjective f(3, bowl);
  const auto lbfgs = makers()[0](), adam = makers()[1]();
  std::vector<double> x(3, 0.0);
  (void)lbfgs->step(f, x);
  (void)adam->step(f, x);
  OptimizerState of_lbfgs, of_adam;
  lbfgs->save(of_lbfgs);
  adam->save(of_adam);
  EXPECT_THROW(lbfgs->restore(of_adam), Error);
  EXPECT_THROW(adam->restore(of_lbfgs), Error);
  OptimizerState now;
  adam->save(now);
  EXPECT_TRUE(now == of_adam);
  for (const char* key : {"m", "v", "best_x", "best", "previous_x"}) {
    OptimizerState bad = of_adam;
    bad.arrays.erase(key);
    EXPECT_THROW(adam->restore(bad), Error) << key;
    bad = of_adam;
    bad.arrays[key].push_back(1);
    EXPECT_THROW(adam->restore(bad), Error) << key;
  }
  OptimizerState bad = of_adam;
  bad.numbers.erase("t");
  EXPECT_NE(message_of([&] { adam->restore(bad); }).find("no number \"t\""), std::string::npos);
}

TEST(Optimizer, RefusesObjectivesOfAnotherSize) {
  for (const Maker& make : makers()) {
    const auto optimizer = make();
    FunctionObjective three(3, bowl), two(2, bowl);
    std::vector<double> x3(3, 0.0), x2(2, 0.0);
    EXPECT_THROW((void)optimizer->step(three, x2), Error);
    (void)optimizer->step(three, x3);
    EXPECT_NE(message_of([&] { (void)optimizer->step(two, x2); }).find("3 parameters"),
              std::string::npos);
    EXPECT_THROW((void)minimize(*optimizer, three, x2), Error);
  }
}

TEST(Optimizer, NaNAtTheStartIsAStatusAndXStays) {
  for (const Maker& make : makers()) {
    FunctionObjective f(2, [](Span, std::span<double> g) {
      for (double& e : g) e = 1;
      return nan;
    });
    const auto optimizer = make();
    std::vector<double> x{0.5, -0.5};
    const auto r = minimize(*optimizer, f, x);
    EXPECT_EQ(r.status, Status::not_finite);
    EXPECT_EQ(r.reason, StopReason::step_status);
    EXPECT_EQ(r.iterations, 1u);
    EXPECT_EQ(x, (std::vector<double>{0.5, -0.5}));
  }
}

TEST(Optimizer, NaNInTheMiddleGivesTheBestFinitePoint) {
  for (const Maker& make : makers()) {
    int calls = 0;
    double lowest = infinity;
    FunctionObjective f(4, [&](Span x, std::span<double> g) {
      const double v = bowl(x, g);
      if (++calls > 6) return nan;
      lowest = std::min(lowest, v);
      return v;
    });
    const auto optimizer = make();
    std::vector<double> x{-3, 4, 2, -1};
    const auto r = minimize(*optimizer, f, x, {.max_iterations = 100});
    EXPECT_EQ(r.status, Status::not_finite) << optimizer->name();
    EXPECT_EQ(r.value, lowest) << optimizer->name();
    EXPECT_EQ(bowl(x, {}), lowest) << optimizer->name();
  }
}

TEST(Adam, TheFirstStepHasTheLengthOfTheRateInEachEntry) {
  FunctionObjective f(2, bowl);
  Adam adam({.learning_rate = 0.01});
  std::vector<double> x{4, -3};
  const auto r = adam.step(f, x);
  // rate * |g| / (|g| + 1e-8), with gradients 3 and -8.
  EXPECT_LT(std::abs(x[0] - (4 - 0.01)), 0.01 * 1e-8 + 8 * eps);
  EXPECT_LT(std::abs(x[1] - (-3 + 0.01)), 0.01 * 1e-8 + 8 * eps);
  EXPECT_EQ(r.status, StepStatus::progress);
  EXPECT_FALSE(r.at_x);
  EXPECT_EQ(r.value, bowl(std::vector<double>{4, -3}, {}));
  EXPECT_LT(std::abs(r.gradient_norm - std::sqrt(73.0)), 8 * eps * 9);
  EXPECT_LT(std::abs(r.step_norm - 0.01 * std::numbers::sqrt2), 1e-9);
  EXPECT_EQ(r.evaluations, 1u);
}

TEST(Adam, TakesTheStepsOfAdamWithTheRateOfTheSchedule) {
  const Schedule schedule{
      .shape = ScheduleShape::exponential, .steps = 10, .final_factor = 0.1, .warmup_steps = 2};
  Adam optimizer({.learning_rate = 0.1}, schedule);
  FunctionObjective f(3, bowl);
  std::vector<double> x(3, 0.0), y(3, 0.0), g(3), m(3, 0.0), v(3, 0.0);
  const double factors[] = {0.5, 1, 1, std::pow(0.1, 0.1), std::pow(0.1, 0.2)};
  for (int t = 1; t <= 5; ++t) {
    (void)optimizer.step(f, x);
    (void)bowl(y, g);
    for (std::size_t i = 0; i < 3; ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i];
      v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
      const double mean = m[i] / (1 - std::pow(0.9, t)), square = v[i] / (1 - std::pow(0.999, t));
      y[i] -= 0.1 * factors[t - 1] * mean / (std::sqrt(square) + 1e-8);
      // 1 - 0.999^t loses three digits in steps of 0.1.
      EXPECT_LT(std::abs(x[i] - y[i]), 0.1 * t * 8 * eps / 1e-3);
    }
  }
}

TEST(Adam, AfterAChangeOfTheObjectiveOldValuesDoNotCount) {
  double offset = 0;
  bool broken = false;
  FunctionObjective f(1, [&](Span x, std::span<double> g) {
    return broken && x[0] > 0.25 ? nan : offset + bowl(x, g);
  });
  Adam adam({.learning_rate = 0.1});
  std::vector<double> x{0};
  for (int k = 0; k < 3; ++k) (void)adam.step(f, x);  // entries 0, 0.1, 0.2; x is about 0.3
  offset = 10;
  broken = true;
  adam.objective_changed();
  const auto r = adam.step(f, x);
  EXPECT_EQ(r.status, StepStatus::not_finite);
  EXPECT_NEAR(x[0], 0.2, 0.01);  // the last point known to be finite
  EXPECT_EQ(r.value, 10 + bowl(x, {}));
  EXPECT_EQ(r.evaluations, 2u);
  EXPECT_TRUE(r.at_x);
}

TEST(Adam, GoesBackToTheLowestPointOrAfterAChangeToTheLast) {
  // From 0.99 a rate of 0.5 overshoots the minimum at 1: the first point is the lowest one.
  for (const bool changed : {false, true}) {
    bool broken = false;
    FunctionObjective f(1, [&](Span x, std::span<double> g) {
      return broken && std::abs(x[0] - 1.49) > 1e-6 ? nan : bowl(x, g);
    });
    Adam adam({.learning_rate = 0.5});
    std::vector<double> x{0.99};
    (void)adam.step(f, x);
    (void)adam.step(f, x);
    broken = true;
    if (changed) adam.objective_changed();
    const auto r = adam.step(f, x);
    EXPECT_EQ(r.status, StepStatus::not_finite);
    EXPECT_LT(std::abs(x[0] - (changed ? 1.49 : 0.99)), 1e-6);
    EXPECT_EQ(r.value, bowl(x, {}));
  }
}

TEST(Adam, AZeroGradientIsConverged) {
  FunctionObjective f(2, bowl);
  Adam adam;
  std::vector<double> x{1, 1};
  EXPECT_EQ(adam.step(f, x).status, StepStatus::converged);
  EXPECT_EQ(x, (std::vector<double>{1, 1}));
}

TEST(Adam, AnOverflowOfXIsDiverged) {
  FunctionObjective f(1, [](Span x, std::span<double> g) {
    g[0] = -1;
    return -x[0];
  });
  Adam adam({.learning_rate = 1.5e308});
  std::vector<double> x{0};
  (void)adam.step(f, x);
  const auto r = adam.step(f, x);
  EXPECT_EQ(r.status, StepStatus::diverged);
  EXPECT_TRUE(std::isfinite(x[0]));
  EXPECT_EQ(r.value, -x[0]);
}

TEST(Adam, RefusesBadOptions) {
  EXPECT_NE(message_of([] {
              Adam a({.learning_rate = -1});
            }).find("learning_rate must be positive and finite, got -1"),
            std::string::npos);
  EXPECT_NE(message_of([] { Adam a({}, {.steps = 0}); }).find("steps must be positive"),
            std::string::npos);
  for (const double bad : {0.0, -0.1, 1.5, nan}) {
    EXPECT_NE(message_of([&] { Adam a({}, {.final_factor = bad}); }).find("final_factor"),
              std::string::npos);
  }
}

TEST(Schedule, FollowsItsFormulas) {
  const auto at = [](ScheduleShape shape, std::uint64_t t) {
    return schedule_factor({.shape = shape, .steps = 100, .final_factor = 0.2, .warmup_steps = 4},
                           t);
  };
  for (const auto shape :
       {ScheduleShape::constant, ScheduleShape::exponential, ScheduleShape::cosine}) {
    EXPECT_EQ(at(shape, 0), 0.25);
    EXPECT_EQ(at(shape, 3), 1);
    EXPECT_EQ(at(shape, 4), 1);
  }
  EXPECT_EQ(at(ScheduleShape::constant, 1000), 1);
  EXPECT_LT(std::abs(at(ScheduleShape::exponential, 54) - std::sqrt(0.2)), 4 * eps);
  EXPECT_LT(std::abs(at(ScheduleShape::exponential, 204) - 0.04), 4 * eps);
  EXPECT_LT(std::abs(at(ScheduleShape::cosine, 54) - 0.6), 4 * eps);
  EXPECT_LT(std::abs(at(ScheduleShape::cosine, 29) - (0.2 + 0.8 * (1 + std::sqrt(0.5)) / 2)),
            4 * eps);
  EXPECT_LT(std::abs(at(ScheduleShape::cosine, 104) - 0.2), 4 * eps);
  EXPECT_LT(std::abs(at(ScheduleShape::cosine, 5000) - 0.2), 4 * eps);
}

TEST(Minimize, StopsByEachOfItsRules) {
  FunctionObjective f(6, bowl);
  const auto run = [&](const Stopping& stopping, const Watching& watching = {}) {
    Adam adam({.learning_rate = 0.05});
    std::vector<double> x(6, 0.0);
    auto r = minimize(adam, f, x, stopping, watching);
    EXPECT_EQ(r.value, bowl(x, {}));
    return r;
  };
  auto r = run({.gradient_tolerance = 1});
  EXPECT_EQ(r.reason, StopReason::gradient_tolerance);
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_LE(r.gradient_norm, 1);
  EXPECT_EQ(r.evaluations, r.iterations);  // x is the point that met the rule
  r = run({.target_value = 3});
  EXPECT_EQ(r.reason, StopReason::target_value);
  EXPECT_LE(r.value, 3);
  r = run({.relative_decrease = 1e-3, .window = 5, .max_iterations = 100000});
  EXPECT_EQ(r.reason, StopReason::relative_decrease);
  EXPECT_EQ(r.status, Status::converged);
  const auto& h = r.history;
  const double before = h[h.size() - 6].value, last = h.back().value;
  EXPECT_LE(before - last, 1e-3 * before);
  r = run({.max_iterations = 7});
  EXPECT_EQ(r.reason, StopReason::max_iterations);
  EXPECT_EQ(r.status, Status::budget_exhausted);
  EXPECT_EQ(r.iterations, 7u);
  EXPECT_EQ(r.evaluations, 8u);  // the last point is evaluated, too
  r = run({.max_evaluations = 9});
  EXPECT_EQ(r.reason, StopReason::max_evaluations);
  EXPECT_EQ(r.iterations, 9u);
  r = run({.max_seconds = 1e-9});
  EXPECT_EQ(r.reason, StopReason::max_seconds);
  r = run({.max_iterations = 0});
  EXPECT_EQ(r.iterations, 0u);
  EXPECT_EQ(r.value, 10.5);
  r = run({}, {.callback = [](std::uint64_t k, const StepReport&, Span) {
            return k == 4 ? NextStep::stop : NextStep::proceed;
          }});
  EXPECT_EQ(r.reason, StopReason::interrupted);
  EXPECT_EQ(r.status, Status::interrupted);
  EXPECT_EQ(r.iterations, 4u);
}

TEST(Minimize, KeepsAHistoryAndTellsItsProgress) {
  struct Watch final : Progress {
    void update(const ProgressState& s) override {
      ++updates;
      step = s.step;
      value = s.values[0].value;
    }
    void finish(const ProgressState&) override { ++finished; }
    bool stop_requested() const noexcept override { return step >= stop_at; }
    std::uint64_t updates = 0, finished = 0, step = 0, stop_at = 1000;
    double value = 0;
  } watch;
  FunctionObjective f(3, bowl);
  Adam adam;
  std::vector<double> x(3, 0.0);
  auto r = minimize(adam, f, x, {.max_iterations = 10}, {.progress = &watch, .history_every = 4});
  ASSERT_EQ(r.history.size(), 4u);
  const std::uint64_t expected[] = {1, 5, 9, 10};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(r.history[i].iteration, expected[i]);
  EXPECT_EQ(r.history[0].value, 3);
  EXPECT_EQ(r.history[3].evaluations, 10u);
  EXPECT_EQ(watch.updates, 10u);
  EXPECT_EQ(watch.finished, 1u);
  EXPECT_EQ(watch.value, r.history[3].value);
  watch.stop_at = 3;
  r = minimize(adam, f, x, {.max_iterations = 10}, {.progress = &watch, .history_every = 0});
  EXPECT_EQ(r.status, Status::interrupted);
  EXPECT_EQ(r.iterations, 3u);
  EXPECT_TRUE(r.history.empty());
}

TEST(Minimize, AChangeOfTheObjectiveRestartsTheWindow) {
  // The objective rises by 1 every 4 iterations: without the restart the rule would stop the run.
  double offset = 0;
  FunctionObjective f(2, [&](Span x, std::span<double> g) { return offset + bowl(x, g); });
  for (const bool told : {true, false}) {
    offset = 0;
    Adam adam({.learning_rate = 1e-3});
    std::vector<double> x{0, 0};
    const Watching watching{.callback = [&](std::uint64_t k, const StepReport&, Span) {
      if (k % 4 != 0) return NextStep::proceed;
      offset += 1;
      return told ? NextStep::objective_changed : NextStep::proceed;
    }};
    const auto r = minimize(
        adam, f, x, {.relative_decrease = 1e-6, .window = 2, .max_iterations = 40}, watching);
    EXPECT_EQ(r.reason, told ? StopReason::max_iterations : StopReason::relative_decrease);
  }
}

TEST(Minimize, AChangeOfTheObjectiveReachesTheOptimizer) {
  double offset = 0;
  FunctionObjective f(4, [&](Span x, std::span<double> g) { return offset + bowl(x, g); });
  Lbfgs lbfgs;
  std::vector<double> x(4, -3.0);
  const Watching watching{.callback = [&](std::uint64_t k, const StepReport&, Span) {
    if (k != 2) return NextStep::proceed;
    offset = 1000;
    return NextStep::objective_changed;
  }};
  const auto r = minimize(lbfgs, f, x, {.gradient_tolerance = 1e-9}, watching);
  EXPECT_EQ(r.status, Status::converged) << to_string(r.status);
  EXPECT_EQ(r.value, f.value(x));
  for (const double e : x) EXPECT_LT(std::abs(e - 1), 1e-9);
}

TEST(Minimize, ANonFiniteLastPointIsTakenBack) {
  FunctionObjective f(1,
                      [](Span x, std::span<double> g) { return x[0] > 0.25 ? nan : bowl(x, g); });
  Adam adam({.learning_rate = 0.1});
  std::vector<double> x{0};
  const auto r = minimize(adam, f, x, {.max_iterations = 3});  // 0, 0.1, 0.2 and then 0.3
  EXPECT_EQ(r.status, Status::not_finite);
  EXPECT_LE(x[0], 0.25);
  EXPECT_EQ(r.value, bowl(x, {}));
}

TEST(Minimize, AdamThenLbfgsOnTheSameVector) {
  FunctionObjective f(10, bowl);
  Adam adam({.learning_rate = 0.05});
  Lbfgs lbfgs;
  std::vector<double> x(10, -4.0);
  const auto a = minimize(adam, f, x, {.max_iterations = 20});
  const auto b = minimize(lbfgs, f, x, {.gradient_tolerance = 1e-10});
  EXPECT_EQ(b.status, Status::converged);
  EXPECT_LT(b.history.front().value, a.value);
  for (const double e : x) EXPECT_LT(std::abs(e - 1), 1e-10);
}

TEST(Minimize, RefusesBadRules) {
  FunctionObjective f(1, bowl);
  Lbfgs lbfgs;
  std::vector<double> x{0};
  const auto message = [&](const Stopping& stopping) {
    return message_of([&] { (void)minimize(lbfgs, f, x, stopping); });
  };
  for (const double bad : {-1.0, nan}) {
    EXPECT_NE(message({.gradient_tolerance = bad}).find("gradient_tolerance"), std::string::npos);
    EXPECT_NE(message({.relative_decrease = bad}).find("relative_decrease"), std::string::npos);
    EXPECT_NE(message({.max_seconds = bad}).find("max_seconds"), std::string::npos);
  }
  EXPECT_NE(message({.target_value = nan}).find("target_value"), std::string::npos);
  EXPECT_NE(message({.relative_decrease = 0.1, .window = 0}).find("window"), std::string::npos);
}

TEST(Minimize, NamesItsEnumerators) {
  EXPECT_EQ(to_string(StepStatus::line_search_failed), "line_search_failed");
  EXPECT_EQ(to_string(static_cast<StepStatus>(99)), "unknown");
  EXPECT_EQ(to_string(StopReason::max_seconds), "max_seconds");
  EXPECT_EQ(to_string(static_cast<StopReason>(99)), "unknown");
  EXPECT_EQ(to_string(static_cast<LineSearchStatus>(99)), "unknown");
  for (const auto status : {StepStatus::converged, StepStatus::stalled, StepStatus::diverged,
                            StepStatus::line_search_failed, StepStatus::not_finite}) {
    EXPECT_EQ(to_string(to_status(status)), to_string(status));
  }
}

}  // namespace
}  // namespace cauchy::test_optimizer_interface
