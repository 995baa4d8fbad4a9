#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/weak_problem.hpp>

namespace cauchy::test_weak_problem {
namespace {

using Role = WeakCondition::Role;
const Coordinate x("x"), y("y");
const Field u("u"), w("w");
const Space space{x, y};

Problem diffusion() {
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 2});
  p.fields = {"u"};
  p.parameters = {{"a", 3}};
  p.equation = {-div(Parameter("a") * grad(u, space), space) == 1};
  return p;
}

void expect_value(const WeakProblem& weak, std::size_t k, Role role, const Expr& expected) {
  ASSERT_LT(k, weak.conditions.size());
  EXPECT_EQ(weak.conditions[k].role, role);
  EXPECT_TRUE(simplify(expand(weak.conditions[k].value - expected)).is_constant(0))
      << to_string(weak.conditions[k].value) << " instead of " << to_string(expected);
}

TEST(WeakProblem, EssentialAndNaturalConditionsAreToldApart) {
  Problem p = diffusion();
  const Expr un = normal_derivative(u, {"x", "y"});
  p.condition = {on("left", 2 * u == 4), on("right", un == 5), on("top", -2 * un == 7 * (u - 2)),
                 on("bottom", d(u, y) == 11)};
  const WeakProblem weak = weak_problem(p);
  // int a grad u.grad v - v dx - int a u_n v ds: the flux a u_n is 15 on the right,
  // -10.5 (u - 2) on the top, and on the bottom, where n = -e_y, it is -33.
  expect_value(weak, 0, Role::essential, 2);
  expect_value(weak, 1, Role::natural, -15);
  expect_value(weak, 2, Role::natural, 10.5 * (u - 2));
  expect_value(weak, 3, Role::natural, 33);
  EXPECT_TRUE(weak.linear && weak.symmetric);
  EXPECT_NE(weak.coercivity.find("coercive: diffusion 3"), std::string::npos) << weak.coercivity;
  const std::vector<std::string> lines = describe(p, weak_problem(p, WeakNames::names));
  EXPECT_EQ(lines[0],
            "int (a*u_x*v_x + a*u_y*v_y - v) dx + int_[right] (-5*a*v) ds + int_[top] "
            "(a*v*(3.5*u - 7)) ds + int_[bottom] (11*a*v) ds = 0 "
            "for all v that vanish on left");
}

TEST(WeakProblem, ATotalFluxLeavesTheConvectivePartOfTheBoundaryTerm) {
  Problem p = diffusion();
  p.equation = {-2 * laplacian(u, space) + d(5 * u, x) == 0};
  p.condition = {on("left", u == 1), on("right", 5 * u - 2 * d(u, x) == 4),
                 on("bottom or top", normal_derivative(u, {"x", "y"}) == 0)};
  const WeakProblem weak = weak_problem(p);
  expect_value(weak, 1, Role::natural, 4 - 5 * u);  // 2 u_x = 5 u - 4 there
  expect_value(weak, 2, Role::natural, 0);
}

TEST(WeakProblem, TractionsOfAnElasticBodyDecideHowMixedDerivativesAreShared) {
  Problem p = diffusion();
  p.fields = {"u", "w"};
  const double lambda = 1, mu = 0.5;
  p.equation = {(lambda + 2 * mu) * d(u, x, x) + mu * d(u, y, y) + (lambda + mu) * d(w, x, y) == 1,
                (lambda + 2 * mu) * d(w, y, y) + mu * d(w, x, x) + (lambda + mu) * d(u, x, y) == 0};
  p.condition = {on("bottom or top", u == 0), on("not top", w == 0),
                 on("left or right", (lambda + 2 * mu) * d(u, x) + lambda * d(w, y) == 6),
                 on("top", (lambda + 2 * mu) * d(w, y) + lambda * d(u, x) == x)};
  const WeakProblem weak = weak_problem(p);
  EXPECT_TRUE(weak.symmetric);
  expect_value(weak, 2, Role::natural, -6 * normal_component("x"));
  EXPECT_EQ(weak.conditions[2].row, 0u);
  expect_value(weak, 3, Role::natural, -x);
  EXPECT_EQ(weak.conditions[3].row, 1u);
  expect_value(weak, 0, Role::essential, 0);
  // Shear on a side is natural, too.
  p.condition[1] = on("bottom", w == 0);
  p.condition.push_back(on("left or right", mu * (d(u, y) + d(w, x)) == 2));
  const WeakProblem sheared = weak_problem(p);
  EXPECT_TRUE(sheared.symmetric);
  expect_value(sheared, 4, Role::natural, -2 * normal_component("x"));
}

TEST(WeakProblem, PlatesHaveMomentsAsFields) {
  Problem p = diffusion();
  const Expr l = laplacian(u, space);
  p.equation = {laplacian(l, space) == 1};
  p.condition = {on_boundary(u == 0), on("left", l == 3),
                 on("not left", normal_derivative(u, {"x", "y"}) == 2)};
  const WeakProblem weak = weak_problem(p);
  expect_value(weak, 1, Role::essential, 3);
  EXPECT_EQ(weak.conditions[1].row, 1u);
  expect_value(weak, 2, Role::natural, -2);
  EXPECT_EQ(weak.conditions[2].row, 1u);
  EXPECT_EQ(describe(p, weak)[0], "with lap_u = u_xx + u_yy");
}

TEST(WeakProblem, PartsOfTheDomainAreOneForm) {
  Problem p = diffusion();
  ProblemEquation left = -2 * laplacian(u, space) == 1, right = -5 * laplacian(u, space) == 0;
  left.where = "x < 0.5";
  right.where = "x > 0.5";
  p.equation = {left, right};
  p.condition = {on_boundary(u == 0)};
  const WeakProblem weak = weak_problem(p);
  Values at;
  at.set(y, 0.3).set(d(u, x), 7).set(d(u, y), 1);
  at.set(x, 0.2);
  EXPECT_EQ(evaluate(weak.form.rows[0].flux[0], at), 14);
  EXPECT_EQ(evaluate(weak.form.rows[0].source, at), -1);
  at.set(x, 0.7);
  EXPECT_EQ(evaluate(weak.form.rows[0].flux[0], at), 35);
}

TEST(WeakProblem, ConditionsThatAreNoFluxAreNamed) {
  Problem p = diffusion();
  p.condition = {on("not right", u == 0), on("right", d(u, y) == 1)};
  try {
    (void)weak_problem(p);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(e.what()).find("u_y = 1"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace cauchy::test_weak_problem
