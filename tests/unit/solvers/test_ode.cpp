#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

#include "support/message_of.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_ode {
namespace {

const Coordinate t("t"), x("x");
const Field u("u"), v("v"), w("w");

Problem in_time(double from, double to, std::vector<std::string> fields,
                std::vector<ProblemEquation> equations, std::vector<Condition> conditions) {
  Problem p;
  p.domain = Time(t, from, to);
  p.fields = std::move(fields);
  p.equation = std::move(equations);
  p.condition = std::move(conditions);
  return p;
}

Problem on_interval(double from, double to, ProblemEquation equation,
                    std::vector<Condition> conditions) {
  Problem p;
  p.domain = Interval(x, from, to);
  p.fields = {"u"};
  p.equation = {std::move(equation)};
  p.condition = std::move(conditions);
  return p;
}

/// The largest error of u at 21 points.
double error_of(const Solution& s, double from, double to,
                const std::function<double(double)>& exact, const char* field = "u") {
  double worst = 0;
  for (int i = 0; i <= 20; ++i) {
    const double at = from + (to - from) * i / 20;
    const double e = std::abs(s(field, {at}) - exact(at));
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

/// The sentence of a solve that must fail.
std::string trouble_of(const Problem& p, const Ode& method = {}) {
  const Solution s = solve(p, method);
  EXPECT_NE(s.grade, Grade::converged);
  std::string all;
  for (const std::string& f : s.findings) all += f + "\n";
  return all;
}

class Integrators : public ::testing::TestWithParam<OdeIntegrator> {};
INSTANTIATE_TEST_SUITE_P(Ode, Integrators,
                         ::testing::Values(OdeIntegrator::automatic, OdeIntegrator::dopri5,
                                           OdeIntegrator::dop853, OdeIntegrator::cvode,
                                           OdeIntegrator::ida, OdeIntegrator::collocation));

TEST_P(Integrators, SolveASecondOrderEquationFromTheStart) {  // u = cos(2 t) + t
  const Problem p = in_time(0, 3, {"u"}, {d(u, t, t) + 4 * u == 4 * t},
                            {at(t == 0, u == 1), at(t == 0, d(u, t) == 1)});
  const Solution s = solve(p, Ode{.integrator = GetParam(), .tolerance = 1e-7});
  EXPECT_LT(error_of(s, 0, 3, [](double a) { return std::cos(2 * a) + a; }), 1e-6);
  ASSERT_TRUE(s.estimate);
  EXPECT_LT(s.estimate->relative_l2, 1e-7);
}

TEST_P(Integrators, SolveFromTheRightEndAndFromTheMiddle) {  // u = exp(-t), v = t exp(-t)
  for (const double from : {2.0, 0.7}) {
    const double e = std::exp(-from);
    const Condition cu = at_point({{"t", from}}, u == e),
                    cv = at_point({{"t", from}}, v == from * e);
    const Problem p = in_time(0, 2, {"u", "v"}, {d(u, t) == -u, d(v, t) == u - v}, {cu, cv});
    const Solution s = solve(p, Ode{.integrator = GetParam(), .tolerance = 1e-7});
    EXPECT_LT(error_of(s, 0, 2, [](double a) { return std::exp(-a); }), 1e-6) << from;
    EXPECT_LT(error_of(
                  s, 0, 2, [](double a) { return a * std::exp(-a); }, "v"),
              1e-6)
        << from;
  }
}

TEST(Ode, HighestDerivativesMayBeCoupled) {  // u' + v' = 2 cos t, u' - v' = 2 sin t
  const Problem p =
      in_time(0, 2, {"u", "v"}, {d(u, t) + d(v, t) == 2 * cos(t), d(u, t) - d(v, t) == 2 * sin(t)},
              {at(t == 0, u == 0), at(t == 0, v == 0)});
  for (const OdeIntegrator i :
       {OdeIntegrator::dop853, OdeIntegrator::cvode, OdeIntegrator::collocation}) {
    const Solution s = solve(p, Ode{.integrator = i, .tolerance = 1e-8});
    EXPECT_LT(error_of(s, 0, 2, [](double a) { return std::sin(a) + 1 - std::cos(a); }), 1e-7);
    EXPECT_LT(error_of(
                  s, 0, 2, [](double a) { return std::sin(a) - 1 + std::cos(a); }, "v"),
              1e-7);
  }
}

TEST(Ode, ConditionsOfTheStartMayBeNonlinearAndCoupled) {  // u^3 = 8, u v = 6
  const Problem p = in_time(0, 1, {"u", "v"}, {d(u, t) == v, d(v, t) == 0 * u},
                            {at(t == 0, u * u * u + 0 * v == 8), at(t == 0, u + v == 5)});
  const Solution s = solve(p, Ode{.tolerance = 1e-8});
  EXPECT_NEAR(s("u", {1.0}), 5, 1e-7);
}

TEST(Ode, DerivativesOfTheAnswerFulfilTheEquation) {
  const Problem p =
      in_time(0, 3, {"u"}, {d(u, t, t) == -sin(u)}, {at(t == 0, u == 2), at(t == 0, d(u, t) == 0)});
  const Solution s = solve(p, Ode{.tolerance = 1e-9});
  for (const double a : {0.0, 0.01, 0.3, 1.1, 2.9, 3.0}) {
    EXPECT_NEAR(s(d(u, t, t) + sin(u), {a}), 0, 1e-5) << a;
  }
}

TEST(Ode, StiffEquationsAreHandedToAnImplicitMethod) {  // van der Pol, mu = 1000
  const Problem p =
      in_time(0, 2000, {"u", "v"}, {d(u, t) == v, d(v, t) == 1000 * (1 - u * u) * v - u},
              {at(t == 0, u == 2), at(t == 0, v == 0)});
  const Solution s = solve(p, Ode{.tolerance = 1e-3});
  EXPECT_NE(s.method.find("cvode"), std::string::npos) << s.method;
  // Test Set for IVP Solvers, problem VDPOL: x = 2 after the scaled time 2, which is t = 2000.
  EXPECT_NEAR(s("u", {2000.0}), 1.706167732170483, 1e-3);
}

TEST(Ode, DifferentialAlgebraicEquationsGoToIda) {  // Robertson's reactions
  const Problem p = in_time(0, 40, {"u", "v", "w"},
                            {d(u, t) == -0.04 * u + 1e4 * v * w,
                             d(v, t) == 0.04 * u - 1e4 * v * w - 3e7 * v * v, u + v + w == 1},
                            {at(t == 0, u == 1), at(t == 0, v == 0)});
  const Solution s = solve(p, Ode{.tolerance = 1e-5});
  EXPECT_NE(s.method.find("ida"), std::string::npos) << s.method;
  // Hairer, Wanner, Solving Ordinary Differential Equations II, IV.1: y(40).
  EXPECT_NEAR(s("u", {40.0}), 0.7158270688, 1e-5);
  EXPECT_NEAR(s("v", {40.0}), 9.185534764e-6, 1e-8);
  EXPECT_NEAR(s("w", {40.0}), 0.2841637457, 1e-5);
}

TEST(Ode, APendulumWithATensionIsOfIndexOne) {
  // Cartesian coordinates of a pendulum of length 1 and its tension, the constraint differentiated
  // twice; compared with the angle.
  Problem p = in_time(0, 2, {"x1", "y1", "vx", "vy", "f"}, {}, {});
  const Field X("x1"), Y("y1"), vx("vx"), vy("vy"), f("f");
  p.equation = {d(X, t) == vx, d(Y, t) == vy, d(vx, t) == -f * X, d(vy, t) == -f * Y - 1,
                vx * vx + vy * vy - f * (X * X + Y * Y) - Y == 0};
  p.condition = {at(t == 0, X == 1), at(t == 0, Y == 0), at(t == 0, vx == 0), at(t == 0, vy == 0)};
  const Solution s = solve(p, Ode{.tolerance = 1e-7});
  const Problem angle = in_time(0, 2, {"u"}, {d(u, t, t) == -sin(u)},
                                {at(t == 0, u == pi / 2), at(t == 0, d(u, t) == 0)});
  const Solution a = solve(angle, Ode{.tolerance = 1e-9});
  EXPECT_NEAR(s("x1", {2.0}), std::sin(a("u", {2.0})), 1e-6);
  EXPECT_NEAR(s("y1", {2.0}), -std::cos(a("u", {2.0})), 1e-6);
}

TEST(Ode, ANonlinearHighestDerivativeGoesToIda) {
  const Problem p =
      in_time(0, 1, {"u"}, {pow(d(u, t), 3) + d(u, t) == 2 * exp(3 * t)}, {at(t == 0, u == 0)});
  // Compared with the integral of the root z of z^3 + z = 2 exp(3 t) by Simpson's rule.
  const Solution s = solve(p, Ode{.tolerance = 1e-8});
  EXPECT_NE(s.method.find("ida"), std::string::npos) << s.method;
  double integral = 0;
  for (int i = 0; i <= 200; ++i) {
    double z = 1;
    for (int k = 0; k < 50; ++k) {
      z -= (z * z * z + z - 2 * std::exp(3 * i / 200.0)) / (3 * z * z + 1);
    }
    integral += z * (i == 0 || i == 200 ? 1 : i % 2 == 1 ? 4 : 2) / 600;
  }
  EXPECT_NEAR(s("u", {1.0}), integral, 1e-6);
}

TEST(Ode, ABlowUpIsAStatusWithItsTime) {
  const Problem p = in_time(0, 2, {"u"}, {d(u, t) == u * u}, {at(t == 0, u == 1)});
  for (const OdeIntegrator i : {OdeIntegrator::automatic, OdeIntegrator::dopri5,
                                OdeIntegrator::cvode, OdeIntegrator::ida}) {
    const std::string why = trouble_of(p, Ode{.integrator = i});
    EXPECT_NE(why.find("t = 1"), std::string::npos) << why;
  }
}

TEST(Ode, TabulatedFunctionsAreFollowed) {
  Problem p = in_time(0, 1, {"u"}, {}, {at(t == 0, u == 0)});
  TabulatedFunction f;
  f.name = "f";
  f.arguments = {"t"};
  f.column = "f";
  f.table.columns = {"t", "f"};
  for (int i = 0; i <= 10; ++i) {
    const double a = 0.1 * i;
    f.table.values.insert(f.table.values.end(), {a, 3 * a * a});
  }
  p.functions = {f};
  p.equation = {d(u, t) == DataFunction("f")(t)};
  const Solution s = solve(p, Ode{.tolerance = 1e-8});
  EXPECT_NEAR(s("u", {1.0}), 1, 1e-7);
}

TEST(Ode, AStopIsHeardBetweenSteps) {  // the driver reports before the first level: stop at once
  const Problem p =
      in_time(0, 1e5, {"u"}, {d(u, t, t) == -u}, {at(t == 0, u == 1), at(t == 0, d(u, t) == 0)});
  for (const OdeIntegrator i : {OdeIntegrator::dopri5, OdeIntegrator::dop853, OdeIntegrator::cvode,
                                OdeIntegrator::ida, OdeIntegrator::collocation}) {
    StopAfter now(0);
    const Solution s = solve(p, Ode{.integrator = i}, {.progress = &now});
    EXPECT_TRUE(s.interrupted);
    EXPECT_NE(s.grade, Grade::converged);
  }
}

TEST(Ode, JumpsOfKnownFunctionsAreNotSteppedOver) {  // u' = 1 from t = 1/3 to 0.7, else -2
  const Expr inside = min(t > Expr(1.0 / 3), t < Expr(0.7));
  const Problem p = in_time(0, 1, {"u"}, {d(u, t) == where(inside, 1, -2)}, {at(t == 1, u == 0)});
  const Solution s = solve(p, Ode{.tolerance = 1e-9});
  const auto exact = [](double a) {
    if (a > 0.7) return 2 * (1 - a);
    return a > 1.0 / 3 ? a - 0.1 : 0.7 / 3 + 2 * (1.0 / 3 - a);
  };
  EXPECT_LT(error_of(s, 0, 1, exact), 1e-12);
  EXPECT_NEAR(s(d(u, t), {0.333}), -2, 1e-12);
  EXPECT_NEAR(s(d(u, t), {0.334}), 1, 1e-12);
  EXPECT_LT(s.n_unknowns, 100u);
}

TEST(Ode, TheAnswerIsSavedAndLoaded) {
  const Problem p = in_time(0, 1, {"u"}, {d(u, t) == -u}, {at(t == 0, u == 1)});
  const Solution s = solve(p, Ode{.tolerance = 1e-6});
  const TemporaryFolder folder;
  save_solution(folder / "answer", s);
  const Solution back = load_solution(folder / "answer", p, Ode{});
  EXPECT_EQ(back("u", {0.37}), s("u", {0.37}));
}

TEST(Ode, RefusesWithTheReason) {
  const auto refusal = [](const Problem& p, const Ode& method = {}) {
    return message_of([&] { (void)solve(p, method); });
  };
  Problem heat;
  heat.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  heat.fields = {"u"};
  heat.equation = {d(u, t) == d(u, x, x)};
  heat.condition = {at(t == 0, u == 0), on_boundary(u == 0)};
  EXPECT_NE(refusal(heat).find("one variable"), std::string::npos);
  EXPECT_NE(refusal(in_time(0, 1, {"u"}, {d(u, t, t) == u}, {at(t == 0, u == 1)}))
                .find("need 2 conditions, but there are 1"),
            std::string::npos);
  const Problem bounds =
      on_interval(0, 1, {-d(u, x, x) == 1}, {on("left", u == 0), on("right", u == 0)});
  EXPECT_NE(refusal(bounds, Ode{.integrator = OdeIntegrator::dop853}).find("collocation"),
            std::string::npos);
  const Problem index2 =
      in_time(0, 1, {"u", "v"}, {d(u, t) == v, u == sin(t)}, {at(t == 0, u == 0)});
  EXPECT_NE(refusal(index2).find("higher index"), std::string::npos);
  const Problem root = in_time(0, 1, {"u"}, {pow(d(u, t), 3) == 1 + u}, {at(t == 0, u == 1)});
  EXPECT_NE(refusal(root, Ode{.integrator = OdeIntegrator::cvode}).find("ida"), std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_ode
