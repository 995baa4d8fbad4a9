#include <cauchy/problem/norms.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/formula_field.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_norms {
namespace {

const Coordinate x("x"), y("y");
const Field u("u");

Solution formula(const Domain& domain, const Expr& f) {
  Solution s;
  s.problem.domain = domain;
  s.problem.fields = {"u"};
  s.model = std::make_shared<FormulaField>(domain.columns(), std::map<std::string, Expr>{{"u", f}});
  return s;
}

TEST(SobolevNorm, HasItsClosedFormsOnABox) {
  const Solution s = formula(Interval(x, 0, 1), sin(pi * x));
  const double half = 0.5, pi2 = M_PI * M_PI;
  EXPECT_LT(std::abs(sobolev_norm(s, "u", 0) - std::sqrt(half)), 1e-13);
  EXPECT_LT(std::abs(sobolev_norm(s, "u", 1) - std::sqrt(half * (1 + pi2))), 1e-12);
  EXPECT_LT(std::abs(sobolev_norm(s, u, 2) - std::sqrt(half * (1 + pi2 + pi2 * pi2))), 1e-11);
  // int |sin| = 2 / pi, int |pi cos| = 2: the kink at 1/2 costs Gauss nodes their digits.
  EXPECT_LT(std::abs(sobolev_norm(s, u, 1, 1, 400) - (2 / M_PI + 2)), 1e-4);
  EXPECT_LT(std::abs(sobolev_norm(s, u, 1, std::numeric_limits<double>::infinity()) - M_PI), 1e-2);
  EXPECT_LT(sobolev_norm(s, u - sin(pi * x), 1), 1e-13);
  // On a square each mixed derivative counts once: u_xy = 1 beside u_x = y, u_y = x.
  const Solution product = formula(Rectangle({0, 0}, {1, 1}), x * y);
  const double third = 1.0 / 3;
  EXPECT_LT(std::abs(sobolev_norm(product, u, 2) - std::sqrt(third * third + 2 * third + 1)),
            1e-13);
}

TEST(SolutionIntegrals, AreThoseOfDomainsAndBoundaries) {
  const Solution s = formula(Disk({0, 0}, 2), x * x + y * y);
  EXPECT_LT(std::abs(integral(s, "u").value - M_PI * 8), 1e-12);  // int r^3 dr dphi
  // Gauss: int lap u = int u_n ds, 4 |disk| = 2 r |circle|.
  EXPECT_LT(std::abs(integral(s, "u_xx + u_yy").value - 16 * M_PI), 1e-11);
  EXPECT_LT(std::abs(integral(s, "u_n", "boundary").value - 16 * M_PI), 1e-11);
  EXPECT_TRUE(integral(s, "u").gauss);
  // A square with a hole has no Gauss rule: the value is a mean over points.
  const Solution hole = formula(Rectangle({-1, -1}, {1, 1}) - Disk({0, 0}, 0.5), Expr(1));
  const SolutionIntegral mean = integral(hole, "u");
  EXPECT_FALSE(mean.gauss);
  EXPECT_LT(std::abs(mean.value - (4 - M_PI / 4)), 1e-2);
}

TEST(SobolevNorm, SaysWhatIsWrong) {
  const Solution s = formula(Interval(x, 0, 1), x);
  EXPECT_NE(message_of([&] { (void)sobolev_norm(s, u, 5); }), "no error");
  EXPECT_NE(message_of([&] { (void)sobolev_norm(s, u, 1, 0.5); }), "no error");
  EXPECT_NE(message_of([&] { (void)integral(s, "w"); }), "no error");
}

}  // namespace
}  // namespace cauchy::test_norms
