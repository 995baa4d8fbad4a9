// What is said of problems that have no solution, or many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/problem.hpp>

#include "problem/doubts.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_doubts {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v"), q("q");

std::vector<std::string> warnings(const Problem& p) {
  check(p);
  return facts(p).warnings;
}

Problem square(const Expr& source) {
  Problem p;
  p.name = "square";
  p.fields = {"u"};
  p.domain = Rectangle({0, 0}, {1, 1});
  p.equation = {d(u, x, x) + d(u, y, y) == source};
  return p;
}

Problem transport(const Expr& speed) {
  Problem p;
  p.name = "transport";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + speed * d(u, x) == 0};
  p.condition = {at(t == 0, u == sin(x))};
  return p;
}

TEST(Doubts, SayNothingOfGoodProblems) {
  EXPECT_THAT(warnings(rod(Expr(1))), IsEmpty());
  EXPECT_THAT(warnings(heated_bar()), IsEmpty());
}

TEST(Doubts, NameConditionsOfATermThatIsNotThere) {
  Problem p = heated_bar();
  const Expr k = Parameter("k");
  p.parameters = {{"k", 0}};
  p.equation = {d(u, t) == k * d(u, x, x) + 1};
  EXPECT_THAT(warnings(p), IsEmpty());  // from the start values at the ends on, nothing is known
  p.condition[0] = at(t == 0, u == 2);
  EXPECT_THAT(warnings(p), Contains(HasSubstr("the coefficient of u_xx in")));
  p.parameters = {{"k", 1e-9}};
  EXPECT_THAT(warnings(p), IsEmpty());
}

TEST(Doubts, NameTransportAlongClosedLines) {
  Problem p;
  p.name = "swirl";
  p.fields = {"u"};
  p.domain = Annulus({0, 0}, 0.4, 1);
  p.condition = {on_boundary(u == 1)};
  const auto closed = Contains(HasSubstr("along lines that never meet the boundary"));
  p.equation = {x * d(u, y) - y * d(u, x) == 0};
  EXPECT_THAT(warnings(p), closed);
  p.equation = {x * d(u, y) - y * d(u, x) == 1 - u};  // one periodic answer on each line
  EXPECT_THAT(warnings(p), Not(closed));
  p.equation = {x * d(u, y) - y * d(u, x) == 1e-6 * d(u, x)};
  EXPECT_THAT(warnings(p), Not(closed));
}

TEST(Doubts, NameAFieldInNoEquation) {
  Problem p = rod(Expr(1));
  p.fields = {"u", "v"};
  p.equation.push_back(d(u, x, x, x) == 0);
  p.condition.push_back(on_boundary(v == 0));
  EXPECT_THAT(warnings(p), Contains("field 'v' is in no equation: nothing determines it"));
}

TEST(Doubts, NameAnOpenInflow) {
  const char* open = "field 'u' has no condition on 50 % of the boundary (left)";
  Problem p = transport(Expr(1));
  EXPECT_THAT(warnings(p), Contains(HasSubstr(open)));
  p.condition.push_back(on("right", u == 1));
  EXPECT_THAT(warnings(p), Contains(HasSubstr(open))) << "the outflow does not count";
  p.condition.push_back(on("left", u == 1));
  EXPECT_THAT(warnings(p), IsEmpty());
  p = transport(Expr(-1));
  p.condition.push_back(on("left", u == 1));
  EXPECT_THAT(warnings(p), Contains(HasSubstr("(right)")));
  p.condition = {periodic(x), at(t == 0, u == sin(x))};
  EXPECT_THAT(warnings(p), IsEmpty());
  // From the last time back, what flows out needs a value.
  p = transport(Expr(1));
  p.condition = {at(t == 1, u == sin(x)), on("right", u == 1)};
  EXPECT_THAT(warnings(p), IsEmpty());
  // Whatever the solution is, decides.
  EXPECT_THAT(warnings(transport(u)), IsEmpty());
}

TEST(Doubts, LetASteadyTransportStartAtEitherEnd) {
  Problem p = rod(Expr(0));
  p.equation = {d(u, x) + u == 0};
  p.condition = {};
  EXPECT_THAT(warnings(p), Contains(HasSubstr("lets it flow in")));
  p.condition = {on("left", u == 1)};
  EXPECT_THAT(warnings(p), IsEmpty());
  p.condition = {on("right", u == 1)};
  EXPECT_THAT(warnings(p), IsEmpty());
  p.condition = {at_point({{"x", 0.5}}, u == 1)};
  EXPECT_THAT(warnings(p), IsEmpty());
}

