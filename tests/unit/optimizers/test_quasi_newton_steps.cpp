#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/quasi_newton.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/message_of.hpp"
#include "support/minimization_problems.hpp"

namespace cauchy::test_quasi_newton_steps {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double nan = std::nan("");
using minimization::chained_rosenbrock;
using minimization::extended_rosenbrock;
using minimization::Quadratic;
using minimization::Span;

constexpr QuasiNewtonUpdate every_update[] = {QuasiNewtonUpdate::bfgs, QuasiNewtonUpdate::dfp,
                                              QuasiNewtonUpdate::ssbfgs,
                                              QuasiNewtonUpdate::ssbroyden};

TEST(QuasiNewtonSteps, NamesAreThoseOfTheUpdates) {
  const std::string names[] = {"bfgs", "dfp", "ssbfgs", "ssbroyden"};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(QuasiNewton({.update = every_update[k]}).name(), names[k]);
    EXPECT_EQ(to_string(every_update[k]), names[k]);
  }
  EXPECT_EQ(QuasiNewton().name(), "ssbroyden");
  EXPECT_EQ(to_string(static_cast<QuasiNewtonUpdate>(9)), "unknown");
}

TEST(QuasiNewtonSteps, AZeroGradientIsConverged) {
  FunctionObjective f(2, extended_rosenbrock);
  QuasiNewton method;
  std::vector<double> x{1, 1};
  const auto r = method.step(f, x);
  EXPECT_EQ(r.status, StepStatus::converged);
  EXPECT_EQ(r.evaluations, 1u);
  EXPECT_EQ(r.step_norm, 0);
}

TEST(QuasiNewtonSteps, GoesOnToTheRoundingLevelAndThenSaysSo) {
  // Values of size 1: differences vanish at |x - c| ~ 1e-8, but slopes lead on to 1e-12.
  const Quadratic q({1, 10, 100}, 11);
  FunctionObjective f(3, [&](Span x, std::span<double> g) { return 1 + q(x, g); });
  for (const auto update : every_update) {
    QuasiNewton method({.update = update});
    std::vector<double> x(3, 0.0);
    const auto r = minimize(method, f, x, {.gradient_tolerance = 1e-12, .max_iterations = 200});
    EXPECT_EQ(r.status, Status::converged) << method.name() << to_string(r.status);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(x[i] - q.c[i]), 1e-11);
    // An impossible tolerance ends with a status, not with a hang or a worse point.
    const auto end = minimize(method, f, x, {.max_iterations = 5000});
    EXPECT_TRUE(end.status == Status::stalled || end.status == Status::converged)
        << method.name() << " " << to_string(end.status);
    EXPECT_LT(end.value - 1, 64 * eps);
  }
}

TEST(QuasiNewtonSteps, EvaluatesEachPointOnce) {
  std::vector<std::vector<double>> seen;
  FunctionObjective f(2, [&](Span x, std::span<double> g) {
    const std::vector<double> point(x.begin(), x.end());
    EXPECT_EQ(std::count(seen.begin(), seen.end(), point), 0);
    seen.push_back(point);
    return extended_rosenbrock(x, g);
  });
  QuasiNewton method;
  std::vector<double> x{-1.2, 1};
  const auto r = minimize(method, f, x, {.gradient_tolerance = 1e-6});
  EXPECT_EQ(r.evaluations, seen.size());
  EXPECT_EQ(r.status, Status::converged);
}

TEST(QuasiNewtonSteps, NaNAtTheStartLeavesXAsItWas) {
  for (const int where : {0, 1, 2}) {
    FunctionObjective f(2, [&](Span x, std::span<double> g) {
      const double v = extended_rosenbrock(x, g);
      if (where == 1) g[1] = nan;
      return where == 0 ? nan : v;
    });
    QuasiNewton method;
    std::vector<double> x{-1.2, where == 2 ? std::numeric_limits<double>::infinity() : 1.0};
    const std::vector<double> before = x;
    const auto r = method.step(f, x);
    EXPECT_EQ(r.status, StepStatus::not_finite);
    EXPECT_EQ(x, before);
    EXPECT_EQ(r.evaluations, 1u);
    EXPECT_EQ(minimize(method, f, x).status, Status::not_finite);
  }
}

