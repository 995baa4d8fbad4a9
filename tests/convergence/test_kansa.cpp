#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cmath>

namespace cauchy::test_kansa {
namespace {

const Coordinate x("x"), y("y");
const Field u("u");

/// -laplacian u = f in a disk, u known on its boundary.
Problem membrane() {
  const Expr exact = exp(x) * cos(3 * y);
  Problem p;
  p.domain = Disk({0, 0}, 1);
  p.fields = {"u"};
  p.equation = {-d(u, x, x) - d(u, y, y) == 8 * exact};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas["u"] = exact;
  return p;
}

double kansa_error(int n, const Kansa& settings) {
  Kansa method = settings;
  method.n = n;
  return solve(membrane(), method).error.relative_l2();
}

TEST(KansaConvergence, FallsFasterThanAnyPowerForAFixedShape) {
  // A fixed shape: the error falls like exp(-c / h), so that the order grows with n.
  const Kansa fixed{.shape = 2, .outside = 1};
  const double e4 = kansa_error(4, fixed), e8 = kansa_error(8, fixed), e16 = kansa_error(16, fixed);
  const double first = std::log2(e4 / e8), second = std::log2(e8 / e16);
  EXPECT_GT(first, 3) << e4 << " " << e8;
  EXPECT_GT(second, first + 5) << e8 << " " << e16;
  EXPECT_LT(e16, 1e-6);
}

TEST(KansaConvergence, TheAutomaticShapeReachesEightDigits) {
  double before = 1;
  for (const int n : {4, 8, 12}) {
    const double error = kansa_error(n, {});
    EXPECT_LT(error, before / 5) << n;
    before = error;
  }
  EXPECT_LT(before, 1e-7);
}

TEST(KansaConvergence, CubicKernelHasTheOrderOfItsSmoothness) {
  // r^3 is the fundamental solution of a fourth-order operator in a line: order 2 in -u'' = f by
  // collocation, like the cubic spline.
  Problem rod;
  rod.domain = Interval(x, 0, 1);
  rod.fields = {"u"};
  rod.equation = {d(u, x, x) == -pi * pi * sin(pi * x)};
  rod.condition = {on_boundary(u == 0)};
  rod.reference.formulas["u"] = sin(pi * x);
  const auto error = [&](int n) {
    return solve(rod, Kansa{.n = n, .kernel = RbfKernel::cubic, .outside = 0}).error.relative_l2();
  };
  EXPECT_NEAR(std::log2(error(20) / error(40)), 2, 0.1);
}

}  // namespace
}  // namespace cauchy::test_kansa
