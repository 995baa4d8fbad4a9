// Expansions of known functions, their remainders, and difference quotients.
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/taylor.hpp>

namespace cauchy::test_taylor {
namespace {

const Coordinate x("x");
const Parameter h("h"), xi("xi");

double at(const Expr& e, double x_value, double h_value = 0, double xi_value = 0) {
  Values values;
  values.set(x, x_value);
  values.set(h, h_value);
  values.set(xi, xi_value);
  return evaluate(e, values);
}

TEST(Taylor, PartialSumsOfSineAndExponential) {
  const double v = 0.7;
  EXPECT_NEAR(at(taylor_polynomial(sin(x), x, 0, 6), v),
              v - std::pow(v, 3) / 6 + std::pow(v, 5) / 120, 1e-15);
  EXPECT_NEAR(at(taylor_polynomial(exp(x), x, 1, 2), v),
              std::exp(1) * (1 + (v - 1) + (v - 1) * (v - 1) / 2), 1e-14);
  EXPECT_EQ(at(taylor_polynomial(cos(x), x, 0, 0), v), 1);
  EXPECT_THROW((void)taylor_polynomial(sin(x), x, 0, -1), Error);
}

TEST(Taylor, TheRemainderFallsWithOnePowerMoreThanTheOrder) {
  const Expr f = exp(sin(x));
  for (int n = 0; n <= 5; ++n) {
    const Expr p = taylor_polynomial(f, x, 0.3, n);
    const auto left = [&](double step) { return at(f, 0.3 + step) - at(p, 0.3 + step); };
    // The next term changes the ratio 2^(n+1) by a part of the step.
    const double step = 0.04, ratio = left(step) / left(step / 2);
    EXPECT_NEAR(std::log2(ratio), n + 1, 0.1) << n;
    // It lies between the values of its formula at both ends of the step, up to the same part.
    const Expr r = taylor_remainder(f, x, 0.3, n, xi);
    const double a = at(r, 0.34, 0, 0.3), b = at(r, 0.34, 0, 0.34), actual = left(step);
    EXPECT_GE(actual, std::min(a, b)) << n;
    EXPECT_LE(actual, std::max(a, b)) << n;
  }
}

TEST(DifferenceQuotient, TendsToTheDerivative) {
  const Expr f = x * x * x;
  // ((x + h)^3 - x^3) / h = 3 x^2 + 3 x h + h^2.
  EXPECT_NEAR(at(difference_quotient(f, x, h), 2, 0.5), 12 + 3 + 0.25, 1e-13);
  const Expr q = difference_quotient(sin(x), x, h);
  const double slope = at(d(sin(x), x), 1), e1 = at(q, 1, 1e-2) - slope,
               e2 = at(q, 1, 5e-3) - slope;
  EXPECT_NEAR(e1 / e2, 2, 0.01) << "first order";
}

}  // namespace
}  // namespace cauchy::test_taylor