TEST(Doubts, NamePureNeumannProblems) {
  Problem p = square(Expr(0));
  p.condition = {
      on("left or right", d(u, x) == 1),
      on("top or bottom", normal_derivative(u, std::vector<std::string>{"x", "y"}) == 0)};
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr("determined up to a constant")))
      << "1 flows in on the left and out on the right";
  p.condition.push_back(at_point({{"x", 0}, {"y", 0}}, u == 0));
  EXPECT_THAT(warnings(p), IsEmpty());
}

TEST(Doubts, NameNeumannDataThatDoNotBalance) {
  const std::vector<std::string> names = {"x", "y"};
  Problem p = square(Expr(1));
  p.condition = {on_boundary(normal_derivative(u, names) == 0)};
  EXPECT_THAT(warnings(p), Contains(HasSubstr("do not balance")));
  p.condition = {on_boundary(normal_derivative(u, names) == 0.25)};
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr("up to a constant")));
  // The same with a coefficient, in divergence form, and with the flux as data.
  const Expr a = 1 + x;
  p.equation = {-d(a * d(u, x), x) - d(a * d(u, y), y) == 1};
  p.condition = {on_boundary(a * normal_derivative(u, names) == -0.25)};
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr("up to a constant")));
  p.condition = {on_boundary(a * normal_derivative(u, names) == 0.25)};
  EXPECT_THAT(warnings(p), Contains(HasSubstr("do not balance")));
  p.condition = {on_boundary(u == 0)};
  EXPECT_THAT(warnings(p), IsEmpty());
}

TEST(Doubts, NameJumpsThatAreLost) {
  const Expr a = where(x < 0.5, Expr(1), Expr(10));
  Problem p = rod(Expr(1));
  p.equation = {a * d(u, x, x) == -1};
  EXPECT_THAT(warnings(p), Contains(HasSubstr("the coefficient of u_xx")));
  EXPECT_THAT(warnings(p), Contains(HasSubstr("(q = u_x*where(x < 0.5, 1, 10), q_x = ...)")));
  EXPECT_THAT(detail::lost_jumps(p), IsEmpty());
  // The divergence keeps the flux, but points do not see the jump.
  p.equation = {d(a * d(u, x), x) == -1};
  EXPECT_THAT(warnings(p), IsEmpty());
  EXPECT_THAT(detail::lost_jumps(p), ElementsAre(HasSubstr("a function that jumps")));
  EXPECT_THAT(detail::lost_jumps(p), ElementsAre(HasSubstr("q = u_x*where(x < 0.5, 1, 10)")));
  p.equation = {d(abs(x - 0.3) * u, x) == -1};
  EXPECT_THAT(detail::lost_jumps(p), ElementsAre(HasSubstr("or has a kink")));
  // The flux as a field, a source that jumps, a jump in another coordinate: all is kept.
  p.fields = {"u", "q"};
  p.equation = {q / a + d(u, x) == 0, d(q, x) == 1};
  EXPECT_THAT(warnings(p), IsEmpty());
  EXPECT_THAT(detail::lost_jumps(p), IsEmpty());
  p = rod(a);
  EXPECT_THAT(warnings(p), IsEmpty());
  EXPECT_THAT(detail::lost_jumps(p), IsEmpty());
}

TEST(Doubts, AStringOfTwoWeightsIsAsItStands) {
  const Expr c = where(x < 0.5, Expr(1), Expr(10));
  Problem p = rod(Expr(1));
  p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  p.equation = {d(u, t, t) == c * d(u, x, x)};
  p.condition = {on_boundary(u == 0), at(t == 0, u == 0), at(t == 0, d(u, t) == 0)};
  EXPECT_THAT(warnings(p), IsEmpty());
  p.equation = {d(u, t) == c * d(u, x, x)};
  p.condition.pop_back();
  EXPECT_THAT(warnings(p), Contains(HasSubstr("the coefficient of u_xx")));
}

