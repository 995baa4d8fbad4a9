#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

namespace cauchy::test_ode_boundary_values {
namespace {

const Coordinate x("x"), t("t");
const Field u("u"), v("v");

Problem on_interval(double from, double to, ProblemEquation equation,
                    std::vector<Condition> conditions) {
  Problem p;
  p.domain = Interval(x, from, to);
  p.fields = {"u"};
  p.equation = {std::move(equation)};
  p.condition = std::move(conditions);
  return p;
}

/// The largest error of u at 41 points.
double error_of(const Solution& s, double from, double to,
                const std::function<double(double)>& exact) {
  double worst = 0;
  for (int i = 0; i <= 40; ++i) {
    const double at = from + (to - from) * i / 40;
    const double e = std::abs(s("u", {at}) - exact(at));
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

std::string findings_of(const Solution& s) {
  std::string all;
  for (const std::string& f : s.findings) all += f + "\n";
  return all;
}

TEST(OdeBoundaryValues, LinearProblemsAreExact) {
  const double pi = std::numbers::pi;
  const Solution dirichlet =
      solve(on_interval(0, 1, {-d(u, x, x) == sin(cauchy::pi * x)}, {on_boundary(u == 0)}),
            Ode{.tolerance = 1e-8});
  EXPECT_LT(error_of(dirichlet, 0, 1, [&](double a) { return std::sin(pi * a) / (pi * pi); }),
            1e-9);
  // Robin on the left with the outward normal, Neumann on the right: u = exp(2 x).
  const Solution robin = solve(on_interval(0, 1, {d(u, x, x) == 4 * u},
                                           {on("left", normal_derivative(u, {"x"}) + 3 * u == 1),
                                            on("right", d(u, x) == 2 * exp(Expr(2)))}),
                               Ode{.tolerance = 1e-8});
  EXPECT_LT(error_of(robin, 0, 1, [](double a) { return std::exp(2 * a); }), 1e-7);
}

TEST(OdeBoundaryValues, ATwoPointProblemInTimeAndAFourthOrderBeam) {
  Problem p;
  p.domain = Time(t, 0, 1);
  p.fields = {"u"};
  p.equation = {d(u, t, t) == -u};
  p.condition = {at(t == 0, u == 0), at(t == 1, u == std::sin(1.0))};
  EXPECT_LT(error_of(solve(p, Ode{.tolerance = 1e-8}), 0, 1, [](double a) { return std::sin(a); }),
            1e-8);
  // u'''' = 24, clamped on the left, free on the right: u = x^4 - 4 x^3 + 6 x^2.
  const Solution beam =
      solve(on_interval(0, 1, {d_n(u, x, 4) == 24},
                        {on("left", u == 0), on("left", d(u, x) == 0), on("right", d(u, x, x) == 0),
                         on("right", d_n(u, x, 3) == 0)}),
            Ode{.tolerance = 1e-8});
  EXPECT_LT(error_of(beam, 0, 1, [](double a) { return a * a * (a * a - 4 * a + 6); }), 1e-8);
}

TEST(OdeBoundaryValues, BratusProblemFindsTheLowerBranch) {  // u'' + exp(u) = 0
  const Solution s = solve(on_interval(0, 1, {d(u, x, x) + exp(u) == 0}, {on_boundary(u == 0)}),
                           Ode{.tolerance = 1e-9});
  // u = -2 log(cosh((x - 1/2) theta / 2) / cosh(theta / 4)), theta = sqrt(2) cosh(theta / 4).
  double theta = 1.5;
  for (int i = 0; i < 100; ++i) theta = std::sqrt(2.0) * std::cosh(theta / 4);
  EXPECT_LT(error_of(s, 0, 1,
                     [&](double a) {
                       return -2 *
                              std::log(std::cosh((a - 0.5) * theta / 2) / std::cosh(theta / 4));
                     }),
            1e-9);
}

TEST(OdeBoundaryValues, BratusProblemBeyondItsFoldSaysThatThereIsNoSolution) {  // lambda > 3.5138
  const Solution s = solve(on_interval(0, 1, {d(u, x, x) + 5 * exp(u) == 0}, {on_boundary(u == 0)}),
                           Ode{.tolerance = 1e-6});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_NE(findings_of(s).find("boundary value problem"), std::string::npos) << findings_of(s);
}

TEST(OdeBoundaryValues, MeshesFollowBoundaryLayers) {  // 1e-4 u'' + u' = 0
  const double e = 1e-4;
  const Solution s = solve(
      on_interval(0, 1, {e * d(u, x, x) + d(u, x) == 0}, {on("left", u == 0), on("right", u == 1)}),
      Ode{.tolerance = 1e-7});
  for (const double a : {0.0, 1e-5, 5e-5, 2e-4, 1e-3, 0.1, 1.0}) {
    EXPECT_NEAR(s("u", {a}), (1 - std::exp(-a / e)) / (1 - std::exp(-1 / e)), 1e-6) << a;
  }
  EXPECT_LT(s.n_unknowns, 2000u);
}

TEST(OdeBoundaryValues,
     NonlinearLayersAreReachedByDamping) {  // Troesch's problem, mu = 8
  const Solution s = solve(
      on_interval(0, 1, {d(u, x, x) == 8 * sinh(8 * u)}, {on("left", u == 0), on("right", u == 1)}),
      Ode{.tolerance = 1e-6});
  ASSERT_TRUE(s.estimate) << findings_of(s);
  // Slope at 0 for mu = 8: 2.5871694e-3 (Roberts, Shipman 1976).
  EXPECT_NEAR(s(d(u, x), {0.0}), 2.5871694e-3, 1e-6);
}

TEST(OdeBoundaryValues, IntegralsAndInnerPointsAreConditionsToo) {
  // u = x^2: u'' = 2, mean 1/3, u(1/4) = 1/16.
  const Condition mean = integral(u == 1.0 / 3);
  const Solution s =
      solve(on_interval(0, 1, {d(u, x, x) == 2}, {mean, at_point({{"x", 0.25}}, u == 0.0625)}),
            Ode{.tolerance = 1e-8});
  EXPECT_LT(error_of(s, 0, 1, [](double a) { return a * a; }), 1e-9);
  // With the value in the middle the slope stays open.
  const Solution open =
      solve(on_interval(0, 1, {d(u, x, x) == 2}, {mean, at_point({{"x", 0.5}}, u == 0.25)}), Ode{});
  EXPECT_NE(findings_of(open).find("singular"), std::string::npos) << findings_of(open);
}

TEST(OdeBoundaryValues, PeriodicSolutionsOfForcedEquations) {  // u'' - u = -2 sin x
  const double end = 2 * std::numbers::pi;
  const Solution s = solve(on_interval(0, end, {d(u, x, x) - u == -2 * sin(x)}, {periodic(x)}),
                           Ode{.tolerance = 1e-8});
  EXPECT_LT(error_of(s, 0, end, [](double a) { return std::sin(a); }), 1e-8);
}

TEST(OdeBoundaryValues, FluxesGoOnThroughJumpsOfTheirCoefficients) {
  // A film of 1e-4 with all of the resistance; k*u_x = q everywhere.
  const double w = 1e-4;
  const Expr k = where(abs(x - 0.37) < w / 2, Expr(w), Expr(1));
  const Solution film =
      solve(on_interval(0, 1, {d(k * d(u, x), x) == 0}, {on("left", u == 0), on("right", u == 1)}),
            Ode{.tolerance = 1e-8});
  const double q = 1 / (2 - w);
  EXPECT_LT(error_of(film, 0, 1,
                     [&](double a) {
                       const double in = std::clamp(a - 0.37 + w / 2, 0.0, w);
                       return q * (a - in + in / w);
                     }),
            1e-8);
  // The moment B*u_xx goes on, not the curvature: u_xx = (1 - x) / B under a force at the end.
  const Expr b = where(x < 0.5, Expr(4), Expr(1));
  const Solution beam =
      solve(on_interval(0, 1, {d(b * d(u, x, x), x, x) == 0},
                        {on("left", u == 0), on("left", d(u, x) == 0), on("right", d(u, x, x) == 0),
                         on("right", d_n(u, x, 3) == -1)}),
            Ode{.tolerance = 1e-8});
  const auto hung = [](double a) { return a * a / 2 - a * a * a / 6; };
  const double slope = 0.375 / 4 - 0.375, value = hung(0.5) / 4 - hung(0.5);
  EXPECT_LT(error_of(beam, 0, 1,
                     [&](double a) {
                       return a < 0.5 ? hung(a) / 4 : hung(a) + value + slope * (a - 0.5);
                     }),
            1e-8);
  // Without a flux the slope goes on: u_xx = 1 / c.
  const Expr c = where(x < 0.5, Expr(2), Expr(1));
  const Solution plain = solve(
      on_interval(0, 1, {c * d(u, x, x) == 2}, {on("left", u == 0), on("left", d(u, x) == 0)}),
      Ode{.tolerance = 1e-8});
  EXPECT_NEAR(plain("u", {1.0}), 0.125 + 0.25 + 0.25, 1e-8);
  // From one end, and back.
  for (const char* end : {"left", "right"}) {
    const Solution s = solve(on_interval(0, 1, {d(b * d(u, x), x) + d(u, x) == 0},
                                         {on(end, u == 1), on(end, b * d(u, x) == 2)}),
                             Ode{.tolerance = 1e-9});
    EXPECT_NEAR(4 * s(d(u, x), {0.5 - 1e-9}), s(d(u, x), {0.5 + 1e-9}), 1e-6);
  }
}

TEST(OdeBoundaryValues, OppositeResistancesHaveNoAnswer) {
  const Expr k = where(x < 0.5, Expr(1), Expr(-1));
  const Solution s =
      solve(on_interval(0, 1, {d(k * d(u, x), x) == 0}, {on("left", u == 0), on("right", u == 1)}),
            Ode{});
  EXPECT_NE(s.grade, Grade::converged);
}

TEST(OdeBoundaryValues, ASingularProblemIsTrouble) {  // u'' = 1 with u' = 0 at both ends
  const Solution s =
      solve(on_interval(0, 1, {d(u, x, x) == 1}, {on_boundary(d(u, x) == 0)}), Ode{});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_NE(findings_of(s).find("singular"), std::string::npos) << findings_of(s);
}

TEST(OdeBoundaryValues, FamiliesAreSolvedAtNodesOfTheRange) {
  const Parameter k("k");
  Problem p;
  p.domain = Interval(x, 0, 1) * Range(k, 1, 3);
  p.fields = {"u"};
  p.equation = {d(u, x, x) + k * k * u == 0};
  p.condition = {on("left", u == 0), on("right", u == sin(k))};
  const Solution s = solve(p, Ode{.tolerance = 1e-6});
  EXPECT_NEAR(s("u", {0.4, 2.2}), std::sin(0.4 * 2.2), 1e-6);
}

}  // namespace
}  // namespace cauchy::test_ode_boundary_values
