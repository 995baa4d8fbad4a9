#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/rng.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/minimization_problems.hpp"

namespace cauchy::test_lbfgs {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
using minimization::beale;
using minimization::chained_rosenbrock;
using minimization::extended_rosenbrock;
using minimization::powell_singular;
using minimization::Quadratic;
using minimization::Span;

struct Problem {
  std::string name;
  std::function<double(Span, std::span<double>)> f;
  std::vector<double> start, minimum;
  double distance;  ///< allowed between the end and the minimum when the gradient is below 1e-8
  std::uint64_t evaluations;
};

std::vector<Problem> problems() {
  std::vector<double> start, ones(100, 1.0);
  for (int i = 0; i < 50; ++i) start.insert(start.end(), {-1.2, 1.0});
  return {{"Rosenbrock", extended_rosenbrock, {-1.2, 1}, {1, 1}, 1e-7, 60},
          {"extended Rosenbrock", extended_rosenbrock, start, ones, 1e-7, 60},
          {"chained Rosenbrock", chained_rosenbrock, std::vector<double>(20, 0.0),
           std::vector<double>(20, 1.0), 1e-7, 250},
          // The Hessian is singular at the minimum: |g| ~ 40 |x|^3.
          {"Powell singular", powell_singular, {3, -1, 0, 1}, {0, 0, 0, 0}, 3e-3, 120},
          {"Beale", beale, {1, 1}, {3, 0.5}, 1e-7, 40}};
}

TEST(Lbfgs, TheTestProblemsHaveTheGradientsTheyClaim) {
  for (const Problem& p : problems()) {
    std::vector<double> x = p.start, g(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.01 * static_cast<double>(i % 7);
    (void)p.f(x, g);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double h = 1e-5, at = x[i];
      x[i] = at + h;
      const double up = p.f(x, {});
      x[i] = at - h;
      const double difference = (up - p.f(x, {})) / (2 * h);
      x[i] = at;
      // h^2 f''' / 6 with f''' up to 3e3, and f eps / h with f up to 1e3.
      EXPECT_LT(std::abs(difference - g[i]), 1e-6) << p.name << " " << i;
    }
  }
}

TEST(Lbfgs, ReachesTheKnownMinimaWithinABoundedNumberOfEvaluations) {
  for (const Problem& p : problems()) {
    FunctionObjective f(p.start.size(), p.f);
    Lbfgs lbfgs;
    std::vector<double> x = p.start;
    const auto r = minimize(lbfgs, f, x, {.gradient_tolerance = 1e-8});
    EXPECT_EQ(r.status, Status::converged) << p.name << " " << to_string(r.status);
    EXPECT_EQ(r.reason, StopReason::gradient_tolerance) << p.name;
    EXPECT_LE(r.gradient_norm, 1e-8) << p.name;
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LT(std::abs(x[i] - p.minimum[i]), p.distance) << p.name << " " << i;
    }
    EXPECT_LE(r.evaluations, p.evaluations) << p.name;
    EXPECT_EQ(r.value, f.value(x));
  }
}

TEST(Lbfgs, TheTwoLoopRecursionIsTheProductOfTheBfgsUpdates) {
  // H <- (I - rho s y') H (I - rho y s') + rho s s' from gamma I, as a dense matrix.
  const std::size_t n = 6;
  for (const std::size_t memory : {1u, 3u, 50u}) {
    FunctionObjective f(n, chained_rosenbrock);
    Lbfgs lbfgs({.memory = memory});
    std::vector<double> x(n, 0.3);
    for (int i = 0; i < 9; ++i) ASSERT_EQ(lbfgs.step(f, x).status, StepStatus::progress);
    OptimizerState state;
    lbfgs.save(state);
    const auto &s = state.arrays["s"], &y = state.arrays["y"];
    const std::size_t m = lbfgs.pairs();
    ASSERT_EQ(m, std::min<std::size_t>(memory, 9));
    ASSERT_EQ(s.size(), m * n);
    const auto dot = [&](const double* u, const double* v) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += u[i] * v[i];
      return sum;
    };
    const double* last = &y[(m - 1) * n];
    const double gamma = dot(&s[(m - 1) * n], last) / dot(last, last);
    std::vector<double> h(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) h[i * n + i] = gamma;
    for (std::size_t k = 0; k < m; ++k) {
      const double *sk = &s[k * n], *yk = &y[k * n];
      const double rho = 1 / dot(sk, yk);
      std::vector<double> left(n * n), next(n * n);
      for (std::size_t j = 0; j < n; ++j) {
        double yh = 0;
        for (std::size_t i = 0; i < n; ++i) yh += yk[i] * h[i * n + j];
        for (std::size_t i = 0; i < n; ++i) left[i * n + j] = h[i * n + j] - rho * sk[i] * yh;
      }
      for (std::size_t i = 0; i < n; ++i) {
        const double ly = dot(&left[i * n], yk);
        for (std::size_t j = 0; j < n; ++j) {
          next[i * n + j] = left[i * n + j] - rho * ly * sk[j] + rho * sk[i] * sk[j];
        }
      }
      h = next;
    }
    std::vector<double> v(n), hv(n);
    Rng rng(7);
    for (double& e : v) e = rng.normal();
    lbfgs.apply_inverse_hessian(v, hv);
    double scale = 0;
    for (const double e : h) scale = std::max(scale, std::abs(e));
    for (std::size_t i = 0; i < n; ++i) {
      // 9 updates that each amplify errors by |s||y| rho, about 1e2 here.
      EXPECT_LT(std::abs(hv[i] - dot(&h[i * n], v.data())), 1e4 * eps * scale * 9) << memory;
    }
    // The newest pair satisfies the secant equation H y = s.
    std::vector<double> hy(n);
    lbfgs.apply_inverse_hessian(Span(last, n), hy);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LT(std::abs(hy[i] - s[(m - 1) * n + i]),
                1e4 * eps * scale * std::sqrt(dot(last, last)));
    }
    std::vector<double> in_place = v;
    lbfgs.apply_inverse_hessian(in_place, in_place);
    EXPECT_EQ(in_place, hv);
  }
}

