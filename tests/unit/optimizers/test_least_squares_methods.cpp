#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/optimizers/gauss_newton.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/natural_gradient.hpp>
#include <cauchy/optimizers/newton.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/least_squares_problems.hpp"
#include "support/minimization_problems.hpp"

namespace cauchy::test_least_squares_methods {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double nan = std::nan("");
using minimization::LinearResiduals;
using minimization::Residuals;
using minimization::rosenbrock_residuals;
using Span = std::span<const double>;

struct Problem {
  std::string name;
  std::size_t m;
  Residuals::Function f;
  std::vector<double> start;
  double minimum, tolerance;  ///< of f, absolute
};

std::vector<Problem> problems() {
  using namespace minimization;
  return {{"Rosenbrock", 2, rosenbrock_residuals, {-1.2, 1}, 0, 1e-20},
          // J is singular at the minimum: convergence is linear, f falls by 16 a step.
          {"Powell singular", 4, powell_residuals, {3, -1, 0, 1}, 0, 1e-15},
          {"Beale", 3, beale_residuals, {1, 1}, 0, 1e-20},
          // x ~ 1e6 is known to 1e-10, which r_3 = x_1 x_2 - 2 does not enlarge.
          {"Brown", 3, brown_residuals, {1, 1}, 0, 1e-15},
          {"Meyer", 16, meyer_residuals, {0.02, 4000, 250}, 87.945855171, 1e-6},
          {"Osborne", 33, osborne_residuals, {0.5, 1.5, -1, 0.01, 0.02}, 5.46489469748e-5, 1e-14}};
}

TEST(LevenbergMarquardt, ReachesTheKnownMinimaWithEveryRuleScaleAndSolver) {
  for (const Problem& p : problems()) {
    for (const DampingRule rule : {DampingRule::gain_ratio, DampingRule::delayed}) {
      for (const DampingScale scale : {DampingScale::identity, DampingScale::marquardt}) {
        for (const StepSolver solver : {StepSolver::cholesky, StepSolver::qr}) {
          for (const bool acceleration : {false, true}) {
            Residuals f(p.m, p.start.size(), p.f);
            LevenbergMarquardt lm({.rule = rule,
                                   .scale = scale,
                                   .acceleration = acceleration,
                                   .equations = {.solver = solver}});
            std::vector<double> x = p.start;
            const auto r = minimize(
                lm, f, x, {.target_value = p.minimum + p.tolerance, .max_iterations = 1500});
            EXPECT_LT(std::abs(r.value - p.minimum), 2 * p.tolerance)
                << p.name << " " << to_string(rule) << " " << to_string(scale) << " "
                << to_string(solver) << acceleration << " after " << r.iterations << " "
                << to_string(r.status);
          }
        }
      }
    }
  }
}

TEST(LevenbergMarquardt, FollowsTheGainRatio) {
  // r = x - c in one dimension: the first step is exact but for mu. Scripted gains follow.
  Residuals f(1, 1, [](Span x, std::span<double> r, std::span<double> j) {
    r[0] = 2 * x[0] - 4;
    if (!j.empty()) j[0] = 2;
  });
  LevenbergMarquardt lm({.initial_damping = 0.5,
                         .rule = DampingRule::gain_ratio,
                         .scale = DampingScale::identity,
                         .acceleration = false});
  std::vector<double> x{0};
  auto report = lm.step(f, x);
  // mu = 0.5 * 4 = 2, d = 8 / (4 + 2); a linear r has gain 1, so mu falls to a third.
  EXPECT_LT(std::abs(x[0] - 8.0 / 6), 4 * eps);
  EXPECT_LT(std::abs(lm.damping() - 2.0 / 3), 4 * eps);
  EXPECT_EQ(report.evaluations, 3u);
  EXPECT_LT(std::abs(report.gradient_norm - 2 * 2 * std::abs(2 * x[0] - 4)), 16 * eps);
  // Two trials that are higher: mu * 2, mu * 2 * 4; then the model holds again.
  int trial = 0;
  Residuals g(1, 1, [&](Span y, std::span<double> r, std::span<double> j) {
    r[0] = 2 * y[0] - 4;
    if (!j.empty()) {
      j[0] = 2;
    } else if (++trial <= 2) {
      r[0] = 100;
    }
  });
  LevenbergMarquardt other({.initial_damping = 0.5,
                            .rule = DampingRule::gain_ratio,
                            .scale = DampingScale::identity,
                            .acceleration = false});
  x = {0};
  report = other.step(g, x);
  EXPECT_EQ(report.status, StepStatus::progress);
  EXPECT_EQ(report.evaluations, 5u);
  EXPECT_EQ(g.residual_calls, 3);  // rejected trials need residuals only
  EXPECT_EQ(g.jacobian_calls, 2);
  EXPECT_LT(std::abs(x[0] - 8.0 / (4 + 16)), 4 * eps);
  EXPECT_LT(std::abs(other.damping() - 16.0 / 3), 16 * eps);
  // The delayed rule: 1.5 up for each rejection, 5 down.
  trial = 0;
  LevenbergMarquardt delayed(
      {.initial_damping = 0.5, .scale = DampingScale::identity, .acceleration = false});
  x = {0};
  (void)delayed.step(g, x);
  EXPECT_LT(std::abs(delayed.damping() - 2 * 1.5 * 1.5 / 5), 16 * eps);
}

TEST(GaussNewton, OneStepSolvesALinearProblemInEverySpace) {
  for (const auto& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{{30, 8}, {8, 30}}) {
    const LinearResiduals p(m, n, 17);
    Matrix a(MatrixView<const double>(p.a.data(), m, n)), b(m, 1);
    for (std::size_t i = 0; i < m; ++i) b(i, 0) = p.b[i];
    const auto expected = least_squares_svd(a, b);
    for (const StepSpace space : {StepSpace::automatic, StepSpace::parameter, StepSpace::sample}) {
      for (const StepSearch search :
           {StepSearch::backtracking, StepSearch::grid, StepSearch::wolfe}) {
        Residuals f(m, n, p);
        GaussNewton gn({.search = search, .equations = {.space = space}});
        std::vector<double> x(n, 0.0);
        const auto r = gn.step(f, x);
        EXPECT_TRUE(r.status == StepStatus::progress || r.status == StepStatus::converged);
        for (std::size_t k = 0; k < n; ++k) {  // condition of a random J: below 100
          EXPECT_LT(std::abs(x[k] - expected.x(k, 0)), 1e4 * eps) << to_string(space);
        }
        EXPECT_LT(r.gradient_norm, 1e-11);
      }
    }
  }
}

TEST(GaussNewton, TheStepSolvesTheNormalEquations) {
  // Meyer's function at its start, with the equations formed and solved by LU in the test.
  Residuals f(16, 3, minimization::meyer_residuals);
  std::vector<double> x{0.02, 4000, 250}, r(16), j(48);
  f.jacobian(x, r, j);
  const double mu = 1e3;
  Matrix a(3, 3);
  std::vector<double> d(3);
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::size_t i = 0; i < 16; ++i) d[p] -= j[3 * i + p] * r[i];
    for (std::size_t q = 0; q < 3; ++q) {
      for (std::size_t i = 0; i < 16; ++i) a(p, q) += j[3 * i + p] * j[3 * i + q];
    }
    a(p, p) += mu;
  }
  lu(a).solve(VectorView<double>(d));
  GaussNewton gn({.damping = mu, .search = StepSearch::backtracking, .max_trials = 1});
  std::vector<double> y = x;
  const auto report = gn.step(f, y);
  ASSERT_EQ(report.status, StepStatus::progress);
  // J'J has condition 1e15 / 1e3 with the damping: LU loses that many digits, in the first entry.
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LT(std::abs(y[k] - x[k] - d[k]), 1e-4 * std::abs(d[k])) << k;
  }
}

