#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/expr/simplify.hpp>

#include "solvers/fdm/flow.hpp"
#include "solvers/fdm/flow_form.hpp"
#include "solvers/fdm/flow_steady.hpp"
#include "support/flow_cases.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_flow {
namespace {

using detail::flow_form;
using detail::FlowForm;
using detail::FlowGrid;
using detail::make_flow_solver;

std::shared_ptr<const Problem> shared(Problem p) {
  return std::make_shared<const Problem>(std::move(p));
}

/// Flow in the unit square; walls are added by the tests.
Problem square(double viscosity) {
  const Coordinate x("x"), y("y");
  const Field u("u"), v("v"), p("p");
  Problem q;
  q.name = "square";
  q.fields = {"u", "v", "p"};
  q.domain = Rectangle({0, 0}, {1, 1});
  q.equation = {u * d(u, x) + v * d(u, y) + d(p, x) == viscosity * (d(u, x, x) + d(u, y, y)),
                u * d(v, x) + v * d(v, y) + d(p, y) == viscosity * (d(v, x, x) + d(v, y, y)),
                d(u, x) + d(v, y) == 0};
  return q;
}

Problem cavity(double reynolds) {
  const Field u("u"), v("v");
  Problem q = square(1 / reynolds);
  q.condition = {on("top", u == 1), on("not top", u == 0), on_boundary(v == 0)};
  return q;
}

std::vector<double> value_at(const detail::ClassicalAnswer& answer, double x, double y) {
  const std::vector<Expr> fields = {Field("u"), Field("v"), Field("p")};
  const std::vector<double> point = {x, y};
  std::vector<double> out(3);
  answer.model->evaluate(fields, point, out);
  return out;
}

TEST(Flow, IsReadFromEquationsOfAnyNames) {
  const Coordinate a("a"), b("b");
  const auto form = flow_form(steady_case(a * b * b, a + b, 0.5));
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->velocity, (std::vector<std::string>{"w", "q"}));
  EXPECT_EQ(form->pressure, "h");
  EXPECT_EQ(form->conditions.size(), 2U);
  EXPECT_NEAR(form->level.value, 0.6, 1e-14);
}

TEST(Flow, InTimeIsSplitIntoViscosityPressureAndTheRest) {
  const Coordinate t("t"), x("x"), y("y");
  const Field u("u"), v("v"), p("p");
  Problem q = vortices(0.3, true);
  // Density 2, stresses instead of a Laplacian, a force.
  q.equation[0] = 2 * d(u, t) + 2 * (u * d(u, x) + v * d(u, y)) + d(p, x) ==
                  d(1.2 * d(u, x), x) + d(0.6 * (d(u, y) + d(v, x)), y) + sin(t);
  q.equation[1] = 2 * d(v, t) + 2 * (u * d(v, x) + v * d(v, y)) + d(p, y) ==
                  d(1.2 * d(v, y), y) + d(0.6 * (d(u, y) + d(v, x)), x);
  const auto form = flow_form(q);
  ASSERT_TRUE(form.has_value());
  EXPECT_NEAR(form->push, 0.5, 1e-15);
  for (const auto& of_component : form->viscosity) {
    for (const double nu : of_component) EXPECT_NEAR(nu, 0.3, 1e-14);
  }
  EXPECT_TRUE(same(form->rest[1], expand(u * d(v, x) + v * d(v, y))));
}

TEST(Flow, OtherProblemsAreNone) {
  EXPECT_FALSE(flow_form(rod(1)).has_value());
  EXPECT_FALSE(flow_form(heated_bar()).has_value());
  // Darcy's law: no viscosity.
  const Coordinate x("x"), y("y");
  const Field u("u"), v("v"), p("p");
  Problem q = square(1);
  q.equation = {u == -d(p, x), v == -d(p, y), d(u, x) + d(v, y) == 0};
  EXPECT_FALSE(flow_form(q).has_value());
}

TEST(Flow, RefusesWithTheReason) {
  const Coordinate x("x"), y("y");
  const Field u("u"), v("v"), p("p");
  const auto reason = [](const Problem& q, int order = 2) {
    Fdm method;
    method.n = 8;
    method.order = order;
    return message_of([&] { return make_flow_solver(shared(q), method); });
  };
  Problem q = cavity(10);
  q.condition.pop_back();
  EXPECT_NE(reason(q).find("v has no condition on all of 'left'"), std::string::npos) << reason(q);
  q = cavity(10);
  q.condition.back() = on_boundary(d(v, x) == 0);
  EXPECT_NE(reason(q).find("v"), std::string::npos);
  q = cavity(10);
  q.condition.push_back(on("left", p == 0));
  EXPECT_NE(reason(q).find("is not a condition on one component"), std::string::npos) << reason(q);
  q = cavity(10);
  q.domain = Disk({0, 0}, 1);
  q.condition = {on_boundary(u == 0), on_boundary(v == 0)};
  EXPECT_NE(reason(q).find("not a box"), std::string::npos) << reason(q);
  EXPECT_NE(reason(vortices(0.1, true), 4).find("order 4"), std::string::npos);
  q = vortices(0.1, true);
  q.condition.erase(q.condition.begin());
  EXPECT_NE(reason(q).find("u has no value at the start"), std::string::npos) << reason(q);
}

