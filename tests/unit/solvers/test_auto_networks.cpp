// The networks that `auto` takes by the facts of a problem, and what goes with them.
#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/recipes/problem_character.hpp"
#include "solvers/recipes/waves.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_auto_networks {
namespace {

const Coordinate x("x");
const Field u("u");

/// u' = cos(omega x) on [-2 pi, 2 pi]: 4 omega half waves.
Problem slope(double omega) {
  Problem p;
  p.name = "slope";
  p.fields = {"u"};
  p.domain = Interval(x, -2 * pi, 2 * pi);
  p.equation = {d(u, x) == cos(omega * x)};
  p.condition = {at_point({{"x", 0.0}}, u == 0)};
  p.reference.formulas["u"] = sin(omega * x) / omega;
  return p;
}

/// -eps u'' + u' = 1 with a layer of width eps at the right end.
Problem layer(double eps) {
  Problem p;
  p.name = "layer";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {d(u, x) - eps * d(u, x, x) == 1};
  p.condition = {on_boundary(u == 0)};
  p.reference.formulas["u"] =
      x - (exp((x - 1) / eps) - std::exp(-1 / eps)) / (1 - std::exp(-1 / eps));
  return p;
}

const Windows* windows_of(const Expanded& made) { return std::get_if<Windows>(&made.pinn.network); }

std::string_view first_optimizer(const std::vector<Stage>& stages) {
  return entry_of(stages.front().method).name;
}

TEST(AutoNetworks, SolveALineOfManyHalfWavesInOneStep) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Solution s = solve(slope(12), Auto{.seed = seed}, {.threads = 1});
    EXPECT_LT(s.error.relative_l2(), 1e-9) << seed;
    EXPECT_EQ(s.grade, Grade::converged) << seed;
    EXPECT_LE(s.training->steps, 2u) << seed;
  }
}

TEST(AutoNetworks, HaveWindowsForEverySixHalfWavesWithFeaturesOfTheirSeed) {
  const Expanded made = expand(Auto{.seed = 7}, slope(12));
  const Windows* w = windows_of(made);
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(w->windows, std::vector<int>{8});
  const auto* features = std::get_if<Elm>(&w->inner.front());
  ASSERT_NE(features, nullptr);
  EXPECT_EQ(features->seed, 7u);
  // A window sees 12 half waves as [-1, 1]: the wave number is 6 pi.
  EXPECT_GT(features->scale, 6 * pi);
  EXPECT_LT(features->scale, 12 * pi);
  EXPECT_EQ(first_optimizer(made.pinn.stages), "gauss_newton");
}

TEST(AutoNetworks, ResolveALayerOfALinearEquation) {
  const Solution s = solve(layer(0.005), Auto{}, {.threads = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-7);
  EXPECT_NE(s.method.find("windows"), std::string::npos) << s.method;
}

TEST(AutoNetworks, AreOtherOnesWhereALineIsCalmNonlinearOrUnknown) {
  EXPECT_EQ(windows_of(expand(Auto{}, slope(2))), nullptr);
  EXPECT_EQ(windows_of(expand(Auto{}, layer(0.5))), nullptr);
  Problem nonlinear = slope(12);
  nonlinear.equation = {d(u, x) + u * u == cos(12 * x)};
  EXPECT_EQ(windows_of(expand(Auto{}, nonlinear)), nullptr);
  Problem inverse = slope(12);
  inverse.unknowns = {{.name = "k", .initial = 1}};
  inverse.equation = {Parameter("k") * d(u, x) == cos(12 * x)};
  EXPECT_EQ(windows_of(expand(Auto{}, inverse)), nullptr);
  // 4,000 weights are what one dense least-squares problem has room for.
  EXPECT_EQ(windows_of(expand(Auto{}, slope(500))), nullptr);
}

TEST(AutoNetworks, ThatAreChangedGetTheirOwnStages) {
  Pinn changed = expand(Auto{}, rod(sin(pi * x))).pinn;
  EXPECT_EQ(first_optimizer(changed.stages), "adam");
  changed.network = Elm{.features = 20};
  const std::vector<Stage> stages = stages_of(Auto{}, rod(sin(pi * x)), changed);
  EXPECT_EQ(first_optimizer(stages), "gauss_newton");
  Problem bent = rod(sin(pi * x));
  bent.equation = {-d(u, x, x) + u * u == sin(pi * x)};
  EXPECT_EQ(first_optimizer(stages_of(Auto{}, bent, changed)), "levenberg_marquardt");
  changed.network = Siren{.width = 8};
  EXPECT_EQ(first_optimizer(stages_of(Auto{}, rod(sin(pi * x)), changed)), "adam");
  const std::vector<Stage> own = {{LbfgsOptions{}, 5}};
  EXPECT_EQ(first_optimizer(stages_of(Auto{.stages = own}, bent, changed)), "lbfgs");
}

TEST(Waves, OnALineAreCountedWithRipplesAndWithoutAliases) {
  const detail::DomainBox line{.names = {"x"}, .lower = {0}, .upper = {1}};
  const auto count = [&](const Expr& f) { return detail::half_waves(f, line, 0, 1); };
  EXPECT_NEAR(count(cos(10 * pi * x)), 10, 1);
  EXPECT_NEAR(count(cos(800 * pi * x)), 800, 1);  // constant at 401 points
  EXPECT_NEAR(count(x + sin(100 * pi * x) / 50), 100, 1);
  EXPECT_LE(count(x + sin(100 * pi * x) / 1000), 1);  // too small to matter
  EXPECT_EQ(count(exp(x)), 1);
  EXPECT_EQ(detail::half_waves(cos(10 * pi * x), line, 0, 0), 0) << "no axis of space";
}

TEST(Waves, OfFreeSolutionsAreTheirFastestRates) {
  const detail::DomainBox line{.names = {"x"}, .lower = {0}, .upper = {2}};
  const auto rate = [&](const Expr& r) { return detail::free_rates(r, "u", line) * pi / 2; };
  EXPECT_EQ(rate(d(u, x) - cos(x)), 0);
  EXPECT_NEAR(rate(d(u, x, x) + 49 * u), 7, 1e-12);
  EXPECT_NEAR(rate(d(u, x, x) - 49 * u), 7, 1e-12);
  EXPECT_NEAR(rate(d(u, x) - 0.01 * d(u, x, x)), 100, 1e-9);
  EXPECT_NEAR(rate(d(u, x, x) + (1 + x) * (1 + x) * u), 3, 1e-12);
  EXPECT_TRUE(std::isinf(rate(x * d(u, x) + u)));
  EXPECT_EQ(rate(d(u, x, x) + u * u), 0) << "it depends on the answer";
}

}  // namespace
}  // namespace cauchy::test_auto_networks