TEST(Doubts, NameUnknownsWithoutData) {
  const Expr k = Parameter("k");
  Problem p = rod(Expr(1));
  p.fields = {"u", "v"};
  p.equation = {-k * d(u, x, x) == 1, -d(v, x, x) == 1};
  p.condition = {on_boundary(u == 0), on_boundary(v == 0)};
  p.unknowns = {{.name = "k"}};
  EXPECT_THAT(warnings(p), Contains(HasSubstr("'k' is determined by no data")));
  Observation o{.name = "data", .quantity = v, .column = "v"};
  o.table.columns = {"x", "v"};
  o.table.values = {0.5, 0.1};
  p.observation = {o};
  EXPECT_THAT(warnings(p), Contains(HasSubstr("'k' is determined by no data")))
      << "v says nothing of k";
  p.observation[0].quantity = u;
  EXPECT_THAT(warnings(p), IsEmpty());
  p.observation.clear();
  p.condition.push_back(on("left", d(u, x) == 1));
  EXPECT_THAT(warnings(p), IsEmpty()) << "three conditions for second order";
  p.unknowns[0].name = "w";
  p.unknowns.push_back({.name = "k"});
  EXPECT_THAT(warnings(p), Contains(HasSubstr("'w' occurs in no equation")));
}

TEST(Doubts, AcceptFinalConditionsInPlaceOfInitialOnes) {
  Problem p = heated_bar();
  p.equation = {d(u, t) == -0.25 * d(u, x, x)};
  p.condition[0] = at(t == 1, u == cos(pi * x / 2));
  EXPECT_THAT(warnings(p), IsEmpty());
  p.condition.erase(p.condition.begin());
  EXPECT_THAT(warnings(p), Contains(HasSubstr("0 of 1 initial condition")));
}

TEST(Doubts, NameWavesThatGrowWithoutBound) {
  const char* grow = "short waves of 'u' grow without bound as t grows";
  Problem p = heated_bar();
  p.equation = {d(u, t) == -0.25 * d(u, x, x)};
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr(grow)));
  p.equation = {d(u, t) == (x - 0.5) * d(u, x, x)};
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr(grow))) << "in a half of the bar";
  // The highest order decides, and a wrong sign of four derivatives is the other one.
  p.condition.push_back(on_boundary(d(u, x, x) == 0));
  p.equation = {d(u, t) == -d(u, x, x) - d(u, x, x, x, x)};
  EXPECT_THAT(warnings(p), IsEmpty());
  p.equation = {d(u, t) == d(u, x, x) + d(u, x, x, x, x)};
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr(grow)));
  // Nonlinear, but with a known sign; where the answer decides nothing is said.
  p = heated_bar();
  p.equation = {d(u, t) + u * d(u, x) == -d(u, x, x)};
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr(grow)));
  p.equation = {d(u, t) == -u * d(u, x, x)};
  EXPECT_THAT(warnings(p), IsEmpty());
  // From the end back.
  p = heated_bar();
  p.condition[0] = at(t == 1, u == cos(pi * x / 2));
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr("as t falls")));
}

TEST(Doubts, NameEllipticEquationsInTime) {
  Problem p = heated_bar();
  p.equation = {d(u, t, t) == -d(u, x, x)};
  p.condition.push_back(at(t == 0, d(u, t) == 0));
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr("is elliptic in t")));
  p.condition.back() = at(t == 1, u == 0);
  EXPECT_THAT(warnings(p), IsEmpty()) << "values at both ends are a good problem";
  p.equation = {d(u, t, t) == d(u, x, x)};
  p.condition.back() = at(t == 0, d(u, t) == 0);
  EXPECT_THAT(warnings(p), IsEmpty());
}

TEST(Doubts, DoNotCountInitialValuesOfTheHighestDerivative) {
  Problem p = heated_bar();
  p.condition[0] = at(t == 0, d(u, t) == 0);
  EXPECT_THAT(warnings(p), Contains(HasSubstr("is no initial one")));
}

TEST(Doubts, CountConditionsOfAThirdDerivative) {
  Problem p = heated_bar();
  p.equation = {d(u, t) + d(u, x, x, x) == 0};
  EXPECT_THAT(warnings(p), ElementsAre(HasSubstr("has 2 of 3 conditions on the boundary")));
  p.condition.push_back(on("right", d(u, x) == 0));
  EXPECT_THAT(warnings(p), IsEmpty());
  p.condition = {at(t == 0, u == cos(pi * x)), periodic(x, 2)};
  EXPECT_THAT(warnings(p), IsEmpty());
}

