// Formulas that are NaN or infinite where they hold, and those that only look so.
#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/check_values.hpp"
#include "problem/circle.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_check_values {
namespace {

const Coordinate t("t"), x("x");
const Field u("u");

/// A rod on (-1, 1) with another equation.
Problem rod_with(const Equation& form) {
  Problem p = rod(0);
  p.domain = Interval(x, -1, 1);
  p.equation = {form};
  return p;
}

std::string found(const Problem& p) {
  return message_of([&] { check(p); });
}

TEST(CheckValues, NamesTheSmallestPartAndThePoint) {
  EXPECT_TRUE(found(rod_with(d(u, x, x) == 3 + 2 * log(x)))
                  .starts_with("form of equation 'u_xx = 2*log(x) + 3': 'log(x)' is NaN at x = -"));
  EXPECT_TRUE(found(rod_with(sqrt(x) * d(u, x, x) == 1)).find("'sqrt(x)' is NaN at x = -") !=
              std::string::npos);
  EXPECT_NE(found(rod_with(d(u, x, x) == exp(exp(exp(9 + x))))).find("is infinite at x = "),
            std::string::npos);
}

TEST(CheckValues, SingularitiesOfMeasureZeroAreNoMistake) {
  EXPECT_EQ(found(rod_with(d(u, x, x) == 1 / x)), "no error");
  EXPECT_EQ(found(rod_with(d(u, x, x) == log(abs(x)))), "no error");
  Problem disk = rod(0);
  const Coordinate y("y");
  disk.domain = Disk({0, 0}, 1);
  disk.equation = {d(u, x, x) + d(u, y, y) == 1 / sqrt(x * x + y * y)};
  EXPECT_EQ(found(disk), "no error");
}

TEST(CheckValues, FieldsCannotBeJudged) {
  EXPECT_EQ(found(rod_with(d(u, x, x) == sqrt(u) + log(u - 5))), "no error");
  EXPECT_EQ(found(rod_with(d(u, x, x) == pow(u, x))), "no error");
}

TEST(CheckValues, BranchesCountWhereTheyAreChosen) {
  EXPECT_EQ(found(rod_with(d(u, x, x) == where(x > 0, log(x), 0))), "no error");
  EXPECT_EQ(found(rod_with(d(u, x, x) == where(x > 0, log(x) * u, u))), "no error");
  EXPECT_EQ(found(rod_with(d(u, x, x) == where(u > 0, log(x) * u, u))), "no error");
  EXPECT_NE(found(rod_with(d(u, x, x) == where(x > 0, u, log(x) * u))), "no error");
}

TEST(CheckValues, EquationsCountWhereTheyHold) {
  Problem p = rod_with(d(u, x, x) == sqrt(x));
  p.equation[0].where = "x > 0";
  EXPECT_EQ(found(p), "no error");
  p.equation[0].where = "x < 0";
  EXPECT_NE(found(p).find("'sqrt(x)' is NaN at x = -"), std::string::npos);
  p.equation[0].where = "x > 5";
  EXPECT_EQ(found(p),
            "where of equation 'u_xx = sqrt(x)': 'x > 5' holds at no point of the domain; write a "
            "condition that holds on a part of it");
}

TEST(CheckValues, ConditionsCountAtTheirPoints) {
  Problem p = rod(0);
  p.condition = {on("left", u == 1 / x), on("right", u == 0)};
  EXPECT_EQ(found(p),
            "form of condition 'u = 1/x on left': '1/x' is infinite at x = 0; write a formula that "
            "is finite wherever it is used");
  p.condition = {on("left", u == 0), on("right", u == 1 / x)};
  EXPECT_EQ(found(p), "no error");
  p.condition[1].hard = true;  // carried on into (0, 1), where it is finite too
  EXPECT_EQ(found(p), "no error");
  p.condition[1].form = u == sqrt(x - 1);
  EXPECT_NE(found(p).find("'sqrt(x - 1)' is NaN at x = 0."), std::string::npos) << found(p);
  p.condition = {at_point({{"x", 0.5}}, u == log(x - 0.5)), on("right", u == 0)};
  EXPECT_NE(found(p).find("is infinite at x = 0.5"), std::string::npos) << found(p);
}

TEST(CheckValues, NumbersOfParametersAndUnknownsAreUsed) {
  Problem p = rod(log(Parameter("k")) * x);
  p.parameters = {{"k", -1}};
  EXPECT_NE(found(p).find("log(-1) is not a finite real number"), std::string::npos) << found(p);
  p.parameters.clear();
  p.unknowns = {{.name = "k", .initial = 2}};
  EXPECT_EQ(found(p), "no error");
}

TEST(CheckValues, LooksAtReferences) {
  Problem p = rod(0);
  p.reference.formulas["u"] = log(x - 2);
  EXPECT_TRUE(found(p).starts_with("reference 'u': 'log(x - 2)' is NaN at x = ")) << found(p);
}

TEST(Check, PointsLieInTheClosedDomain) {
  Problem p = rod(0);
  p.condition = {on("left", u == 0), at_point({{"x", 1.0}}, u == 0)};
  EXPECT_EQ(found(p), "no error");
  p.condition[1].point[0].second = 1.5;
  EXPECT_EQ(found(p),
            "condition 'u = 0 at a point': the point (1.5) is outside of the domain; move it into "
            "the domain or onto its boundary");
}

TEST(Check, ConditionsMentionAField) {
  Problem p = rod(0);
  p.condition = {on("left", Expr(0) == Expr(0)), on("right", u == 0)};
  EXPECT_NE(found(p).find("it contains no field"), std::string::npos);
}

TEST(Circles, AreFoundAndListed) {
  using detail::circle_in;
  EXPECT_EQ(circle_in({{"a", {"b"}}, {"b", {"c"}}}), std::vector<std::string>{});
  EXPECT_EQ(circle_in({{"a", {"a"}}}), (std::vector<std::string>{"a", "a"}));
  EXPECT_EQ(circle_in({{"a", {"x", "b"}}, {"b", {"c"}}, {"c", {"b"}}}),
            (std::vector<std::string>{"b", "c", "b"}));
}

// --- time in `where` ---

TEST(TimeInWhere, PointsLieAtSuchTimesOnly) {
  const Problem p = heated_bar();
  const Condition late = on("left and t > 0.5", u == 0);
  const Points points = condition_points(p, late, 200);
  ASSERT_EQ(points.size(), 200u);
  double earliest = 1, latest = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points.row(i)[1], -1);
    earliest = std::min(earliest, points.row(i)[0]);
    latest = std::max(latest, points.row(i)[0]);
  }
  // 200 evenly spread points leave no gap of a tenth of the interval.
  EXPECT_GT(earliest, 0.5);
  EXPECT_LT(earliest, 0.55);
  EXPECT_GT(latest, 0.95);
}

