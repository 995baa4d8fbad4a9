// Directions along which an answer may move and hardly leave a defect, against shifts that are
// known.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

#include "solvers/trust/neutral_direction.hpp"
#include "support/formula_field.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_neutral_direction {
namespace {

const Coordinate x("x");
const Field u("u");

Expr front(double width, double place) { return -tanh((x - place) / (2 * width)); }

/// s u_xx = u u_x between the ends of a front at 0.3.
Problem soft_front(double width) {
  Problem p;
  p.name = "front";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1);
  p.equation = {width * d(u, x, x) == u * d(u, x)};
  p.condition = {on("left", u == std::tanh(1.3 / (2 * width))),
                 on("right", u == -std::tanh(0.7 / (2 * width)))};
  p.tolerance = 1e-2;
  return p;
}

Solution answer(const Problem& p, const Expr& field) {
  Solution s;
  s.problem = p;
  s.method = "formulas";
  s.model =
      std::make_shared<FormulaField>(p.coordinates(), std::map<std::string, Expr>{{"u", field}});
  return s;
}

TEST(NeutralDirection, AFrontAtAnotherPlaceIsFound) {
  // It fulfils the equation, and its ends are off by 1e-5: 16 % of the domain have the wrong sign.
  const Problem p = soft_front(0.06);
  const auto shifted = detail::neutral_direction(answer(p, front(0.06, 0.02)));
  EXPECT_GT(shifted.error, 0.02);
  EXPECT_GT(shifted.gain, 1e3);
  const auto right = detail::neutral_direction(answer(p, front(0.06, 0.3)));
  EXPECT_LT(right.error, 1e-7);
}

TEST(NeutralDirection, WhatRoundingDecidesIsNotKnown) {
  const auto found = detail::neutral_direction(answer(soft_front(0.01), front(0.01, 0.2)));
  EXPECT_GT(found.error, 0.01);
}

TEST(NeutralDirection, IsTheErrorItselfWhereNothingIsNeutral) {
  const Problem p = rod(pi * pi * sin(pi * x));
  const auto off = detail::neutral_direction(answer(p, 1.001 * sin(pi * x)));
  EXPECT_NEAR(off.error, 1e-3, 2e-4);
  EXPECT_NEAR(off.gain, 1, 0.5) << "values at the ends";
  EXPECT_LT(detail::neutral_direction(answer(p, sin(pi * x))).error, 1e-12);
}

TEST(NeutralDirection, IsPartOfTheEstimate) {
  Solution s = answer(soft_front(0.06), front(0.06, 0.02));
  s.estimate = ErrorEstimate{.relative_l2 = 1e-7, .how = "two grids"};
  detail::add_neutral_direction(s);
  EXPECT_GT(s.estimate->judged(), 0.02);
  EXPECT_THAT(s.estimate->how, ::testing::HasSubstr("nearly neutral"));
  Solution good = answer(rod(pi * pi * sin(pi * x)), sin(pi * x));
  good.estimate = ErrorEstimate{.relative_l2 = 1e-7, .how = "two grids"};
  detail::add_neutral_direction(good);
  EXPECT_EQ(good.estimate->how, "two grids");
}

TEST(NeutralDirection, IsNotLookedForElsewhere) {
  EXPECT_EQ(detail::neutral_direction(answer(heated_bar(), cos(pi * x / 2))).gain, 0);
}

}  // namespace
}  // namespace cauchy::test_neutral_direction