TEST(Flow, BetweenPlatesIsExact) {
  // Flow between plates: parabolic in, parabolic out; the scheme is exact for polynomials of
  // degree 2, and the pressure falls linearly.
  const Coordinate y("y");
  const Field u("u"), v("v");
  Problem q = square(0.05);
  q.condition = {on_boundary(u == 4 * y * (1 - y)), on_boundary(v == 0),
                 at_point({{"x", 0}, {"y", 0.5}}, Field("p") == 2)};
  q.reference.formulas = {{"u", 4 * y * (1 - y)}, {"p", 2 - 0.4 * Expr(Coordinate("x"))}};
  const FlowErrors errors = flow_errors(q, "p", 8);
  EXPECT_LT(errors.velocity, 1e-10);
  EXPECT_LT(errors.pressure, 1e-10);
}

TEST(Flow, SlipsAlongAWallWithoutFriction) {
  // Half of the channel: the middle is a wall without friction, the flow stays the same.
  const Coordinate x("x"), y("y");
  const Field u("u"), v("v");
  Problem q = square(0.05);
  q.domain = Rectangle({0, 0}, {1, 0.5});
  const Expr profile = 4 * y * (1 - y);
  q.condition = {on("left", u == profile), on("right", u == profile), on("bottom", u == 0),
                 on("top", normal_derivative(u, {"x", "y"}) == 0), on_boundary(v == 0)};
  q.reference.formulas = {{"u", profile}};
  EXPECT_LT(flow_errors(q, "p", 10).velocity, 1e-10);
}

TEST(Flow, IsFreeOfDivergence) {
  const Problem q = cavity(50);
  const auto form = flow_form(q);
  ASSERT_TRUE(form.has_value());
  const FlowGrid grid(q, *form, {12, 10});
  const detail::SteadyFlow flow = detail::steady_flow(q, *form, grid, {}, {});
  ASSERT_EQ(flow.trouble, "");
  const detail::FlowDivergence divergence = detail::flow_divergence(q, *form, grid, flow.x);
  // Rounding of velocities of size 1 over the spacing.
  EXPECT_LT(divergence.largest, 1e-11);
  EXPECT_LT(std::abs(divergence.forced), 1e-13);
}

TEST(Flow, UnderAMovingLidIsThatOfTheTables) {
  const auto solver = make_flow_solver(shared(cavity(100)), [] {
    Fdm m;
    m.n = 32;
    m.order = 4;
    return m;
  }());
  ASSERT_TRUE(solver);
  const detail::ClassicalAnswer answer = solver->solve(0, {});
  ASSERT_TRUE(answer.model);
  // Ghia, Ghia and Shin 1982, 129 x 129 points; later computations move these by up to 0.008.
  EXPECT_NEAR(value_at(answer, 0.5, 0.5)[0], -0.20581, 0.006);
  EXPECT_NEAR(value_at(answer, 0.5, 0.4531)[0], -0.21090, 0.006);
  EXPECT_NEAR(value_at(answer, 0.2344, 0.5)[1], 0.17527, 0.006);
  EXPECT_NEAR(value_at(answer, 0.8047, 0.5)[1], -0.24533, 0.009);
  // The same flow on 128 x 128 cells.
  EXPECT_NEAR(value_at(answer, 0.5, 0.5)[0], -0.20913, 0.001);
  EXPECT_NEAR(value_at(answer, 0.5, 0.4531)[0], -0.21396, 0.001);
}

TEST(Flow, FasterFlowIsReachedFromCoarserGrids) {
  const auto solver = make_flow_solver(shared(cavity(400)), [] {
    Fdm m;
    m.n = 32;
    m.order = 4;
    return m;
  }());
  const detail::ClassicalAnswer answer = solver->solve(0, {});
  ASSERT_TRUE(answer.model);
  EXPECT_TRUE(answer.troubles.empty());
  EXPECT_NEAR(value_at(answer, 0.5, 0.2813)[0], -0.32726, 0.015);  // Ghia, Ghia and Shin
}

TEST(Flow, GoesThroughAnArtificialTimeWhereNewtonsMethodStalls) {
  const Problem q = cavity(5000);
  const auto form = flow_form(q);
  ASSERT_TRUE(form.has_value());
  const FlowGrid grid(q, *form, {16, 16});
  const detail::SteadyFlow flow = detail::steady_flow(q, *form, grid, {}, {});
  EXPECT_EQ(flow.trouble, "");
  EXPECT_GT(flow.steps, 20);
  EXPECT_LT(detail::flow_divergence(q, *form, grid, flow.x).largest, 1e-10);
}

