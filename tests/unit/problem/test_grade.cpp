// Grades of answers that are known beforehand: right ones, wrong ones, and ones that look right.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/solution.hpp>

#include "support/formula_field.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_grade {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v");

Problem decay(const Expr& rate, double start, double end) {
  Problem p;
  p.name = "decay";
  p.fields = {"u"};
  p.domain = Time(t, 0, end);
  p.equation = {d(u, t) == rate};
  p.condition = {at(t == 0, u == start)};
  return p;
}

const TermCheck& check_of(const Solution& s, const std::string& part) {
  for (const TermCheck& c : s.checks) {
    if (c.name.find(part) != std::string::npos) return c;
  }
  throw std::runtime_error("no check of " + part);
}

TEST(Grade, LeavesAGoodAnswerWithoutReferenceUnverifiedAndSaysWhatIsKnown) {
  const Solution s = graded(rod(pi * pi * sin(pi * x)), {{"u", sin(pi * x)}});
  EXPECT_EQ(s.grade, Grade::unverified);
  EXPECT_THAT(s.findings, Contains("there is no reference: the error is not known"));
  EXPECT_THAT(s.findings, Contains(AllOf(HasSubstr("nothing contradicts the answer"),
                                         HasSubstr("of its terms"), HasSubstr("fresh points"))));
  EXPECT_EQ(to_string(s.grade), "unverified");
}

TEST(Grade, ConvergedNeedsAReferenceThatIsMet) {
  Problem p = rod(pi * pi * sin(pi * x));
  p.reference.formulas["u"] = sin(pi * x);
  EXPECT_EQ(graded(p, {{"u", sin(pi * x)}}).grade, Grade::converged);
  EXPECT_EQ(graded(p, {{"u", 1.05 * sin(pi * x)}}).grade, Grade::stalled);
  // The equations hold, but the reference says otherwise.
  p.reference.formulas["u"] = 2 * sin(pi * x);
  EXPECT_EQ(graded(p, {{"u", sin(pi * x)}}).grade, Grade::suspicious);
}

TEST(Grade, ConvergedNeedsEveryField) {
  Problem p = rod(pi * pi * sin(pi * x));
  p.fields = {"u", "v"};
  p.equation.push_back(d(v, x) == u);
  p.condition.push_back(on("left", v == 0));
  p.reference.formulas["u"] = sin(pi * x);
  const Expr right = (1 - cos(pi * x)) / pi;
  const Solution s = graded(p, {{"u", sin(pi * x)}, {"v", right}});
  EXPECT_EQ(s.grade, Grade::unverified);
  EXPECT_THAT(s.findings, Contains("the reference has no 'v': its error is not known"));
  p.reference.formulas["v"] = right;
  EXPECT_EQ(graded(p, {{"u", sin(pi * x)}, {"v", right}}).grade, Grade::converged);
  // A wrong v beside a right u.
  p.reference.formulas.erase("v");
  EXPECT_EQ(graded(p, {{"u", sin(pi * x)}, {"v", 2 * right}}).grade, Grade::stalled);
}

TEST(Grade, ConvergedNeedsTheTruthOfUnknowns) {
  const Expr k = Parameter("k");
  Problem p = decay(-k * u, 1, 1);
  p.unknowns = {{.name = "k", .initial = 2, .truth = 1.0}};
  p.observation = {{.name = "data", .quantity = u, .column = "u"}};
  p.observation[0].table.columns = {"t", "u"};
  p.observation[0].table.values = {0, 1, 0.5, std::exp(-0.5), 1, std::exp(-1.0)};
  p.reference.formulas["u"] = exp(-t);
  EXPECT_EQ(graded(p, {{"u", exp(-t)}}, {{"k", 1.001}}).grade, Grade::converged);
  const Solution s = graded(p, {{"u", exp(-t)}}, {{"k", 1.3}});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_THAT(s.findings, Contains("'k' = 1.3 is off by 30 %, more than asked"));
  EXPECT_EQ(check_of(s, "data").kind, TermCheck::Kind::observation);
  EXPECT_LT(check_of(s, "data").fresh, 1e-15);
}

TEST(Grade, ConvergedNeedsEveryCondition) {
  Problem p = rod(pi * pi * sin(pi * x));
  p.reference.formulas["u"] = sin(pi * x);
  p.condition.push_back(on("left", d(u, x) == 3));  // it is pi
  const Solution s = graded(p, {{"u", sin(pi * x)}});
  EXPECT_EQ(s.grade, Grade::suspicious);
  EXPECT_THAT(s.findings, Contains(HasSubstr("'u_x = 3 on left' is violated")));
}

TEST(Grade, SeesResidualsOfATenthOfAPercent) {
  // Helmholtz with a wave number that is off: the residual is 1 % of its terms.
  Problem p = rod(Expr(0));
  p.equation = {d(u, x, x) + 1e4 * u == 0};
  p.condition = {on("left", u == 1), on("right", u == std::cos(100.5))};
  const Solution s = graded(p, {{"u", cos(100.5 * x)}});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_NE(s.grade, Grade::unverified);
  EXPECT_THAT(s.findings, Contains(HasSubstr("is violated: the residual is 0.00")));
}

