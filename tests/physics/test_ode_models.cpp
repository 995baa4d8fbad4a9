// Models of the lecture notes by the ode method, and what must hold for any solution of them.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

#include "solvers/ode/ode_conditions.hpp"

namespace cauchy::test_ode_models {
namespace {

const std::string folder = std::string(CAUCHY_TEST_DATA) + "/../../problems/";

Solution solved(const std::string& name, double tolerance) {
  return solve(read_problem_file(folder + name + ".toml").problem, Ode{.tolerance = tolerance});
}

TEST(OdeModels, TheEpidemicKeepsItsPeopleAndItsFinalSize) {
  const auto problem =
      std::make_shared<const Problem>(read_problem_file(folder + "sir.toml").problem);
  const detail::OdeProblem ode(problem);
  const std::vector<double> start = {0.99, 0.01, 0};
  std::vector<double> slope(3);
  ode.system->slope(0.1, start, slope);  // as printed in the notes
  EXPECT_NEAR(slope[0], -0.01188, 1e-15);
  EXPECT_NEAR(slope[1], 0.00688, 1e-15);
  EXPECT_NEAR(slope[2], 0.005, 1e-15);
  const Solution s = solved("sir", 1e-10);
  for (const double t : {0.0, 3.3, 11.0, 25.0}) {
    EXPECT_NEAR(s("S + I + R", {t}), 1, 1e-9) << t;
    // log(S / S0) = -b/c (R - R0) along every solution; at the end it is the final size relation.
    EXPECT_NEAR(std::log(s("S", {t}) / 0.99), -1.2 / 0.5 * s("R", {t}), 1e-8) << t;
  }
  // To the end of the epidemic: log(S_inf / S0) = -(b/c) (1 - S_inf).
  Problem longer = *problem;
  longer.domain = Time(Coordinate("t"), 0, 300);
  longer.reference = {};
  const double last = solve(longer, Ode{.tolerance = 1e-9})("S", {300.0});
  EXPECT_NEAR(std::log(last / 0.99), -1.2 / 0.5 * (1 - last), 1e-7);
}

TEST(OdeModels, DeathsAreTheirShareOfAllWhoRecoverOrDie) {
  const Solution s = solved("seird", 1e-9);
  for (const double t : {1.0, 20.0, 60.0}) {
    EXPECT_NEAR(s("S + E + I + R + D", {t}), 1, 1e-8) << t;
    EXPECT_NEAR(s("D/(R + D)", {t}), 0.02, 1e-8) << t;
  }
}

TEST(OdeModels, FoxesAndRabbitsKeepTheirConstant) {
  const Solution s = solved("lotka_volterra", 1e-9);
  const auto constant = [&](double t) {  // delta x - c log x + b y - a log y
    const double x = s("x", {t}), y = s("y", {t});
    return x - 3 * std::log(x) + y - 1.5 * std::log(y);
  };
  for (const double t : {1.0, 4.0, 8.0}) EXPECT_NEAR(constant(t), constant(0), 1e-7) << t;
}

TEST(OdeModels, HeatThroughTwoMaterialsIsExactOnBothSides) {
  const Solution s = solved("poisson_interface", 0);
  EXPECT_LT(s.error.relative_l2(), 1e-12);
}

}  // namespace
}  // namespace cauchy::test_ode_models