TEST(Lbfgs, EndsOnAQuadraticInAtMostNSteps) {
  // With full memory and exact searches the directions are conjugate. Curvature 1e-9 makes the
  // searches nearly so, at little cost: cubic interpolation is exact on a quadratic.
  const std::vector<double> l{1, 2, 3, 5, 8, 13, 21, 34};
  const Quadratic q(l, 3);
  FunctionObjective f(l.size(), q);
  Lbfgs lbfgs({.memory = 8, .line_search = {.decrease = 1e-10, .curvature = 1e-9}});
  std::vector<double> x(l.size(), 0.0);
  StepReport r;
  std::vector<double> norms;
  for (std::size_t k = 0; k < l.size(); ++k) {
    r = lbfgs.step(f, x);
    norms.push_back(r.gradient_norm);
    if (r.status != StepStatus::progress) break;
  }
  // Slope errors of 1e-9 in each search spoil conjugacy by about that.
  EXPECT_LT(r.gradient_norm, 1e-7);
  EXPECT_GT(norms[5], 1e-3);  // and not before: there are eight different curvatures
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(std::abs(x[i] - q.c[i]), 1e-7);
}

TEST(Lbfgs, StepsOnAQuadraticAreConjugate) {
  // What BFGS does with exact searches: s_i'A s_j = s_i'y_j = 0.
  const std::vector<double> l{1, 4, 9, 16, 25};
  const Quadratic q(l, 5);
  const std::size_t n = l.size();
  FunctionObjective f(n, q);
  Lbfgs lbfgs({.memory = 5, .line_search = {.decrease = 1e-10, .curvature = 1e-9}});
  std::vector<double> x(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) (void)lbfgs.step(f, x);
  OptimizerState state;
  lbfgs.save(state);
  const auto &s = state.arrays["s"], &y = state.arrays["y"];
  ASSERT_EQ(s.size(), n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sy = 0, ss = 0, yy = 0;
      for (std::size_t e = 0; e < n; ++e) {
        sy += s[i * n + e] * y[j * n + e];
        ss += s[i * n + e] * s[i * n + e];
        yy += y[j * n + e] * y[j * n + e];
      }
      EXPECT_LT(std::abs(sy), 1e-5 * std::sqrt(ss * yy)) << i << " " << j;
    }
  }
}

TEST(Lbfgs, TheFirstStepGoesAlongMinusTheGradient) {
  // Steep: the first trial has length 1. Flat: it is -g itself.
  for (const double scale : {1e3, 1e-3}) {
    std::vector<double> trial;
    FunctionObjective f(2, [&](Span x, std::span<double> g) {
      trial.assign(x.begin(), x.end());
      g[0] = 3 * scale;
      g[1] = -4 * scale;
      return scale * (3 * x[0] - 4 * x[1]);
    });
    Lbfgs lbfgs({.line_search = {.max_evaluations = 1}});
    std::vector<double> x{0, 0};
    (void)lbfgs.step(f, x);
    const double length = std::min(1.0, 5 * scale);
    EXPECT_LT(std::hypot(trial[0] + 0.6 * length, trial[1] - 0.8 * length), 8 * eps);
  }
}

TEST(Lbfgs, PairsOfNegativeCurvatureAreNotKept) {
  // Concave along the path: every Wolfe point would need y's > 0, so the longest step is taken.
  FunctionObjective f(1, [](Span x, std::span<double> g) {
    g[0] = -2 * x[0];
    return -x[0] * x[0];
  });
  Lbfgs lbfgs({.line_search = {.max_step = 100}});
  std::vector<double> x{1};
  const auto r = lbfgs.step(f, x);
  EXPECT_EQ(r.status, StepStatus::diverged);
  EXPECT_EQ(lbfgs.pairs(), 0u);
  EXPECT_LT(r.value, -1);
  EXPECT_EQ(r.value, -x[0] * x[0]);  // the point reached is kept: it is finite and lower
}

}  // namespace
}  // namespace cauchy::test_lbfgs