TEST(Flow, BetweenPlatesInSpaceIsExact) {
  const Coordinate x("x"), y("y"), z("z");
  const std::vector<Expr> fields = {Field("u"), Field("v"), Field("w")}, space = {x, y, z};
  const Field p("p");
  Problem q;
  q.name = "plates";
  q.fields = {"u", "v", "w", "p"};
  q.domain = Box({0, 0, 0}, {1, 1, 1});
  const Expr profile = 4 * z * (1 - z);
  Expr divergence = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    Expr residual = d(p, space[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      residual += fields[k] * d(fields[i], space[k]) - 0.05 * d_n(fields[i], space[k], 2);
    }
    q.equation.emplace_back(residual == 0);
    divergence += d(fields[i], space[i]);
    q.condition.push_back(on_boundary(fields[i] == (i == 1 ? profile : Expr(0))));
  }
  q.equation.emplace_back(divergence == 0);
  q.reference.formulas = {{"v", profile}, {"p", 0.4 * (0.5 - y)}};
  const FlowErrors errors = flow_errors(q, "p", 6);
  EXPECT_LT(errors.velocity, 1e-10);
  EXPECT_LT(errors.pressure, 1e-10);
}

/// A channel along x, periodic, driven by a force.
Problem channel(double viscosity) {
  const Coordinate x("x");
  const Field u("u"), v("v");
  Problem q = square(viscosity);
  q.condition = {periodic(x), on("bottom", u == 0), on("top", u == 0), on("bottom", v == 0),
                 on("top", v == 0)};
  return q;
}

TEST(Flow, ThroughAPeriodicChannelIsDrivenByAForce) {
  const Coordinate y("y");
  Problem q = channel(0.1);
  q.equation[0].form.right += 2;
  q.reference.formulas = {{"u", 10 * y * (1 - y)}};
  EXPECT_LT(flow_errors(q, "p", 8).velocity, 1e-10);
}

TEST(Flow, ThatSpeedsUpStartsAgainWithSmallerSteps) {
  // u = 40 t^2 y (1 - y) from rest: the first guess of the step is far too long in the end.
  const Coordinate t("t"), y("y");
  const Field u("u"), v("v");
  Problem q = channel(0.1);
  q.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 1);
  q.equation[0].form.left += d(u, t);
  q.equation[1].form.left += d(v, t);
  q.equation[0].form.right += 80 * t * y * (1 - y) + 8 * t * t;
  q.condition.push_back(at(t == 0, u == 0));
  q.condition.push_back(at(t == 0, v == 0));
  q.reference.formulas = {{"u", 40 * t * t * y * (1 - y)}};
  const FlowErrors errors = flow_errors(q, "p", 16);
  EXPECT_LT(errors.velocity, 3e-3);
  ASSERT_FALSE(errors.answer.remarks.empty());
  // Courant number 0.7 at speed 10 and spacing 1/16 needs at least 228 steps.
  EXPECT_GE(std::stoi(errors.answer.remarks.back()), 228);
}

TEST(Flow, ThatCannotBeBalancedIsATrouble) {
  const Field u("u"), v("v");
  Problem q = square(1);
  q.condition = {on("left", u == 1), on("not left", u == 0), on_boundary(v == 0)};
  Fdm method;
  method.n = 8;
  const detail::ClassicalAnswer answer = make_flow_solver(shared(q), method)->solve(0, {});
  ASSERT_FALSE(answer.troubles.empty());
  EXPECT_NE(answer.troubles[0].find("more fluid in than out"), std::string::npos);
}

TEST(Flow, StopsWhenItsTimeIsOver) {
  Fdm method;
  method.n = 32;
  RunOptions options;
  options.limit = RunLimit::of_run(1e-9, nullptr);
  for (const Problem& q : {cavity(10), vortices(0.1, true)}) {
    const detail::ClassicalAnswer answer = make_flow_solver(shared(q), method)->solve(0, options);
    EXPECT_TRUE(answer.interrupted);
    EXPECT_FALSE(answer.model);
  }
}

TEST(Flow, VorticesStayFreeOfDivergenceAndKeepTheirBits) {
  const Problem q = vortices(0.1, true);
  Fdm method;
  method.n = 16;
  std::vector<std::vector<double>> answers;
  for (const int threads : {1, 2}) {
    RunOptions options;
    options.threads = threads;
    const detail::ClassicalAnswer answer = make_flow_solver(shared(q), method)->solve(0, options);
    ASSERT_TRUE(answer.model);
    EXPECT_TRUE(answer.troubles.empty());  // among them: a divergence above 1e-8
    const std::vector<Expr> fields = {Field("u"), Field("p")};
    const std::vector<double> points = {0.5, 1, 2, 0.25, 4, 3};
    answers.emplace_back(4);
    answer.model->evaluate(fields, points, answers.back());
  }
  EXPECT_EQ(answers[0], answers[1]);
}

}  // namespace
}  // namespace cauchy::test_flow
