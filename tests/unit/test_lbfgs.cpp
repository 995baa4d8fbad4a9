#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace cauchy {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double nan = std::nan("");
using Span = std::span<const double>;

struct Problem {
  std::string name;
  std::function<double(Span, std::span<double>)> f;
  std::vector<double> start, minimum;
  double distance;  ///< allowed between the end and the minimum when the gradient is below 1e-8
  std::uint64_t evaluations;
};

double extended_rosenbrock(Span x, std::span<double> g) {
  double f = 0;
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
    const double u = x[i + 1] - x[i] * x[i], v = 1 - x[i];
    f += 100 * u * u + v * v;
    if (g.empty()) continue;
    g[i] = -400 * x[i] * u - 2 * v;
    g[i + 1] = 200 * u;
  }
  return f;
}

double chained_rosenbrock(Span x, std::span<double> g) {
  double f = 0;
  std::fill(g.begin(), g.end(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double u = x[i + 1] - x[i] * x[i], v = 1 - x[i];
    f += 100 * u * u + v * v;
    if (g.empty()) continue;
    g[i] += -400 * x[i] * u - 2 * v;
    g[i + 1] += 200 * u;
  }
  return f;
}

double powell_singular(Span x, std::span<double> g) {
  const double a = x[0] + 10 * x[1], b = x[2] - x[3], c = x[1] - 2 * x[2], d = x[0] - x[3];
  if (!g.empty()) {
    g[0] = 2 * a + 40 * d * d * d;
    g[1] = 20 * a + 4 * c * c * c;
    g[2] = 10 * b - 8 * c * c * c;
    g[3] = -10 * b - 40 * d * d * d;
  }
  return a * a + 5 * b * b + c * c * c * c + 10 * d * d * d * d;
}

double beale(Span x, std::span<double> g) {
  const double target[] = {1.5, 2.25, 2.625};
  double f = 0, power = 1;
  std::fill(g.begin(), g.end(), 0.0);
  for (int k = 1; k <= 3; ++k) {
    const double lower = power;
    power *= x[1];
    const double r = target[k - 1] - x[0] * (1 - power);
    f += r * r;
    if (g.empty()) continue;
    g[0] -= 2 * r * (1 - power);
    g[1] += 2 * r * x[0] * k * lower;
  }
  return f;
}

/// f = (x - c)'A(x - c) / 2 with A = Q diag(l) Q', Q a product of reflections.
struct Quadratic {
  std::vector<double> a, c;
  Quadratic(const std::vector<double>& l, std::uint64_t seed) : a(l.size() * l.size()), c(l.size()) {
    const std::size_t n = l.size();
    Rng rng(seed);
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] = l[i];
    for (int reflection = 0; reflection < 3; ++reflection) {
      std::vector<double> v(n);
      double vv = 0;
      for (double& e : v) {
        e = rng.normal();
        vv += e * e;
      }
      for (int side = 0; side < 2; ++side) {  // A <- R A, then its transpose: R A R
        std::vector<double> va(n, 0.0), b = a;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) va[j] += v[i] * a[i * n + j];
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) b[i * n + j] -= 2 * v[i] * va[j] / vv;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) a[j * n + i] = b[i * n + j];
      }
    }
    for (double& e : c) e = rng.normal();
  }
  double operator()(Span x, std::span<double> g) const {
    const std::size_t n = c.size();
    double f = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double r = 0;
      for (std::size_t j = 0; j < n; ++j) r += a[i * n + j] * (x[j] - c[j]);
      f += r * (x[i] - c[i]) / 2;
      if (!g.empty()) g[i] = r;
    }
    return f;
  }
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
      EXPECT_LT(std::abs(hy[i] - s[(m - 1) * n + i]), 1e4 * eps * scale * std::sqrt(dot(last, last)));
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

TEST(Lbfgs, AZeroGradientIsConverged) {
  FunctionObjective f(2, extended_rosenbrock);
  Lbfgs lbfgs;
  std::vector<double> x{1, 1};
  const auto r = lbfgs.step(f, x);
  EXPECT_EQ(r.status, StepStatus::converged);
  EXPECT_EQ(r.evaluations, 1u);
  EXPECT_EQ(r.step_norm, 0);
}

TEST(Lbfgs, GoesOnToTheRoundingLevelAndThenSaysSo) {
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

TEST(Lbfgs, EvaluatesEachPointOnce) {
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

TEST(Lbfgs, NaNAtTheStartLeavesXAsItWas) {
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

TEST(Lbfgs, NaNInTheMiddleKeepsTheBestFinitePoint) {
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

TEST(Lbfgs, AFailedSearchDropsThePairsAndTriesMinusTheGradient) {
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

TEST(Lbfgs, SavedAndRestoredContinuesWithTheSameBits) {
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

TEST(Lbfgs, RefusesAStateThatDoesNotFit) {
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

TEST(Lbfgs, AChangedObjectiveIsEvaluatedAnew) {
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

TEST(Lbfgs, SurvivesAnObjectiveThatThrows) {
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

TEST(Lbfgs, RefusesBadOptionsAndSizes) {
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
  FunctionObjective two(2, extended_rosenbrock), four(4, extended_rosenbrock), none(0, extended_rosenbrock);
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
}  // namespace cauchy
