#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/minimization_problems.hpp"

namespace cauchy::test_lbfgs_steps {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double nan = std::nan("");
using minimization::chained_rosenbrock;
using minimization::extended_rosenbrock;
using minimization::Quadratic;
using minimization::Span;

TEST(LbfgsSteps, AZeroGradientIsConverged) {
  FunctionObjective f(2, extended_rosenbrock);
  Lbfgs lbfgs;
  std::vector<double> x{1, 1};
  const auto r = lbfgs.step(f, x);
  EXPECT_EQ(r.status, StepStatus::converged);
  EXPECT_EQ(r.evaluations, 1u);
  EXPECT_EQ(r.step_norm, 0);
}

TEST(LbfgsSteps, GoesOnToTheRoundingLevelAndThenSaysSo) {
  // Values of size 1: differences vanish at |x - c| ~ 1e-8, but slopes lead on to 1e-12.
  const Quadratic q({1, 10, 100}, 11);
  FunctionObjective f(3, [&](Span x, std::span<double> g) { return 1 + q(x, g); });
  Lbfgs lbfgs;
  std::vector<double> x(3, 0.0);
  const auto r = minimize(lbfgs, f, x, {.gradient_tolerance = 1e-12, .max_iterations = 200});
  EXPECT_EQ(r.status, Status::converged) << to_string(r.status);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(x[i] - q.c[i]), 1e-11);
  // An impossible tolerance ends with a status, not with a hang or a worse point.
  double lowest = std::numeric_limits<double>::infinity();
  FunctionObjective curved(10, [&](Span y, std::span<double> g) {
    double v = 0;
    std::fill(g.begin(), g.end(), 0.0);
    for (std::size_t i = 0; i < 10; ++i) {
      const double e = std::exp(y[i] - 0.1 * static_cast<double>(i));
      const double gap = i > 0 ? y[i] - y[i - 1] : 0;
      v += e - 0.7 * y[i] + 15 * gap * gap;
      if (g.empty()) continue;
      g[i] += e - 0.7 + 30 * gap;
      if (i > 0) g[i - 1] -= 30 * gap;
    }
    lowest = std::min(lowest, v);
    return v;
  });
  std::vector<double> y(10, 0.0);
  Lbfgs other;
  const auto end = minimize(other, curved, y, {.max_iterations = 5000});
  EXPECT_TRUE(end.status == Status::stalled || end.status == Status::converged)
      << to_string(end.status);
  EXPECT_LT(end.gradient_norm, 1e-13);
  EXPECT_LT(end.value - lowest, 64 * eps * std::abs(lowest));
}

TEST(LbfgsSteps, EvaluatesEachPointOnce) {
  std::vector<std::vector<double>> seen;
  FunctionObjective f(2, [&](Span x, std::span<double> g) {
    const std::vector<double> point(x.begin(), x.end());
    EXPECT_EQ(std::count(seen.begin(), seen.end(), point), 0);
    seen.push_back(point);
    return extended_rosenbrock(x, g);
  });
  Lbfgs lbfgs;
  std::vector<double> x{-1.2, 1};
  const auto r = minimize(lbfgs, f, x, {.gradient_tolerance = 1e-6});
  EXPECT_EQ(r.evaluations, seen.size());
  EXPECT_EQ(r.status, Status::converged);
}

TEST(LbfgsSteps, NaNAtTheStartLeavesXAsItWas) {
  for (const int where : {0, 1, 2}) {
    FunctionObjective f(2, [&](Span x, std::span<double> g) {
      const double v = extended_rosenbrock(x, g);
      if (where == 1) g[1] = nan;
      return where == 0 ? nan : v;
    });
    Lbfgs lbfgs;
    std::vector<double> x{-1.2, where == 2 ? std::numeric_limits<double>::infinity() : 1.0};
    const std::vector<double> before = x;
    const auto r = lbfgs.step(f, x);
    EXPECT_EQ(r.status, StepStatus::not_finite);
    EXPECT_EQ(x, before);
    EXPECT_EQ(r.evaluations, 1u);
    EXPECT_EQ(minimize(lbfgs, f, x).status, Status::not_finite);
  }
}