TEST(QuasiNewtonSteps, NaNInTheMiddleKeepsTheBestFinitePoint) {
  for (const auto update : every_update) {
    // A wall of NaN at x0 > 0.5, between the start and the minimum at (1, 1).
    double lowest = std::numeric_limits<double>::infinity();
    FunctionObjective f(2, [&](Span x, std::span<double> g) {
      const double v = extended_rosenbrock(x, g);
      if (x[0] > 0.5) return nan;
      lowest = std::min(lowest, v);
      return v;
    });
    QuasiNewton method({.update = update});
    std::vector<double> x{-1.2, 1};
    const auto r = minimize(method, f, x, {.gradient_tolerance = 1e-8, .max_iterations = 500});
    EXPECT_FALSE(succeeded(r.status)) << method.name();
    EXPECT_LE(x[0], 0.5);
    EXPECT_TRUE(std::isfinite(r.value));
    EXPECT_EQ(r.value, f.value(x));
    EXPECT_EQ(r.value, lowest);
    EXPECT_LT(r.value, 0.5);  // the minimum on the wall is (1 - 0.5)^2 = 0.25
    // Everything turns to NaN after some evaluations.
    int calls = 0;
    FunctionObjective dying(2, [&](Span y, std::span<double> g) {
      const double v = extended_rosenbrock(y, g);
      return ++calls > 12 ? nan : v;
    });
    QuasiNewton other({.update = update});
    x = {-1.2, 1};
    const auto d = minimize(other, dying, x);
    EXPECT_EQ(d.status, Status::not_finite);
    EXPECT_EQ(d.value, extended_rosenbrock(x, {}));
    EXPECT_LT(d.value, 24.2);
  }
}

FunctionObjective bowl() {
  return {2, [](Span x, std::span<double> g) {
            if (!g.empty()) {
              g[0] = x[0];
              g[1] = 100 * x[1];
            }
            return (x[0] * x[0] + 100 * x[1] * x[1]) / 2;
          }};
}

TEST(QuasiNewtonSteps, AFailedSearchRestartsAndTriesMinusTheGradient) {
  FunctionObjective f = bowl();
  // An inverse Hessian that is negative definite, or not a number, as after damage.
  for (const double damage : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    QuasiNewton method;
    std::vector<double> x{1, 1};
    for (int i = 0; i < 3; ++i) ASSERT_EQ(method.step(f, x).status, StepStatus::progress);
    ASSERT_EQ(method.updates(), 3u);
    OptimizerState state;
    method.save(state);
    state.arrays["inverse_hessian"] = {damage, 0, damage};
    state.numbers["direction_known"] = 0;
    method.restore(state);
    const double before = f.value(x);
    const auto r = method.step(f, x);
    EXPECT_EQ(r.status, StepStatus::progress) << damage;
    EXPECT_LT(r.value, before);
    EXPECT_EQ(method.updates(), 1u);
  }
  // Gradients of the wrong sign: neither direction descends.
  FunctionObjective wrong(1, [](Span y, std::span<double> g) {
    g[0] = -2 * y[0];
    return 1 + y[0] * y[0];
  });
  QuasiNewton lost;
  std::vector<double> y{1};
  const auto w = lost.step(wrong, y);
  EXPECT_EQ(w.status, StepStatus::line_search_failed);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(w.value, 2);
}

TEST(QuasiNewtonSteps, AnInverseHessianThatIsNotDefiniteAlongYIsGivenUp) {
  // -H g descends, but y'Hy < 0 for the pair that is found.
  FunctionObjective f = bowl();
  QuasiNewton method;
  std::vector<double> x{1, 1};
  (void)method.step(f, x);
  x = {1, 0.001};
  OptimizerState state;
  method.save(state);
  state.arrays["inverse_hessian"] = {1.0, -0.3, -0.5};
  state.numbers["known"] = 0;
  method.restore(state);
  const double before = f.value(x);
  const auto r = method.step(f, x);
  EXPECT_EQ(r.status, StepStatus::progress);
  EXPECT_LT(r.value, before);
  EXPECT_EQ(method.updates(), 0u);
  const auto end = minimize(method, f, x, {.gradient_tolerance = 1e-10});
  EXPECT_EQ(end.status, Status::converged);
}