TEST(Grade, LooksIntoThinLayersAtConditions) {
  // u jumps from its start to the wrong equilibrium within 1e-5 of the time.
  const Problem p = decay(20 * u * (1 - u), 1e-3, 1);
  const Solution s = graded(p, {{"u", 1 - 0.999 * exp(-1e5 * t)}});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_NE(s.grade, Grade::unverified);
  const TermCheck& c = check_of(s, "u_t");
  EXPECT_GT(c.worst, 1);
  EXPECT_LT(c.where.at(0), 1e-4);
  // The same at a boundary.
  Problem rod_layer = rod(Expr(0));
  rod_layer.condition = {on("left", u == 1), on("right", u == 0)};
  EXPECT_GT(check_of(graded(rod_layer, {{"u", exp(-1e4 * x)}}), "u_xx").worst, 0.1);
}

TEST(Grade, LooksWhereSourcesAreNarrow) {
  const Problem p = rod(1e4 * exp(-pow((x - 0.3141) / 1e-4, 2)));
  const Solution s = graded(p, {{"u", Expr(0) * x}});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_NE(s.grade, Grade::unverified);
  EXPECT_LT(std::abs(check_of(s, "u_xx").where.at(0) - 0.3141), 1e-4);
}

TEST(Grade, DrawsAtLeast300PointsPerTerm) {
  const Solution s = graded(heated_bar(), {{"u", exp(-pi * pi / 16 * t) * cos(pi * x / 2)}});
  EXPECT_EQ(s.grade, Grade::converged);
  ASSERT_EQ(s.checks.size(), 3u);
  for (const TermCheck& c : s.checks) EXPECT_GE(c.n_points, 300u) << c.name;
}

TEST(Grade, ChecksConditionsWhenTheyHold) {
  Problem p = heated_bar();
  p.condition[1] = on("left", u == 0);
  p.condition.push_back(on("right and t > 0.5", u == 7));
  // Right until t = 0.5, then 7: only the second half is looked at.
  const Expr bar = exp(-pi * pi / 16 * t) * cos(pi * x / 2);
  const Solution s = graded(p, {{"u", where(t > 0.5, 7 + 0 * x, bar)}});
  EXPECT_EQ(check_of(s, "t > 0.5").worst, 0);
  EXPECT_GE(check_of(s, "t > 0.5").n_points, 300u);
}

TEST(Grade, ChecksIntegralsAndPeriods) {
  Problem p = rod(4 * pi * pi * sin(2 * pi * x));
  p.condition = {periodic(x), integral(u == 0)};
  EXPECT_EQ(graded(p, {{"u", sin(2 * pi * x)}}).grade, Grade::unverified);
  const Solution shifted = graded(p, {{"u", sin(2 * pi * x) + 0.1}});
  EXPECT_GT(check_of(shifted, "integral").fresh, 0.1);
  EXPECT_NE(shifted.grade, Grade::unverified);
  const Solution tilted = graded(p, {{"u", sin(2 * pi * x) + x - 0.5}});
  EXPECT_GT(check_of(tilted, "periodic").fresh, 0.5);
  EXPECT_NE(tilted.grade, Grade::unverified);
}

TEST(Grade, IsCappedByWarnings) {
  Problem p = heated_bar();
  p.condition.erase(p.condition.begin());  // no initial value
  const Solution s = graded(p, {{"u", exp(-pi * pi / 16 * t) * cos(pi * x / 2)}});
  EXPECT_EQ(s.grade, Grade::suspicious) << "although the reference is met";
  EXPECT_THAT(s.findings, Contains("the warnings stand against the answer"));
  EXPECT_THAT(s.warnings, Contains(HasSubstr("field 'u' has 0 of 1 initial condition")));
}

TEST(Grade, CallsNaNAnswersDiverged) {
  Problem p = rod(Expr(1));
  p.reference.formulas["u"] = x * (1 - x) / 2;
  EXPECT_EQ(graded(p, {{"u", log(x - 2)}}).grade, Grade::diverged);
  p.reference = {};
  const Solution s = graded(p, {{"u", log(x - 2)}});
  EXPECT_NE(s.grade, Grade::unverified);
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_TRUE(std::isnan(check_of(s, "boundary").worst));
}

TEST(Grade, PrintsToleranceWithItsDigits) {
  Problem p = rod(pi * pi * sin(pi * x));
  p.reference.formulas["u"] = sin(pi * x);
  p.tolerance = 1.5e-3;
  EXPECT_THAT(graded(p, {{"u", sin(pi * x)}}).findings, Contains(HasSubstr("within 0.0015")));
}

TEST(Grade, UsesTheTermsOfOpenedBracketsAsSize) {
  // 20 u (1 - u) is 0 for u of size 1, its terms are not.
  const Problem p = decay(20 * u * (1 - u), 1, 1);
  const Solution s = graded(p, {{"u", Expr(1) + 0 * t}});
  EXPECT_GE(check_of(s, "u_t").scale, 20);
}

TEST(Grade, KeepsBracketsOfKnownFunctionsClosed) {
  // The powers of (4x - 4x^2)^8 are 1e5 times larger than it is.
  Problem p = rod(pi * pi * sin(pi * x));
  p.equation = {u == pow(4 * x * (1 - x), 8)};
  p.condition.clear();
  const Solution s = graded(p, {{"u", Expr(0) * x}});
  EXPECT_LT(check_of(s, "u =").scale, 2);
  EXPECT_GT(check_of(s, "u =").worst, 0.5);
}

}  // namespace
}  // namespace cauchy::test_grade