TEST(NaturalGradient, MomentumMovesTheCentreOfTheDamping) {
  // Linear residuals, two steps: d2 minimises |r + J d|^2 + mu |d - beta d1|^2.
  const LinearResiduals p(12, 5, 9);
  const double mu = 2, beta = 0.6;
  Residuals f(12, 5, p);
  NaturalGradient ng({.damping = mu, .momentum = beta, .search = StepSearch::backtracking});
  std::vector<double> x0(5, 0.0), x1, x2 = x0;
  (void)ng.step(f, x2);
  x1 = x2;
  (void)ng.step(f, x2);
  std::vector<double> d1(5), gradient(5, 0.0), r(12);
  for (std::size_t k = 0; k < 5; ++k) d1[k] = x1[k] - x0[k];
  p(x2, r, {});  // r + J d2
  double size = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t i = 0; i < 12; ++i) gradient[k] += p.a[i * 5 + k] * r[i];
    gradient[k] += mu * (x2[k] - x1[k] - beta * d1[k]);
    size = std::max(size, std::abs(mu * beta * d1[k]));
  }
  EXPECT_GT(size, 0.01);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_LT(std::abs(gradient[k]), 1e-12);
  for (const double momentum : {0.0, 0.3}) {
    Residuals g(2, 2, rosenbrock_residuals);
    NaturalGradient solver({.momentum = momentum});
    std::vector<double> x{-1.2, 1};
    EXPECT_LT(minimize(solver, g, x, {.target_value = 1e-18, .max_iterations = 200}).value, 1e-17);
  }
}

