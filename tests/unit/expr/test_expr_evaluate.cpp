#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>

namespace cauchy::test_expr_evaluate {
namespace {

const Coordinate x("x"), y("y");
const Field u("u");
const Parameter nu("nu");
const DataFunction a("a");

double at(const Expr& e, double vx, double vy = 0) {
  return evaluate(e, Values().set(x, vx).set(y, vy));
}

TEST(Evaluate, ComputesEveryFunction) {
  const double s = 0.37;
  EXPECT_EQ(at(exp(x), s), std::exp(s));
  EXPECT_EQ(at(log(x), s), std::log(s));
  EXPECT_EQ(at(sin(x), s), std::sin(s));
  EXPECT_EQ(at(cos(x), s), std::cos(s));
  EXPECT_EQ(at(tan(x), s), std::tan(s));
  EXPECT_EQ(at(asin(x), s), std::asin(s));
  EXPECT_EQ(at(acos(x), s), std::acos(s));
  EXPECT_EQ(at(atan(x), s), std::atan(s));
  EXPECT_EQ(at(sinh(x), s), std::sinh(s));
  EXPECT_EQ(at(cosh(x), s), std::cosh(s));
  EXPECT_EQ(at(tanh(x), s), std::tanh(s));
  EXPECT_EQ(at(erf(x), s), std::erf(s));
  EXPECT_EQ(at(sqrt(x), s), std::sqrt(s));
  EXPECT_EQ(at(1 / x, s), 1 / s);
  EXPECT_EQ(at(pow(x, 2.5), s), std::pow(s, 2.5));
  EXPECT_EQ(at(abs(x), -2), 2);
  EXPECT_EQ(at(sign(x), -2), -1);
  EXPECT_EQ(at(sign(x), 0), 0);
  EXPECT_EQ(at(min(x, y), 1, 2), 1);
  EXPECT_EQ(at(max(x, y), 1, 2), 2);
  EXPECT_EQ(at(2 * x * y + 3, 5, 7), 73);
  EXPECT_EQ(evaluate(Expr(pi)), 3.14159265358979323846);
}

TEST(Evaluate, ComparesAndSelects) {
  EXPECT_EQ(at(x < y, 1, 2), 1);
  EXPECT_EQ(at(x < y, 2, 2), 0);
  EXPECT_EQ(at(x <= y, 2, 2), 1);
  EXPECT_EQ(at(x > y, 3, 2), 1);
  EXPECT_EQ(at(where(x < y, 10 * x, y), 1, 2), 10);
  EXPECT_EQ(at(where(x < y, 10 * x, y), 3, 2), 2);
  EXPECT_EQ(at(heaviside(x), 0), 1);
  EXPECT_EQ(at(heaviside(x), -1), 0);
}

TEST(Evaluate, RoundsDownAndTakesRemaindersOfTheSignOfTheDivisor) {
  EXPECT_EQ(at(floor(x), 2.75), 2);
  EXPECT_EQ(at(floor(x), -2.25), -3);
  EXPECT_EQ(at(floor(x), -4), -4);
  EXPECT_EQ(at(mod(x, y), 7.5, 2), 1.5);
  EXPECT_EQ(at(mod(x, y), -7.5, 2), 0.5);
  EXPECT_EQ(at(mod(x, y), 7.5, -2), -0.5);
  EXPECT_EQ(at(mod(x, y), -7.5, -2), -1.5);
  EXPECT_EQ(at(mod(x, y), 6, 2), 0);
  EXPECT_EQ(at(mod(x, 49), 49), 0);  // 49 * (1/49) is below 1
  // The quotient is rounded up to 65: the remainder stays between 0 and the divisor.
  const double divisor = 0.8042424105565017, rest = at(mod(x, y), 52.275756686172606, divisor);
  EXPECT_GT(rest, 0);
  EXPECT_LE(rest, divisor);
}

TEST(Evaluate, TakesValuesOfDerivativesAndOtherNodes) {
  const Expr residual = d(u, x) * u - nu * d(u, x, x);
  const Values values = Values().set(u, 2).set(d(u, x), 3).set(d(u, x, x), 5).set(nu, 0.5);
  EXPECT_EQ(evaluate(residual, values), 3.5);
  EXPECT_EQ(evaluate(sin(x) + 1, Values().set(sin(x), 4)), 5);
}

TEST(Evaluate, CallsDataFunctionsWithTheirOrders) {
  Values values;
  values.set(x, 2).set(y, 3);
  values.set(a, [](std::span<const double> args, std::span<const int> orders) {
    return 100 * args[0] + 10 * args[1] + orders[0] + 0.5 * orders[1];
  });
  EXPECT_EQ(evaluate(a(x, y), values), 230);
  EXPECT_EQ(evaluate(d(a(x, y), x, x, y), values), 232.5);
}

TEST(Evaluate, NamesTheAtomWithoutAValue) {
  try {
    (void)evaluate(x + d(u, x), Values().set(x, 1));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "[expr.evaluate]: 'u_x' has no value; set it in the Values");
  }
}

TEST(Evaluate, GivesNaNOutsideTheDomainInsteadOfThrowing) {
  EXPECT_TRUE(std::isnan(at(log(x), -1)));
  EXPECT_TRUE(std::isinf(at(1 / x, 0)));
}

}  // namespace
}  // namespace cauchy::test_expr_evaluate