TEST(TimeInWhere, CountsForTheFacts) {
  Problem p = heated_bar();
  p.condition = {p.condition[0], on("left and t > 0.5", u == 0), on("right", u == 0)};
  EXPECT_EQ(found(p), "no error");
  const auto warnings = facts(p).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("on 25 % of the boundary (left)"), std::string::npos) << warnings[0];
  p.condition.push_back(on("left and t <= 0.5", d(u, x) == 0));
  EXPECT_TRUE(facts(p).warnings.empty());
}

TEST(TimeInWhere, ContradictionsAreThoseAtTheSameTime) {
  Problem p = heated_bar();
  p.reference = {};
  p.condition = {p.condition[0], on("left and t > 0.5", u == 0), on("left and t < 0.4", u == 1)};
  EXPECT_EQ(found(p), "no error");
  p.condition[2].where = "left and t < 0.9";
  EXPECT_NE(found(p).find("it contradicts condition 'u = 0 on left and t > 0.5'"),
            std::string::npos);
}

TEST(TimeInWhere, SelectionsWithoutAPointAreRefused) {
  Problem p = heated_bar();
  for (const char* where : {"left and t > 2", "left and t = 0.5", "t = 0 and x > 0"}) {
    p.condition[1].where = where;
    EXPECT_NE(found(p).find("selects no part of the boundary"), std::string::npos) << where;
    EXPECT_NE(found(p).find("t goes from 0 to 1"), std::string::npos) << found(p);
  }
}

TEST(TimeInWhere, ParametersMayBoundThePart) {
  Problem p = heated_bar();
  p.parameters = {{"start", 0.75}};
  p.condition[1].where = "left and t > start";
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_GT(condition_points(p, p.condition[1], 20).row(i)[0], 0.75);
  }
}

}  // namespace
}  // namespace cauchy::test_check_values