TEST(QuasiNewtonSteps, PairsOfNegativeCurvatureAreNotUsed) {
  // Concave along the path: every Wolfe point would need y's > 0, so the longest step is taken.
  FunctionObjective f(1, [](Span x, std::span<double> g) {
    g[0] = -2 * x[0];
    return -x[0] * x[0];
  });
  QuasiNewton method({.line_search = {.max_step = 100}});
  std::vector<double> x{1};
  const auto r = method.step(f, x);
  EXPECT_EQ(r.status, StepStatus::diverged);
  EXPECT_EQ(method.updates(), 0u);
  EXPECT_EQ(r.value, -x[0] * x[0]);  // the point reached is kept: it is finite and lower
  EXPECT_LT(r.value, -1);
}

TEST(QuasiNewtonSteps, HasTheSameBitsForAnyNumberOfThreads) {
  const std::size_t n = 600;  // five pieces
  std::vector<double> x[2];
  OptimizerState state[2];
  for (int k = 0; k < 2; ++k) {
    FunctionObjective f(n, chained_rosenbrock);
    QuasiNewton method({.threads = k + 1});
    x[k].assign(n, -0.3);
    for (int i = 0; i < 15; ++i) ASSERT_EQ(method.step(f, x[k]).status, StepStatus::progress);
    method.save(state[k]);
  }
  EXPECT_EQ(x[0], x[1]);
  EXPECT_TRUE(state[0] == state[1]);
}

