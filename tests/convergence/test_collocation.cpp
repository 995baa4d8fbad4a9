#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "solvers/ode/collocation.hpp"

namespace cauchy::detail::test_collocation {
namespace {

/// u'' = -exp(-2 u) with u = log(1 + x): the largest error of u at the mesh points.
double error_of(std::size_t intervals) {
  const Coordinate x("x");
  const Field u("u");
  auto p = std::make_shared<Problem>();
  p->domain = Interval(x, 0, 3);
  p->fields = {"u"};
  p->equation = {d(u, x, x) == -exp(-2 * u)};
  p->condition = {on("left", u == 0), on("right", d(u, x) == 0.25)};
  const OdeProblem problem(p);
  // No interval is cut at this tolerance.
  const OdeNodes found = solve_collocation(problem, intervals, 1e-2, {});
  EXPECT_EQ(found.trouble, "");
  EXPECT_EQ(found.steps, intervals);
  double worst = 0;
  for (std::size_t i = 0; i <= intervals; ++i) {
    const double at = 3.0 * static_cast<double>(i) / static_cast<double>(intervals);
    worst = std::max(worst, std::abs(found.cubics.value(at, 0, 0) - std::log1p(at)));
  }
  return worst;
}

TEST(Collocation, FourGaussPointsHaveOrderEightAtTheMeshPoints) {
  const double a = error_of(24), b = error_of(48);
  EXPECT_NEAR(std::log2(a / b), 8, 0.1) << a << " " << b;
}

}  // namespace
}  // namespace cauchy::detail::test_collocation