TEST(LbfgsSteps, NaNInTheMiddleKeepsTheBestFinitePoint) {
  // A wall of NaN at x0 > 0.5, between the start and the minimum at (1, 1).
  double lowest = std::numeric_limits<double>::infinity();
  FunctionObjective f(2, [&](Span x, std::span<double> g) {
    const double v = extended_rosenbrock(x, g);
    if (x[0] > 0.5) return nan;
    lowest = std::min(lowest, v);
    return v;
  });
  Lbfgs lbfgs;
  std::vector<double> x{-1.2, 1};
  const auto r = minimize(lbfgs, f, x, {.gradient_tolerance = 1e-8, .max_iterations = 500});
  EXPECT_FALSE(succeeded(r.status));
  EXPECT_LE(x[0], 0.5);
  EXPECT_TRUE(std::isfinite(r.value));
  EXPECT_EQ(r.value, f.value(x));
  EXPECT_EQ(r.value, lowest);
  EXPECT_LT(r.value, 0.3);  // the minimum on the wall is (1 - 0.5)^2 = 0.25
  // Everything turns to NaN after some evaluations.
  int calls = 0;
  FunctionObjective dying(2, [&](Span y, std::span<double> g) {
    const double v = extended_rosenbrock(y, g);
    return ++calls > 12 ? nan : v;
  });
  Lbfgs other;
  x = {-1.2, 1};
  const auto d = minimize(other, dying, x);
  EXPECT_EQ(d.status, Status::not_finite);
  EXPECT_EQ(d.value, extended_rosenbrock(x, {}));
  EXPECT_LT(d.value, 24.2);
}

TEST(LbfgsSteps, AFailedSearchDropsThePairsAndTriesMinusTheGradient) {
  const double bowl[] = {1, 100};
  FunctionObjective f(2, [&](Span x, std::span<double> g) {
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = bowl[i] * x[i];
    return (bowl[0] * x[0] * x[0] + bowl[1] * x[1] * x[1]) / 2;
  });
  Lbfgs lbfgs;
  std::vector<double> x{1, 1};
  for (int i = 0; i < 3; ++i) ASSERT_EQ(lbfgs.step(f, x).status, StepStatus::progress);
  ASSERT_EQ(lbfgs.pairs(), 3u);
  // Pairs that claim negative curvature (as after damage): -H g ascends.
  OptimizerState state;
  lbfgs.save(state);
  for (double& v : state.arrays["rho"]) v = 0;
  state.arrays["gamma"] = {-1.0};
  lbfgs.restore(state);
  const double before = f.value(x);
  const auto r = lbfgs.step(f, x);
  EXPECT_EQ(r.status, StepStatus::progress);
  EXPECT_LT(r.value, before);
  EXPECT_EQ(lbfgs.pairs(), 1u);
  // Gradients of the wrong sign: neither direction descends.
  FunctionObjective wrong(1, [](Span y, std::span<double> g) {
    g[0] = -2 * y[0];
    return 1 + y[0] * y[0];
  });
  Lbfgs lost;
  std::vector<double> y{1};
  const auto w = lost.step(wrong, y);
  EXPECT_EQ(w.status, StepStatus::line_search_failed);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(w.value, 2);
}

TEST(LbfgsSteps, SavedAndRestoredContinuesWithTheSameBits) {
  for (const std::uint64_t stop : {0u, 1u, 4u, 17u}) {  // before, at and beyond the memory of 4
    FunctionObjective f(12, chained_rosenbrock);
    const LbfgsOptions options{.memory = 4};
    std::vector<double> x(12, 0.1), y;
    Lbfgs whole(options), first(options), second(options);
    for (std::uint64_t k = 0; k < stop; ++k) (void)whole.step(f, x);
    y.assign(12, 0.1);
    for (std::uint64_t k = 0; k < stop; ++k) (void)first.step(f, y);
    OptimizerState state;
    first.save(state);
    second.restore(state);
    for (int k = 0; k < 12; ++k) {
      const auto a = whole.step(f, x), b = second.step(f, y);
      ASSERT_EQ(x, y) << stop << " " << k;
      ASSERT_EQ(a.value, b.value);
      ASSERT_EQ(a.evaluations, b.evaluations);
    }
    OptimizerState of_whole, of_second;
    whole.save(of_whole);
    second.save(of_second);
    EXPECT_TRUE(of_whole == of_second);
  }
}