TEST(MatrixFree, ReachesTheSameMinimaAsTheDenseEquations) {
  for (const Problem& p : problems()) {
    if (p.name == "Meyer" || p.name == "Brown" || p.name == "Osborne") continue;  // not for CG
    Residuals f(p.m, p.start.size(), p.f);
    LevenbergMarquardt lm({.equations = {.space = StepSpace::matrix_free}});
    std::vector<double> x = p.start;
    const auto r = minimize(lm, f, x, {.target_value = p.tolerance, .max_iterations = 500});
    EXPECT_LT(r.value, 2 * p.tolerance) << p.name << " " << to_string(r.status);
    EXPECT_EQ(f.jacobian_calls, 0);
  }
}

std::vector<std::unique_ptr<Optimizer>> least_squares_methods(const StepEquations& equations = {}) {
  std::vector<std::unique_ptr<Optimizer>> all;
  all.push_back(std::make_unique<GaussNewton>(GaussNewtonOptions{.equations = equations}));
  LevenbergMarquardtOptions lm;
  lm.equations = equations;
  all.push_back(std::make_unique<LevenbergMarquardt>(lm));
  all.push_back(std::make_unique<NaturalGradient>(
      NaturalGradientOptions{.momentum = 0.4, .equations = equations}));
  return all;
}

TEST(LeastSquaresMethods, RefuseAnObjectiveWithoutResiduals) {
  FunctionObjective f(2, minimization::extended_rosenbrock);
  for (const auto& method : least_squares_methods()) {
    std::vector<double> x{-1.2, 1};
    try {
      (void)method->step(f, x);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.message(), std::string(method->name()) +
                                 " needs residuals: the objective is not a sum of squares");
      EXPECT_FALSE(e.hint().empty());
    }
  }
}

