// What classical methods foresee of their levels, against what is counted then. No clock is asked.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

namespace cauchy::test_foreseen_work {
namespace {

const Coordinate x("x"), y("y"), t("t");
const Field u("u");

Problem on_line(const Equation& equation, const Expr& initial) {
  Problem p;
  p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  p.fields = {"u"};
  p.equation = {equation};
  p.condition = {at(t == 0, u == initial), on_boundary(u == 0)};
  p.tolerance = 1e-6;
  return p;
}

Problem on_square(const Equation& equation) {
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1});
  p.fields = {"u"};
  p.equation = {equation};
  p.condition = {on_boundary(u == 0)};
  p.tolerance = 1e-6;
  return p;
}

Problem front() {
  Problem p = on_square(d(u, t) + u * d(u, x) == 0.05 * (d(u, x, x) + d(u, y, y)));
  p.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 1);
  p.condition = {at(t == 0, u == sin(pi * x) * sin(pi * y)), on_boundary(u == 0)};
  return p;
}

struct Case {
  std::string name;
  Problem problem;
};

std::vector<Case> cases() {
  const Expr wave = sin(pi * x), laplacian = d(u, x, x) + d(u, y, y);
  return {{"heat", on_line(d(u, t) == 0.1 * d(u, x, x), wave)},
          {"burgers", on_line(d(u, t) + d(u * u / 2, x) == 0.05 * d(u, x, x), sin(2 * pi * x))},
          {"poisson", on_square(-laplacian == 1 + exp(x * y))},
          {"cubic", on_square(-laplacian + 20 * u * u * u == 10 * exp(x * y))},
          {"front", front()}};
}

/// Levels of which more than a few hundredths of a second is foreseen or counted.
void expect_foreseen(const Case& c, const Method& method, double within) {
  std::unique_ptr<PreparedMethod> prepared;
  try {
    prepared = prepare(c.problem, method, 1);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::unsupported) return;
    throw;
  }
  (void)prepared->run({.threads = 1, .limit = RunLimit().with_work(0.3)});
  for (const LevelCost& level : prepared->levels()) {
    const double foreseen = nominal_seconds(level.foreseen),
                 counted = nominal_seconds(level.counted);
    if (std::max(foreseen, counted) < 0.03) continue;
    EXPECT_LT(counted, within * foreseen) << c.name << ", " << level.method;
    if (level.interrupted) continue;
    EXPECT_LT(foreseen, within * counted) << c.name << ", " << level.method;
  }
}

/// Every level within a factor of four.
void expect_foreseen(const Method& method) {
  for (const Case& c : cases()) expect_foreseen(c, method, 4);
}

TEST(ForeseenWork, OfDifferences) { expect_foreseen(Fdm{}); }
TEST(ForeseenWork, OfElements) { expect_foreseen(Fem{}); }
TEST(ForeseenWork, OfVolumes) { expect_foreseen(Fvm{}); }
TEST(ForeseenWork, OfVolumesWithAFastReaction) {
  Problem p = on_line(d(u, t) == 1e-3 * d(u, x, x) + 100 * (u - u * u * u), sin(pi * x));
  p.domain = Interval(x, 0, 1) * Time(t, 0, 4);
  expect_foreseen({"reaction", p}, Fvm{}, 2);
}

TEST(ForeseenWork, OfPolynomials) { expect_foreseen(Spectral{}); }
TEST(ForeseenWork, OfRadialFunctions) { expect_foreseen(Kansa{}); }

TEST(ForeseenWork, OfRandomFeaturesThatAreTheAnswer) {
  const Case heat = cases().front();
  Pinn method;
  method.features.counts = {100};
  const auto prepared = prepare(heat.problem, method, 1);
  const MethodCost cost = prepared->cost();
  const Work before = work_of_thread();
  const Solution solution = prepared->run({.threads = 1, .error_share = 0}).solution;
  const double counted = nominal_seconds(work_of_thread().since(before));
  ASSERT_LE(solution.training->steps, 40u);  // those of the features
  const double foreseen = nominal_seconds(cost.training->search);
  EXPECT_LT(counted, 4 * foreseen);
  EXPECT_LT(foreseen, 4 * counted);
}

}  // namespace
}  // namespace cauchy::test_foreseen_work
