#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/vector.hpp>

#include "support/random_expr.hpp"

namespace cauchy::test_expr_print {
namespace {

const Coordinate t("t"), x("x"), y("y"), theta("theta");
const Field u("u"), v("v"), p("p"), u_x("u_x");
const Parameter nu("nu");
const DataFunction a("a");

TEST(Print, WritesTypicalEquationsAsPeopleDo) {
  EXPECT_EQ(to_string(d(u, t) + u * d(u, x) == nu * d(u, x, x)), "u_t + u*u_x = nu*u_xx");
  EXPECT_EQ(to_string(d(u, t) - d(u, x, x) == Expr(0)), "u_t - u_xx = 0");
  const Space space{x, y};
  EXPECT_EQ(
      to_string(d(u, t) + dot(Vector{u, v}, grad(u, space)) == -d(p, x) + nu * laplacian(u, space)),
      "u_t + u*u_x + u_y*v = -p_x + nu*laplacian(u)");
}

TEST(Print, WritesBracketsOnlyWhereTheyAreNeeded) {
  EXPECT_EQ(to_string(-pow(x, 2)), "-x^2");
  EXPECT_EQ(to_string(pow(-x, y)), "(-x)^y");
  EXPECT_EQ(to_string(pow(x + y, 2)), "(x + y)^2");
  EXPECT_EQ(to_string(pow(x, pow(y, t))), "x^(y^t)");
  EXPECT_EQ(to_string(pow(pow(x, y), t)), "(x^y)^t");
  EXPECT_EQ(to_string(x / y / t), "x/(t*y)");
  EXPECT_EQ(to_string(1 / (x + 1)), "1/(x + 1)");
  EXPECT_EQ(to_string(-3 * x / pow(y, 2)), "-3*x/y^2");
  EXPECT_EQ(to_string(1 / sqrt(x)), "1/sqrt(x)");
  EXPECT_EQ(to_string(2 * (x + y)), "2*(x + y)");
  EXPECT_EQ(to_string(-(x + y)), "-(x + y)");
  EXPECT_EQ(to_string(x - y - 1), "x - y - 1");
  EXPECT_EQ(to_string((x < y) * 2 + 1), "2*(x < y) + 1");
  EXPECT_EQ(to_string(where(x <= y, x, -y)), "where(x <= y, x, -y)");
  EXPECT_EQ(to_string(Expr(pi) * e_constant()), "exp(1)*pi");
  EXPECT_EQ(to_string(Expr(-2)), "-2");
}

TEST(Print, WritesShortDerivativesOnlyWhereTheyReadBack) {
  EXPECT_EQ(to_string(d(u, x, x, t)), "u_txx");
  EXPECT_EQ(to_string(d(u, theta, theta)), "d(u, theta, 2)");
  EXPECT_EQ(to_string(d_n(u, x, 9)), "d(u, x, 9)");
  EXPECT_EQ(to_string(d(u_x, t)), "d(u_x, t)");
  EXPECT_EQ(to_string(d(u, x) + u_x), "d(u, x) + u_x");
  Context c;
  c.add_space("x").add_field("u").add_field("u_x");
  EXPECT_EQ(to_string(d(u, x)), "u_x");
  EXPECT_EQ(to_string(d(u, x), &c), "d(u, x)");
  Context with_xy;
  with_xy.add_space("x").add_space("y").add_space("xy").add_field("u");
  EXPECT_EQ(to_string(d(u, x, y)), "u_xy");
  EXPECT_EQ(to_string(d(u, x, y), &with_xy), "d(u, x, y)");
  EXPECT_EQ(to_string(d(u, x, y) * d(u, Coordinate("xy"))), "d(u, xy)*d(u, x, y)");
}

TEST(Print, WritesDerivativesOfDataFunctions) {
  EXPECT_EQ(to_string(a(x, y)), "a(x, y)");
  EXPECT_EQ(to_string(d(a(x, t), x, x, t)), "D[1,1,2](a)(x, t)");
}

TEST(Print, WritesTheShortestNumberThatReadsBack) {
  EXPECT_EQ(number_to_string(0.1), "0.1");
  EXPECT_EQ(number_to_string(1e300), "1e+300");
  EXPECT_EQ(number_to_string(3), "3");
  EXPECT_EQ(number_to_string(1.0 / 3.0), "0.3333333333333333");
}

TEST(Print, RefusesTextAbove16MegabytesInsteadOfFillingTheMemory) {
  Expr e = x;
  for (int i = 0; i < 60; ++i) e = sin(e) * cos(e);  // 2^60 leaves as a tree
  EXPECT_THROW((void)to_string(e), Error);
  Expr deep = x;
  for (int i = 0; i < 1900; ++i) deep = sin(deep);
  EXPECT_EQ(to_string(deep).size(), 1900 * 5 + 1);
}

class RoundTrip : public ::testing::TestWithParam<int> {};

TEST_P(RoundTrip, GivesTheSameNodeBack) {
  Context c;
  c.add_time("t").add_space("x").add_space("y").add_space("theta");
  c.add_field("u").add_field("v").add_field("u_x").add_parameter("nu");
  c.add_function("a", 2);
  testing::RandomExprOptions options;
  options.depth = GetParam();
  options.atoms = {t,           x,
                   theta,       u,
                   u_x,         d(u, x),
                   d(u_x, t),   d(u, t, t),
                   d(v, theta), d_n(u, y, 12),
                   Expr(pi),    e_constant(),
                   nu,          call_derivative("a", {x, u}, {1, 2})};
  options.data = {a};
  testing::RandomExpr random(static_cast<std::uint64_t>(GetParam()), options);
  for (int i = 0; i < 2000; ++i) {
    const Expr e = random();
    const std::string text = to_string(e, &c);
    Expr again;
    ASSERT_NO_THROW(again = parse(text, c)) << text;
    ASSERT_TRUE(same(e, again)) << text << "\nreads as\n" << to_string(again, &c);
    Expr derivative;
    try {
      derivative = d(e, x);
    } catch (const Error&) {
      continue;  // log of a negative base
    }
    const std::string derived = to_string(derivative, &c);
    ASSERT_TRUE(same(parse(derived, c), derivative)) << derived;
  }
}

INSTANTIATE_TEST_SUITE_P(OfRandomExpressions, RoundTrip, ::testing::Values(1, 2, 3, 4, 5, 6));

}  // namespace
}  // namespace cauchy::test_expr_print