TEST(QuasiNewtonSteps, SavedAndRestoredContinuesWithTheSameBits) {
  for (const auto update : every_update) {
    for (const std::uint64_t stop : {0u, 1u, 2u, 17u}) {
      FunctionObjective f(12, chained_rosenbrock);
      const QuasiNewtonOptions options{.update = update};
      std::vector<double> x(12, 0.1), y(12, 0.1);
      QuasiNewton whole(options), first(options), second(options);
      for (std::uint64_t k = 0; k < stop; ++k) (void)whole.step(f, x);
      for (std::uint64_t k = 0; k < stop; ++k) (void)first.step(f, y);
      OptimizerState state;
      first.save(state);
      second.restore(state);
      EXPECT_EQ(second.updates(), stop);
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
}

TEST(QuasiNewtonSteps, RefusesAStateThatDoesNotFit) {
  FunctionObjective f(4, chained_rosenbrock);
  QuasiNewton method;
  std::vector<double> x(4, 0.1);
  for (int k = 0; k < 6; ++k) (void)method.step(f, x);
  OptimizerState good;
  method.save(good);
  QuasiNewton other;
  for (const char* name : {"x", "gradient", "direction", "value", "inverse_hessian"}) {
    OptimizerState bad = good;
    bad.arrays[name].push_back(1);
    EXPECT_THROW(other.restore(bad), Error) << name;
    bad = good;
    bad.arrays.erase(name);
    EXPECT_THROW(other.restore(bad), Error) << name;
  }
  for (const char* name : {"ssbroyden", "known", "direction_known", "scale_next", "updates"}) {
    OptimizerState bad = good;
    bad.numbers.erase(name);
    EXPECT_THROW(other.restore(bad), Error) << name;
  }
  QuasiNewton of_another({.update = QuasiNewtonUpdate::bfgs});
  EXPECT_THROW(of_another.restore(good), Error);
  OptimizerState unused;
  other.save(unused);
  EXPECT_THROW(method.restore(unused), Error);  // four parameters, none
  EXPECT_NO_THROW(other.restore(good));
}

TEST(QuasiNewtonSteps, AChangedObjectiveKeepsRescalesOrRestartsTheInverseHessian) {
  // The same bowl, a hundred times as steep: H should shrink by 100.
  double factor = 1;
  FunctionObjective base = bowl();
  FunctionObjective f(2, [&](Span x, std::span<double> g) {
    const double v = base.gradient(x, g);
    for (double& e : g) e *= factor;
    return factor * v;
  });
  using enum InverseHessianChange;
  for (const auto change : {keep, rescale, restart}) {
    factor = 1;
    QuasiNewton method({.update = QuasiNewtonUpdate::ssbfgs, .when_changed = change});
    std::vector<double> x{1, 0.3};
    for (int i = 0; i < 4; ++i) ASSERT_EQ(method.step(f, x).status, StepStatus::progress);
    factor = 100;
    method.objective_changed();
    EXPECT_EQ(method.updates(), change == restart ? 0u : 4u);
    const double value = f.value(x);
    const auto r = method.step(f, x);
    EXPECT_GE(r.evaluations, 2u);  // the gradient at x anew
    EXPECT_LT(r.value, value);
    const auto& k = method.last_update();
    const double as_first = std::abs(k.tau - k.h);  // tau of a first update is h
    EXPECT_EQ(as_first < 4 * eps * k.h, change != keep);
    EXPECT_EQ(k.tau > 20, change != keep);  // about 100 times too large an H, or the identity
  }
}

TEST(QuasiNewtonSteps, TheFirstUpdateScalesOnlyWhenAsked) {
  for (const bool scaling : {true, false}) {
    FunctionObjective f = bowl();
    QuasiNewton method({.update = QuasiNewtonUpdate::bfgs, .initial_scaling = scaling});
    std::vector<double> x{1, 1};
    (void)method.step(f, x);
    EXPECT_EQ(method.last_update().tau, scaling ? method.last_update().h : 1);
    (void)method.step(f, x);
    EXPECT_EQ(method.last_update().tau, 1);
  }
}

TEST(QuasiNewtonSteps, AnObjectiveThatThrowsLeavesTheMethodUsable) {
  bool fails = false;
  FunctionObjective f(2, [&](Span x, std::span<double> g) {
    if (fails) throw std::runtime_error("no");
    return extended_rosenbrock(x, g);
  });
  QuasiNewton method;
  std::vector<double> x{-1.2, 1};
  (void)method.step(f, x);
  fails = true;
  EXPECT_THROW((void)method.step(f, x), std::runtime_error);
  fails = false;
  const auto r = minimize(method, f, x, {.gradient_tolerance = 1e-8});
  EXPECT_EQ(r.status, Status::converged);
  QuasiNewton moved = std::move(method);
  EXPECT_EQ(moved.step(f, x).status, StepStatus::progress);
}

std::string message_of(const QuasiNewtonOptions& options, std::size_t n) {
  FunctionObjective f(n, extended_rosenbrock);
  std::vector<double> x(n, 0.0);
  QuasiNewton method(options);
  return cauchy::message_of([&] { return method.step(f, x); });
}

TEST(QuasiNewtonSteps, TooManyParametersAreRefusedBeforeAllocating) {
  // 10,000 parameters: 10^8 / 2 doubles, 0.4 GB.
  const std::string limited = message_of({.max_bytes = 100'000'000}, 10'000);
  EXPECT_NE(limited.find("of 10000 parameters would take 404 MB"), std::string::npos) << limited;
  EXPECT_NE(limited.find("100 MB are allowed"), std::string::npos) << limited;
  EXPECT_NE(limited.find("use lbfgs"), std::string::npos) << limited;
  // 2 * 10^6 parameters: 16 TB.
  const std::string huge = message_of({}, 2'000'000);
  EXPECT_NE(huge.find("of 2000000 parameters would take 16 TB"), std::string::npos) << huge;
  EXPECT_NE(huge.find("are allowed"), std::string::npos) << huge;
  EXPECT_NE(huge.find("use lbfgs"), std::string::npos) << huge;
  EXPECT_EQ(message_of({.max_bytes = 100'000'000}, 1'000), "no error");
}

TEST(QuasiNewtonSteps, MisuseThrows) {
  for (const double bad : {-1e-3, 1.0, nan}) {
    EXPECT_THROW(QuasiNewton({.curvature_guard = bad}), Error);
  }
  try {
    QuasiNewton method({.curvature_guard = 2});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "curvature_guard must be in [0, 1), got 2");
  }
  EXPECT_THROW(QuasiNewton({.threads = -1}), Error);
  EXPECT_THROW(QuasiNewton({.threads = 5000}), Error);
  EXPECT_THROW(QuasiNewton({.update = static_cast<QuasiNewtonUpdate>(9)}), Error);
  EXPECT_THROW(QuasiNewton({.line_search = {.curvature = 2}}), Error);
  FunctionObjective two(2, extended_rosenbrock), four(4, extended_rosenbrock),
      none(0, extended_rosenbrock);
  std::vector<double> x(2, 0.0), y(4, 0.0);
  QuasiNewton method;
  EXPECT_THROW((void)method.step(four, x), Error);
  EXPECT_THROW((void)method.step(none, {}), Error);
  (void)method.step(two, x);
  EXPECT_THROW((void)method.step(four, y), Error);
}

}  // namespace
}  // namespace cauchy::test_quasi_newton_steps