TEST(LeastSquaresMethods, SayHowMuchMemoryTheEquationsNeed) {
  // 1e7 x 1e5 doubles: nothing may be allocated.
  Residuals huge(10'000'000, 100'000, [](Span, std::span<double>, std::span<double>) { FAIL(); });
  std::vector<double> x(100'000, 0.0);
  for (const auto& method : least_squares_methods({.max_bytes = 4'000'000'000})) {
    try {
      (void)method->step(huge, x);
      FAIL();
    } catch (const Error& e) {
      const std::string what = e.what();
      EXPECT_NE(what.find("10000000 residuals and 100000 parameters"), std::string::npos) << what;
      EXPECT_NE(what.find("GB"), std::string::npos) << what;
      EXPECT_NE(what.find("4 GB are allowed"), std::string::npos) << what;
      EXPECT_NE(what.find("matrix_free"), std::string::npos) << what;
    }
  }
}

TEST(LeastSquaresMethods, NaNKeepsTheBestFinitePoint) {
  for (std::size_t k = 0; k < 3; ++k) {
    // At the start: in r, in J.
    for (const int where : {0, 1}) {
      Residuals bad(2, 2, [&](Span x, std::span<double> r, std::span<double> j) {
        rosenbrock_residuals(x, r, j);
        if (where == 0) r[1] = nan;
        if (where == 1 && !j.empty()) j[2] = nan;
      });
      const auto method = std::move(least_squares_methods()[k]);
      std::vector<double> x{-1.2, 1};
      EXPECT_EQ(method->step(bad, x).status, StepStatus::not_finite);
      EXPECT_EQ(x, (std::vector<double>{-1.2, 1}));
    }
    // A wall of NaN between the start and the minimum, and one of NaN in J alone.
    for (const bool in_j : {false, true}) {
      Residuals wall(2, 2, [&](Span x, std::span<double> r, std::span<double> j) {
        rosenbrock_residuals(x, r, j);
        if (x[0] <= 0.5) return;
        if (!in_j) r[0] = nan;
        if (!j.empty()) j[0] = nan;
      });
      const auto method = std::move(least_squares_methods()[k]);
      std::vector<double> x{-1.2, 1};
      const auto r = minimize(*method, wall, x, {.max_iterations = 300});
      EXPECT_LE(x[0], 0.5) << method->name() << in_j;
      EXPECT_TRUE(std::isfinite(r.value));
      EXPECT_LT(std::abs(r.value - wall.value(x)), 1e-12);
      EXPECT_LT(r.value, 24.2);
    }
    // No trial is finite.
    Residuals lonely(2, 2, [&](Span x, std::span<double> r, std::span<double> j) {
      rosenbrock_residuals(x, r, j);
      if (x[0] != -1.2) r[0] = nan;
    });
    const auto method = std::move(least_squares_methods()[k]);
    std::vector<double> x{-1.2, 1};
    EXPECT_EQ(method->step(lonely, x).status, StepStatus::not_finite) << method->name();
    EXPECT_EQ(x[0], -1.2);
  }
}

TEST(LeastSquaresMethods, EndAtTheRoundingLevelWithAStatus) {
  for (std::size_t k = 0; k < 3; ++k) {
    const auto method = std::move(least_squares_methods()[k]);
    // A minimum of value above 0, where decreases drown in rounding.
    Residuals f(33, 5, minimization::osborne_residuals);
    std::vector<double> x{0.5, 1.5, -1, 0.01, 0.02};
    const auto r = minimize(*method, f, x, {.max_iterations = 2000});
    EXPECT_TRUE(r.status == Status::stalled || r.status == Status::converged)
        << method->name() << " " << to_string(r.status);
    EXPECT_LT(std::abs(r.value - 5.46489469748e-5), 1e-14);
    // A point with r = 0 is converged at once.
    Residuals zero(2, 2, rosenbrock_residuals);
    const auto fresh = std::move(least_squares_methods()[k]);
    std::vector<double> y{1, 1};
    const auto s = fresh->step(zero, y);
    EXPECT_EQ(s.status, StepStatus::converged);
    EXPECT_EQ(s.evaluations, 1u);
  }
}

TEST(LeastSquaresMethods, SavedAndRestoredContinueWithTheSameBits) {
  for (const StepSpace space : {StepSpace::automatic, StepSpace::matrix_free}) {
    for (std::size_t k = 0; k < 3; ++k) {
      Residuals f(33, 5, minimization::osborne_residuals);
      const auto whole = std::move(least_squares_methods({.space = space})[k]);
      const auto second = std::move(least_squares_methods({.space = space})[k]);
      std::vector<double> x{0.5, 1.5, -1, 0.01, 0.02}, y;
      for (int i = 0; i < 3; ++i) (void)whole->step(f, x);
      OptimizerState state;
      whole->save(state);
      second->restore(state);
      y = x;
      for (int i = 0; i < 4; ++i) {
        const auto a = whole->step(f, x), b = second->step(f, y);
        ASSERT_EQ(x, y) << whole->name() << i;
        ASSERT_EQ(a.value, b.value);
        EXPECT_EQ(a.evaluations + (i == 0 ? 1u : 0u), b.evaluations);
      }
      OptimizerState of_whole, of_second;
      whole->save(of_whole);
      second->save(of_second);
      EXPECT_TRUE(of_whole == of_second);
      EXPECT_THROW(second->restore({}), Error);
      for (const auto& entry : state.arrays) {
        OptimizerState bad = state;
        bad.arrays.erase(entry.first);
        EXPECT_THROW(second->restore(bad), Error) << entry.first;
        bad = state;
        bad.arrays[entry.first].push_back(1);
        EXPECT_THROW(second->restore(bad), Error) << entry.first;
      }
    }
  }
}

TEST(LeastSquaresMethods, AChangedObjectiveIsEvaluatedAnew) {
  for (std::size_t k = 0; k < 3; ++k) {
    double shift = 0;
    Residuals f(3, 2, [&](Span x, std::span<double> r, std::span<double> j) {
      r[0] = x[0] - shift;
      r[1] = 3 * (x[1] + shift);
      r[2] = x[0] + x[1];
      if (j.empty()) return;
      const double rows[] = {1, 0, 0, 3, 1, 1};
      std::copy(rows, rows + 6, j.begin());
    });
    const auto method = std::move(least_squares_methods()[k]);
    std::vector<double> x{3, 1};
    (void)minimize(*method, f, x, {.gradient_tolerance = 1e-10, .max_iterations = 50});
    shift = 1;
    method->objective_changed();
    const auto r = minimize(*method, f, x, {.gradient_tolerance = 1e-10, .max_iterations = 50});
    EXPECT_EQ(r.reason, StopReason::gradient_tolerance) << method->name();
    EXPECT_LT(std::hypot(x[0] - 1, x[1] + 1), 1e-9);
    // A point moved by the caller is noticed without being told; another size is refused.
    x = {5, 5};
    EXPECT_LT(method->step(f, x).value, 20);
    Residuals larger(2, 3, [](Span, std::span<double>, std::span<double>) {});
    std::vector<double> y(3, 0.0);
    EXPECT_THROW((void)method->step(larger, y), Error);
    Residuals empty(0, 2, [](Span, std::span<double>, std::span<double>) {});
    method->objective_changed();
    EXPECT_THROW((void)method->step(empty, x), Error);
  }
}

TEST(LeastSquaresMethods, RefuseOptionsOutsideTheirRanges) {
  EXPECT_THROW(LevenbergMarquardt({.initial_damping = 0}), Error);
  EXPECT_THROW(LevenbergMarquardt({.max_rejected = 0}), Error);
  EXPECT_THROW(LevenbergMarquardt({.equations = {.max_cg = 0}}), Error);
  EXPECT_THROW(LevenbergMarquardt({.scale = DampingScale::marquardt,
                                   .equations = {.space = StepSpace::matrix_free}}),
               Error);
  EXPECT_THROW(GaussNewton({.damping = -1}), Error);
  EXPECT_THROW(GaussNewton({.max_trials = 0}), Error);
  EXPECT_THROW(NaturalGradient({.damping = 0}), Error);
  EXPECT_THROW(NaturalGradient({.relative_damping = nan}), Error);
  EXPECT_THROW(NaturalGradient({.momentum = 1}), Error);
  EXPECT_THROW(Newton({.damping = nan}), Error);
  EXPECT_THROW(Newton({.difference = 0}), Error);
}

}  // namespace
}  // namespace cauchy::test_least_squares_methods
