#include <cauchy/geometry/r_functions.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>

namespace cauchy::test_r_functions {
namespace {

const Symbol a("a"), b("b");
const Coordinate x("x"), y("y");

double at(const Expr& e, double va, double vb) {
  return evaluate(e, Values().set(a, va).set(b, vb));
}
double at_xy(const Expr& e, double vx, double vy) {
  return evaluate(e, Values().set(x, vx).set(y, vy));
}

TEST(RFunctions, HaveTheSignsOfAndAndOr) {
  for (const double va : {-2.0, -0.1, 0.3, 5.0}) {
    for (const double vb : {-3.0, -0.7, 0.2, 1.0}) {
      EXPECT_EQ(at(r_and(a, b), va, vb) > 0, va > 0 && vb > 0) << va << " " << vb;
      EXPECT_EQ(at(r_or(a, b), va, vb) > 0, va > 0 || vb > 0) << va << " " << vb;
      EXPECT_EQ(at(r_minus(a, b), va, vb) > 0, va > 0 && vb < 0) << va << " " << vb;
    }
  }
}

TEST(RFunctions, VanishOnlyWhereOneOperandDoesAndTheOtherIsInside) {
  EXPECT_EQ(at(r_and(a, b), 0, 2), 0);
  EXPECT_EQ(at(r_and(a, b), 3, 0), 0);
  EXPECT_LT(at(r_and(a, b), 0, -2), 0);  // not "a = 0 or b = 0"
  EXPECT_LT(at(r_and(a, b), -3, 0), 0);
  EXPECT_EQ(at(r_or(a, b), 0, -2), 0);
  EXPECT_GT(at(r_or(a, b), 0, 2), 0);
}

TEST(RFunctions, ObeyDeMorgan) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const double va = rng.normal(), vb = rng.normal();
    // The same three numbers in the same operations: equal to the last bit.
    EXPECT_EQ(at(r_or(a, b), va, vb), -at(r_and(-a, -b), va, vb));
  }
}

TEST(RFunctions, KeepTheSlopeOfTheOperandThatVanishes) {
  const Expr f = r_and(x, y + 2), g = r_or(x, y - 2);
  EXPECT_LT(std::abs(at_xy(d(f, x), 0, 1) - 1), 1e-15);
  EXPECT_LT(std::abs(at_xy(d(f, y), 0, 1)), 1e-15);
  EXPECT_LT(std::abs(at_xy(d(g, x), 0, 1) - 1), 1e-15);
}

TEST(REquivalence, VanishesOnEveryPartAndIsNormalisedToItsOrder) {
  // Walls x = 0 and y = 0; at distance h from the first one, far from the second, the deviation
  // from h is of order h^(m+1).
  for (const int m : {1, 2, 3}) {
    const Expr parts[] = {x, y};
    const Expr f = r_equivalence(parts, m);
    EXPECT_EQ(at_xy(f, 0, 0.7), 0);
    EXPECT_EQ(at_xy(f, 0.7, 0), 0);
    EXPECT_EQ(at_xy(f, 0, 0), 0);  // where the parts meet, too
    const double coarse = std::abs(at_xy(f, 0.02, 1) - 0.02);
    const double fine = std::abs(at_xy(f, 0.01, 1) - 0.01);
    const double order = std::log2(coarse / fine);
    EXPECT_GT(order, m + 0.9);
    EXPECT_LT(order, m + 1.1);
  }
}

TEST(REquivalence, RefusesNoPartsAndBadOrders) {
  const Expr parts[] = {x};
  EXPECT_THROW((void)r_equivalence({}, 1), Error);
  EXPECT_THROW((void)r_equivalence(parts, 0), Error);
}

TEST(Normalized, HasSlopeOneWhereTheFunctionVanishes) {
  const Expr r = 3 * (1 - x * x / 4 - y * y);  // an ellipse, slope far from 1
  const Expr coordinates[] = {x, y};
  const Expr f = normalized(r, coordinates);
  for (const double angle : {0.0, 0.4, 1.1, 2.5, 4.0}) {
    const double vx = 2 * std::cos(angle), vy = std::sin(angle);
    const double slope = std::hypot(at_xy(d(f, x), vx, vy), at_xy(d(f, y), vx, vy));
    EXPECT_LT(std::abs(at_xy(f, vx, vy)), 1e-15);
    EXPECT_LT(std::abs(slope - 1), 1e-14);
  }
}

TEST(Levelled, KeepsSlopeOneUnlikeTheSignLikeFormula) {
  const double delta = 0.1;
  EXPECT_LT(std::abs(at_xy(d(levelled(x, delta), x), 0, 0) - 1), 1e-15);
  EXPECT_LT(std::abs(at_xy(levelled(x, delta), 1e6, 0) - delta), 1e-9);
  // The formula without the factor delta has slope 1/delta.
  const Expr sign_like = x / sqrt(x * x + delta * delta);
  EXPECT_LT(std::abs(at_xy(d(sign_like, x), 0, 0) - 1 / delta), 1e-12);
  EXPECT_THROW((void)levelled(x, 0), Error);
}

TEST(SegmentFunction, VanishesOnTheSegmentOnlyWithSlopeOneAcross) {
  const Expr f = segment_function(0, 0, 2, 0, x, y);
  for (const double s : {0.1, 1.0, 1.9}) {
    EXPECT_LT(std::abs(at_xy(f, s, 0)), 1e-15);
    // One-sided slope: the function grows like |y|.
    EXPECT_LT(std::abs(at_xy(f, s, 1e-6) / 1e-6 - 1), 1e-5);
  }
  for (const double s : {-0.5, 2.5}) EXPECT_GT(at_xy(f, s, 0), 0.1);
  EXPECT_GT(at_xy(f, 1, 1), 0.5);
}

}  // namespace
}  // namespace cauchy::test_r_functions