TEST(Doubts, NameConstantsThatAreTied) {
  const Expr a = Parameter("a"), b = Parameter("b");
  Problem p = rod(Expr(1));
  Observation o{.name = "data", .quantity = u, .column = "u"};
  o.table.columns = {"x", "u"};
  o.table.values = {0.25, 0.1, 0.5, 0.1, 0.75, 0.1};
  p.observation = {o};
  p.unknowns = {{.name = "a"}, {.name = "b"}};
  const auto tied = [&](const Equation& e) {
    p.equation = {e};
    return warnings(p);
  };
  EXPECT_THAT(tied(-a * b * d(u, x, x) == 1), ElementsAre(HasSubstr("only the product a*b")));
  EXPECT_THAT(tied(-a * d(u, x, x) == b * x), ElementsAre(HasSubstr("only the quotient a/b")));
  EXPECT_THAT(tied(-d(u, x, x) + (a + b) * u == 1), ElementsAre(HasSubstr("only the sum a + b")));
  EXPECT_THAT(tied(-d(u, x, x) + (a - b) * u == 1),
              ElementsAre(HasSubstr("only the difference a - b")));
  EXPECT_THAT(tied(-d(u, x, x) + a * a * b * u == 1),
              ElementsAre(HasSubstr("only the product a^2*b")));
  EXPECT_THAT(tied(-d(u, x, x) + (2 * a + b) * u == 1),
              ElementsAre(HasSubstr("only the sum 2*a + b")));
  EXPECT_THAT(tied(-d(u, x, x) + (a * a + b) * u == 1),
              ElementsAre(HasSubstr("only a combination of a and b")));
  // Each has an effect of its own.
  EXPECT_THAT(tied(-a * d(u, x, x) + b * u == 1), IsEmpty());
  p.condition.push_back(on("left", d(u, x) == a));
  EXPECT_THAT(tied(-a * b * d(u, x, x) == 1), IsEmpty()) << "the condition knows a";
}

TEST(Doubts, NameShocks) {
  Problem p = transport(u);
  p.condition = {at(t == 0, u == -0.9 * x), on("left", u == 0)};
  EXPECT_THAT(detail::lost_shocks(p), IsEmpty()) << "the waves break at t = 1.11, after the end";
  p.condition[0] = at(t == 0, u == -2 * x);
  EXPECT_THAT(detail::lost_shocks(p), ElementsAre(HasSubstr("break at t = 0.5")));
  p.condition[0] = at(t == 0, u == 2 * x);
  EXPECT_THAT(detail::lost_shocks(p), IsEmpty()) << "they spread";
  p.condition[0] = at(t == 0, u == where(x < 0.5, Expr(1), Expr(0)));
  EXPECT_THAT(detail::lost_shocks(p), ElementsAre(HasSubstr("starts with a jump of 'u'")));
  p.equation = {d(u, t) + u * d(u, x) == 0.01 * d(u, x, x)};
  EXPECT_THAT(detail::lost_shocks(p), IsEmpty()) << "viscosity";
  p.equation = {d(u, t) + 2 * d(u, x) == 0};
  EXPECT_THAT(detail::lost_shocks(p), IsEmpty()) << "linear: the jump moves with the speed 2";
}

TEST(Doubts, RemarkValuesThatDoNotFitWhereTheyMeet) {
  Problem p = heated_bar();
  EXPECT_THAT(facts(p).remarks, IsEmpty());
  p.condition[0] = at(t == 0, u == 1);
  EXPECT_THAT(warnings(p), IsEmpty()) << "a good problem, with a singular answer";
  EXPECT_THAT(facts(p).remarks, ElementsAre(HasSubstr("'u' jumps by 1 where u = 1 on t = 0")));
  p = square(Expr(0));
  p.condition = {on("top", u == 1), on("not top", u == 0)};
  EXPECT_THAT(warnings(p), IsEmpty());
  EXPECT_THAT(facts(p).remarks, ElementsAre(HasSubstr("'u' jumps by 1 where u = 1 on top")));
  p.condition = {on("top", u == x * (1 - x)), on("not top", u == 0)};
  EXPECT_THAT(facts(p).remarks, IsEmpty());
}

TEST(Doubts, RemarkWhatHasNoEffectWithoutAWarning) {
  Problem p = rod(Expr(1));
  p.parameters = {{"nu", Expr(2)}};
  EXPECT_THAT(warnings(p), IsEmpty());
  EXPECT_THAT(facts(p).remarks, ElementsAre("parameter 'nu' is not used"));
}

}  // namespace
}  // namespace cauchy::test_doubts