TEST(LbfgsSteps, RefusesAStateThatDoesNotFit) {
  FunctionObjective f(4, chained_rosenbrock);
  Lbfgs lbfgs({.memory = 6});
  std::vector<double> x(4, 0.1);
  for (int k = 0; k < 6; ++k) (void)lbfgs.step(f, x);
  OptimizerState good;
  lbfgs.save(good);
  Lbfgs other({.memory = 6});
  for (const char* key : {"x", "gradient", "value", "gamma", "s", "y", "rho"}) {
    OptimizerState bad = good;
    bad.arrays.erase(key);
    EXPECT_THROW(other.restore(bad), Error) << key;
    bad = good;
    bad.arrays[key].push_back(0);
    EXPECT_THROW(other.restore(bad), Error) << key;
  }
  EXPECT_THROW(other.restore({}), Error);
  EXPECT_THROW(Lbfgs({.memory = 5}).restore(good), Error);
  EXPECT_NO_THROW(other.restore(good));
}

TEST(LbfgsSteps, AChangedObjectiveIsEvaluatedAnew) {
  double shift = 0;
  int calls = 0;
  FunctionObjective f(2, [&](Span x, std::span<double> g) {
    ++calls;
    g[0] = x[0] - shift;
    g[1] = 10 * (x[1] + shift);
    return (g[0] * g[0] + g[1] * g[1] / 10) / 2;
  });
  for (const bool clear : {false, true}) {
    shift = 0;
    Lbfgs lbfgs({.clear_when_changed = clear});
    std::vector<double> x{3, 1};
    (void)lbfgs.step(f, x);
    (void)lbfgs.step(f, x);
    shift = 1;
    lbfgs.objective_changed();
    EXPECT_EQ(lbfgs.pairs(), clear ? 0u : 2u);
    calls = 0;
    const auto r = lbfgs.step(f, x);
    EXPECT_EQ(r.evaluations, static_cast<std::uint64_t>(calls));
    EXPECT_GE(calls, 2);
    const auto end = minimize(lbfgs, f, x, {.gradient_tolerance = 1e-10});
    EXPECT_EQ(end.status, Status::converged);
    EXPECT_LT(std::hypot(x[0] - 1, x[1] + 1), 1e-9);
    // A point moved by the caller is noticed without being told.
    x = {5, 5};
    calls = 0;
    (void)lbfgs.step(f, x);
    EXPECT_GE(calls, 2);
  }
}

TEST(LbfgsSteps, SurvivesAnObjectiveThatThrows) {
  bool angry = false;
  FunctionObjective f(2, [&](Span x, std::span<double> g) {
    if (angry) throw std::runtime_error("no");
    return extended_rosenbrock(x, g);
  });
  Lbfgs lbfgs, calm;
  std::vector<double> x{-1.2, 1}, y = x;
  for (int k = 0; k < 3; ++k) {
    (void)lbfgs.step(f, x);
    (void)calm.step(f, y);
  }
  angry = true;
  EXPECT_THROW((void)lbfgs.step(f, x), std::runtime_error);
  EXPECT_EQ(x, y);
  angry = false;
  (void)lbfgs.step(f, x);
  (void)calm.step(f, y);
  EXPECT_EQ(x, y);
}

TEST(LbfgsSteps, RefusesBadOptionsAndSizes) {
  try {
    Lbfgs lbfgs({.memory = 0});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("memory must be at least 1, got 0"), std::string::npos);
  }
  for (const double bad : {-1e-3, 1.0, nan}) {
    EXPECT_THROW(Lbfgs({.curvature_guard = bad}), Error);
  }
  EXPECT_THROW(Lbfgs({.line_search = {.curvature = 2}}), Error);
  FunctionObjective two(2, extended_rosenbrock), four(4, extended_rosenbrock),
      none(0, extended_rosenbrock);
  std::vector<double> x(2, 0.0), y(4, 0.0);
  Lbfgs lbfgs;
  EXPECT_THROW((void)lbfgs.step(four, x), Error);
  EXPECT_THROW((void)lbfgs.step(none, {}), Error);
  (void)lbfgs.step(two, x);
  EXPECT_THROW((void)lbfgs.step(four, y), Error);
  EXPECT_THROW(lbfgs.apply_inverse_hessian(y, y), Error);
  EXPECT_THROW(lbfgs.apply_inverse_hessian(x, y), Error);
  Lbfgs huge({.memory = std::numeric_limits<std::size_t>::max() / 8});
  EXPECT_THROW((void)huge.step(two, x), Error);
}

}  // namespace
}  // namespace cauchy::test_lbfgs_steps
