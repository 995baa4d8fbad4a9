#include "solvers/spectral/chebyshev.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/classical_error.hpp"
#include "support/message_of.hpp"
#include "support/stop_after.hpp"

namespace cauchy::test_chebyshev {
namespace {

using detail::ClassicalAnswer;
using ::testing::HasSubstr;

const Coordinate t("t"), x("x"), y("y"), z("z");
const Field u("u"), v("v"), q("q"), p("p");

Problem on(const Domain& domain, std::vector<std::string> fields, std::vector<Equation> equations,
           std::vector<Condition> conditions) {
  Problem problem;
  problem.domain = domain;
  problem.fields = std::move(fields);
  problem.equation.assign(equations.begin(), equations.end());
  problem.condition = std::move(conditions);
  return problem;
}

/// The answer of a level.
ClassicalAnswer answer(const Problem& problem, const Spectral& options, int level = 0) {
  return detail::make_chebyshev_solver(std::make_shared<const Problem>(problem), options)
      ->solve(level, {});
}

double error_of(const Problem& problem, const Expr& quantity, const Expr& exact,
                const Spectral& options, int level = 0) {
  const ClassicalAnswer a = answer(problem, options, level);
  EXPECT_TRUE(a.troubles.empty()) << (a.troubles.empty() ? "" : a.troubles[0]);
  if (!a.model) return NAN;
  return largest_difference(*a.model, problem, quantity, exact);
}

Expr laplacian_of(const Expr& e) { return laplacian(e, {x, y}); }

TEST(Chebyshev, SolvesDirichletNeumannAndRobinConditions) {
  const Expr exact = exp(x) * sin(2 * y);
  const Problem problem =
      on(Rectangle({0, 0}, {1, 1}), {"u"},
         {(2 + x) * laplacian_of(u) + d(u, x) == (2 + x) * laplacian_of(exact) + d(exact, x)},
         {on_boundary(u == exact)});
  EXPECT_LT(error_of(problem, u, exact, {.n = 18}), 1e-12);
  Problem mixed = problem;
  const Expr slope = normal_derivative(u, {"x", "y"});
  mixed.condition = {cauchy::on("left", u == exact), cauchy::on("top", slope == d(exact, y)),
                     cauchy::on("bottom", slope == -d(exact, y)),
                     cauchy::on("right", 3 * u + slope == 3 * exact + d(exact, x))};
  EXPECT_LT(error_of(mixed, u, exact, {.n = 18}), 1e-11);
  EXPECT_LT(error_of(mixed, d(u, x), d(exact, x), {.n = 18}), 1e-9);
}

TEST(Chebyshev, TakesConditionsOnPartsOfASide) {
  const Expr exact = x * x * y - y;
  const Problem problem =
      on(Rectangle({0, 0}, {1, 1}), {"u"}, {laplacian_of(u) == 2 * y},
         {cauchy::on("not top", u == exact), cauchy::on("top and x < 0.4", u == exact),
          cauchy::on("top and x >= 0.4", d(u, y) == d(exact, y))});
  EXPECT_LT(error_of(problem, u, exact, {.n = 8}), 1e-11);  // a polynomial: exact
}

TEST(Chebyshev, FixesTheMeanOfAPureNeumannProblem) {
  const Expr exact = cos(pi * x) * cos(pi * y);
  Problem problem = on(Rectangle({0, 0}, {1, 1}), {"u"}, {laplacian_of(u) == -2 * pi * pi * exact},
                       {on_boundary(normal_derivative(u, {"x", "y"}) == 0)});
  EXPECT_LT(error_of(problem, u, exact, {.n = 18}), 1e-11);
  EXPECT_THAT(answer(problem, {.n = 12}).remarks.at(0), HasSubstr("up to a constant"));
  problem.equation = {laplacian_of(u) == 1};
  const ClassicalAnswer none = answer(problem, {.n = 12});
  EXPECT_EQ(none.model, nullptr);
  EXPECT_THAT(none.troubles.at(0), HasSubstr("not compatible"));
}

TEST(Chebyshev, SolvesStokesFlowWithoutAPointForThePressure) {
  // u = (psi_y, -psi_x), p = cos(pi x) of mean 0.
  const Expr psi = pow(sin(pi * x), 2) * pow(sin(pi * y), 2);
  const Expr ue = d(psi, y), ve = -d(psi, x), pe = cos(pi * x);
  const Problem problem =
      on(Rectangle({0, 0}, {1, 1}), {"u", "v", "p"},
         {-laplacian_of(u) + d(p, x) == -laplacian_of(ue) + d(pe, x),
          -laplacian_of(v) + d(p, y) == -laplacian_of(ve), d(u, x) + d(v, y) == 0},
         {on_boundary(u == 0), on_boundary(v == 0)});
  EXPECT_LT(error_of(problem, v, ve, {.n = 16}), 1e-7);
  EXPECT_LT(error_of(problem, p, pe, {.n = 16}), 1e-5);
}

TEST(Chebyshev, CutsSpaceWhereCoefficientsJump) {
  const Expr a = where(x < 0.3, 1, 10);
  const double m = (0.09 / 2 + 0.91 / 20) / (0.3 + 0.07);
  const Problem problem = on(Interval(x, 0, 1), {"u", "q"}, {q / a + d(u, x) == 0, d(q, x) == 1},
                             {on_boundary(u == 0)});
  const Expr exact = where(x < 0.3, m * x - x * x / 2, (1 - x) * (1 + x - 2 * m) / 20);
  EXPECT_LT(error_of(problem, u, exact, {}), 1e-13);
  EXPECT_LT(error_of(problem, q, x - m, {}), 1e-13);
}

TEST(Chebyshev, CutsSpaceWhereTheAnswerIsSteep) {
  const double eps = 1e-3;
  const Problem problem =
      on(Interval(x, 0, 1), {"u"}, {-eps * d(u, x, x) + d(u, x) == 1}, {on_boundary(u == 0)});
  const Expr exact = x - (exp((x - 1) / eps) - std::exp(-1 / eps)) / (1 - std::exp(-1 / eps));
  const ClassicalAnswer a = answer(problem, {}, 3);
  EXPECT_LT(largest_difference(*a.model, problem, u, exact, 201), 1e-9);
  EXPECT_THAT(a.remarks.at(0), HasSubstr("pieces"));
}

TEST(Chebyshev, SolvesNonlinearProblemsByGaussNewton) {
  // Bratu: u'' + exp(u) = 0, u = -2 log(cosh((x - 1/2) theta / 2) / cosh(theta / 4)) with
  // theta = sqrt(2) cosh(theta / 4), the lower of two solutions.
  double theta = 1.5;
  for (int k = 0; k < 200; ++k) theta = std::sqrt(2.0) * std::cosh(theta / 4);
  const Expr exact = -2 * log(cosh((x - 0.5) * theta / 2) / std::cosh(theta / 4));
  const Problem problem =
      on(Interval(x, 0, 1), {"u"}, {d(u, x, x) + exp(u) == 0}, {on_boundary(u == 0)});
  EXPECT_LT(error_of(problem, u, exact, {.n = 20}), 1e-12);
}

TEST(Chebyshev, SolvesFlowInAPeriodicChannel) {
  // The cross flow and the pressure are 0: their steps are measured by the main flow.
  const Problem problem =
      on(Rectangle({0, -1}, {2 * pi, 1}), {"u", "v", "p"},
         {u * d(u, x) + v * d(u, y) + d(p, x) == 0.1 * laplacian_of(u) + 0.2,
          u * d(v, x) + v * d(v, y) + d(p, y) == 0.1 * laplacian_of(v), d(u, x) + d(v, y) == 0},
         {periodic(x), cauchy::on("bottom or top", u == 0), cauchy::on("bottom or top", v == 0)});
  EXPECT_LT(error_of(problem, u, 1 - y * y, {.n = 6}), 1e-12);
}

TEST(Chebyshev, SolvesAClampedBeam) {
  const Expr exact = x * x * (1 - x) * (1 - x) / 24;
  const Problem problem = on(Interval(x, 0, 1), {"u"}, {d_n(u, x, 4) == 1},
                             {on_boundary(u == 0), on_boundary(d(u, x) == 0)});
  EXPECT_LT(error_of(problem, u, exact, {.n = 24}), 1e-15);
}

TEST(Chebyshev, TakesPeriodicPointAndIntegralConditions) {
  const Problem ring =
      on(Interval(x, 0, 2 * pi), {"u"}, {d(u, x, x) - u == -2 * sin(x)}, {periodic(x)});
  EXPECT_LT(error_of(ring, u, sin(x), {.n = 24}), 1e-12);
  const Problem mean = on(Interval(x, 0, 1), {"u"}, {d(u, x, x) == 2},
                          {cauchy::on("left", d(u, x) == 0), integral(u == 1)});
  EXPECT_LT(error_of(mean, u, x * x + 2.0 / 3, {.n = 6}), 1e-13);
  const Problem held = on(Interval(x, 0, 1), {"u"}, {d(u, x, x) == 2},
                          {cauchy::on("left", d(u, x) == 0), at_point({{"x", 0.25}}, u == 1)});
  EXPECT_LT(error_of(held, u, x * x + 1 - 0.0625, {.n = 6}), 1e-13);
}

TEST(Chebyshev, SolvesPoissonsEquationInSpace) {
  const Expr exact = sin(x) * cos(y) * exp(z);
  const Problem problem = on(Box({0, 0, 0}, {1, 1, 1}), {"u"}, {laplacian(u, {x, y, z}) == -exact},
                             {on_boundary(u == exact)});
  EXPECT_LT(error_of(problem, u, exact, {.n = 8}), 1e-8);
}

TEST(Chebyshev, MarchesParabolicAndHyperbolicProblems) {
  const Expr heat = exp(-t) * sin(x) + t;
  const Problem bar = on(Interval(x, 0, 2) * Time(t, 0, 1), {"u"}, {d(u, t) == d(u, x, x) + 1},
                         {at(t == 0, u == sin(x)), on_boundary(u == heat)});
  EXPECT_LT(error_of(bar, u, heat, {}, 2), 1e-10);
  const Expr swing = cos(3 * t) * sin(3 * x);
  const Problem string =
      on(Interval(x, 0, pi) * Time(t, 0, 2), {"u"}, {d(u, t, t) == d(u, x, x)},
         {at(t == 0, u == sin(3 * x)), at(t == 0, d(u, t) == 0), on_boundary(u == 0)});
  EXPECT_LT(error_of(string, u, swing, {}, 2), 1e-6);
  EXPECT_LT(error_of(string, d(u, t), d(swing, t), {}, 2), 1e-4);
  const Expr plane = exp(-2 * t) * sin(x) * sin(y);
  const Problem plate =
      on(Rectangle({0, 0}, {pi, pi}) * Time(t, 0, 0.5), {"u"}, {d(u, t) == laplacian_of(u)},
         {at(t == 0, u == sin(x) * sin(y)), on_boundary(u == 0)});
  EXPECT_LT(error_of(plate, u, plane, {.n = 9, .tolerance = 1e-3}), 1e-4);
}

TEST(Chebyshev, EndsSlabsWhereSourcesAndConditionsSwitch) {
  // u_t = 1 until t = 0.3, then 0; the end at x = 1 goes from a value to a slope at t = 0.7.
  const Expr exact = where(t < 0.3, t, 0.3);
  const Problem problem =
      on(Interval(x, 0, 1) * Time(t, 0, 1), {"u"}, {d(u, t) == d(u, x, x) + where(t < 0.3, 1, 0)},
         {at(t == 0, u == 0), cauchy::on("left", d(u, x) == 0),
          cauchy::on("right and t < 0.7", u == exact),
          cauchy::on("right and t >= 0.7", d(u, x) == 0)});
  EXPECT_LT(error_of(problem, u, exact, {}), 1e-12);
}

TEST(Chebyshev, TakesTimeDerivativesInConditions) {
  const Expr exact = exp(-t) * cos(x);
  const Problem problem = on(Interval(x, 0, 1) * Time(t, 0, 1), {"u"}, {d(u, t) == d(u, x, x)},
                             {at(t == 0, u == cos(x)), cauchy::on("left", d(u, x) == 0),
                              cauchy::on("right", d(u, t) + d(u, x) == d(exact, t) + d(exact, x))});
  EXPECT_LT(error_of(problem, u, exact, {}, 1), 1e-8);
}

TEST(Chebyshev, GetsOverInitialValuesThatDoNotFitTheEnds) {
  // A warm half line whose end is cooled at once: u = erf(x / sqrt(4 t)).
  const Expr exact = erf(x / sqrt(4 * t));
  const Problem problem =
      on(Interval(x, 0, 1) * Time(t, 0, 0.01), {"u"}, {d(u, t) == d(u, x, x)},
         {at(t == 0, u == 1), cauchy::on("left", u == 0), cauchy::on("right", d(u, x) == 0)});
  const ClassicalAnswer a = answer(problem, {});
  ASSERT_NE(a.model, nullptr);
  const double late[] = {0.005, 0.01, 0.005, 0.05, 0.01, 0.1, 0.01, 0.3};
  const Expr both[] = {u, exact};
  std::vector<double> values(8);
  a.model->evaluate(both, late, values);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(values[2 * i], values[2 * i + 1], 1e-3);
}

TEST(Chebyshev, SolvesConditionsAtBothEndsOfTimeAtOnce) {
  const Expr exact = sinh(t) * sin(x);
  const Problem problem =
      on(Interval(x, 0, pi) * Time(t, 0, 1), {"u"}, {d(u, t, t) + d(u, x, x) == 0},
         {at(t == 0, u == 0), at(t == 1, u == std::sinh(1) * sin(x)), on_boundary(u == 0)});
  EXPECT_LT(error_of(problem, u, exact, {.n = 14}), 1e-9);
}

TEST(Chebyshev, TellsBlowUpMissingConditionsAndInterruptions) {
  const Problem blow = on(Interval(x, 0, 1) * Time(t, 0, 2), {"u"}, {d(u, t) == d(u, x, x) + u * u},
                          {at(t == 0, u == 1), on_boundary(d(u, x) == 0)});
  const ClassicalAnswer burst = answer(blow, {.n = 8});
  EXPECT_EQ(burst.model, nullptr);
  ASSERT_EQ(burst.troubles.size(), 1u);
  EXPECT_THAT(burst.troubles[0], HasSubstr("at t = "));

  const Problem open =
      on(Interval(x, 0, 1), {"u"}, {d(u, x, x) + u == 1}, {cauchy::on("left", u == 0)});
  const ClassicalAnswer free = answer(open, {.n = 20});
  EXPECT_EQ(free.model, nullptr);
  EXPECT_THAT(free.troubles.at(0), HasSubstr("free"));

  StopAfter stop(1);
  RunOptions options;
  options.limit = RunLimit::of_run(0, &stop);
  auto solver = detail::make_chebyshev_solver(std::make_shared<const Problem>(blow), {});
  EXPECT_TRUE(solver->solve(1, options).interrupted);
}

TEST(Chebyshev, RefusesWhatItCannotTreat) {
  const auto message = [](const Problem& problem) {
    return message_of([&] { (void)answer(problem, {}); });
  };
  const Problem good =
      on(Rectangle({0, 0}, {1, 1}), {"u"}, {laplacian_of(u) == 1}, {on_boundary(u == 0)});
  Problem disk = good;
  disk.domain = Disk({0, 0}, 1);
  EXPECT_THAT(message(disk), HasSubstr("needs a box; use fdm"));
  Problem part = good;
  part.equation[0].where = "x < 0.5";
  EXPECT_THAT(message(part), HasSubstr("part of the box"));
  Problem inverse = good;
  inverse.unknowns = {{"k"}};
  EXPECT_THAT(message(inverse), HasSubstr("use pinn"));
  Problem jump = good;
  jump.equation = {where(x < 0.5, 1, 2) * laplacian_of(u) == 1};
  EXPECT_THAT(message(jump), HasSubstr("jumps"));
  const Problem ode = on(Time(t, 0, 1), {"u"}, {d(u, t) == u}, {at(t == 0, u == 1)});
  EXPECT_THAT(message(ode), HasSubstr("use ode"));
}

TEST(Chebyshev, TellsCostsThatGrowWithTheLevel) {
  const auto solver = detail::make_chebyshev_solver(
      std::make_shared<const Problem>(
          on(Rectangle({0, 0}, {1, 1}), {"u"}, {laplacian_of(u) == 1}, {on_boundary(u == 0)})),
      {});
  ASSERT_GT(solver->levels(), 3);
  EXPECT_EQ(solver->order(), detail::of_series);
  for (int level = 1; level < solver->levels(); ++level) {
    EXPECT_GT(solver->cost(level).nominal(), solver->cost(level - 1).nominal());
    EXPECT_GT(solver->cost(level).bytes, solver->cost(level - 1).bytes);
  }
}

}  // namespace
}  // namespace cauchy::test_chebyshev
