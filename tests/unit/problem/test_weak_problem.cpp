#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/place.hpp>
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

/// Plane stress with numbers that are not round, a plate of 1.5 x 2 that rests on two sides.
Problem plane_stress(const std::string& right, const std::string& top) {
  const double nu = 0.3, c = 7 / (1 - nu * nu), g = 7 / (2 * (1 + nu));
  const Expr shear = g * (d(u, y) + d(w, x));
  Problem p = diffusion();
  p.domain = Rectangle({0, 0}, {1.5, 2});
  p.fields = {"u", "w"};
  p.equation = {d(c * (d(u, x) + nu * d(w, y)), x) + d(shear, y) == 0,
                d(shear, x) + d(c * (d(w, y) + nu * d(u, x)), y) == 0};
  p.condition = {on("left", u == 0),
                 on("bottom", w == 0),
                 on(right, c * (d(u, x) + nu * d(w, y)) == 2),
                 on(top, c * (d(w, y) + nu * d(u, x)) == 1),
                 on(top, shear == 3),
                 on(right, shear == 3)};
  return p;
}

TEST(WeakProblem, PlacesInCoordinatesGiveOneRowToEachTraction) {
  for (const auto& [right, top] : {std::pair{"right", "top"}, std::pair{"x = 1.5", "y = 2"}}) {
    const WeakProblem weak = weak_problem(plane_stress(right, top));
    ASSERT_EQ(weak.conditions.size(), 6u);
    expect_value(weak, 2, Role::natural, -2);
    expect_value(weak, 3, Role::natural, -1);
    expect_value(weak, 4, Role::natural, -3);
    expect_value(weak, 5, Role::natural, -3);
    for (const auto& [k, row] :
         {std::pair{2, 0}, std::pair{3, 1}, std::pair{4, 0}, std::pair{5, 1}}) {
      EXPECT_EQ(weak.conditions[static_cast<std::size_t>(k)].row, static_cast<std::size_t>(row))
          << k << " on " << top;
    }
    EXPECT_TRUE(weak.symmetric);
  }
}

TEST(WeakProblem, AConditionOnSeveralSidesBelongsToTheRowOfEach) {
  Problem p = plane_stress("x = 1.5", "y = 2");
  p.condition[4].where = "y = 2 or x = 1.5";
  p.condition.pop_back();
  const WeakProblem weak = weak_problem(p);
  ASSERT_EQ(weak.conditions.size(), 6u);
  for (const std::size_t k : {4u, 5u}) {
    const WeakCondition& c = weak.conditions[k];
    EXPECT_EQ(c.condition, 4u);
    expect_value(weak, k, Role::natural, -3);
    // The two parts are the two sides, and their rows those that are not pulled there.
    const Points points = condition_points(p, part_of(p, c), 16, {SamplerKind::uniform});
    const bool top = c.row == 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_NEAR(points.row(i)[top ? 1 : 0], top ? 2 : 1.5, 1e-6) << c.where;
    }
  }
  EXPECT_NE(weak.conditions[4].row, weak.conditions[5].row);
}

TEST(WeakProblem, TractionsThatTurnWithTheNormalShareMixedDerivatives) {
  Problem p = diffusion();
  p.domain = Annulus({0, 0}, 0.6, 1.3);
  p.fields = {"u", "w"};
  const double la = 1.2, mu = 0.9;  // la + 2*mu and their ratios are not exact
  const Expr nx = normal_component("x"), ny = normal_component("y");
  const Expr shear = mu * (d(u, y) + d(w, x)), all = la * (d(u, x) + d(w, y));
  p.equation = {(la + 2 * mu) * d(u, x, x) + mu * d(u, y, y) + (la + mu) * d(w, x, y) == 0,
                (la + 2 * mu) * d(w, y, y) + mu * d(w, x, x) + (la + mu) * d(u, x, y) == 0};
  p.condition = {on("outer", u == 0), on("outer", w == 0),
                 on("inner", (all + 2 * mu * d(u, x)) * nx + shear * ny == -0.5 * nx),
                 on("inner", shear * nx + (all + 2 * mu * d(w, y)) * ny == -0.5 * ny)};
  const WeakProblem weak = weak_problem(p);
  EXPECT_TRUE(weak.symmetric);
  expect_value(weak, 2, Role::natural, 0.5 * nx);
  expect_value(weak, 3, Role::natural, 0.5 * ny);
  EXPECT_EQ(weak.conditions[2].row, 0u);
  EXPECT_EQ(weak.conditions[3].row, 1u);
}

TEST(WeakProblem, AConditionTooManyIsNamed) {
  Problem p = diffusion();
  p.condition = {on("not right", u == 0), on("y = 0", normal_derivative(u, {"x", "y"}) == 1)};
  try {
    (void)weak_problem(p);
    ADD_FAILURE() << "a flux where the value is given was taken";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("is one more than the fields have there"),
              std::string::npos)
        << e.what();
  }
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
