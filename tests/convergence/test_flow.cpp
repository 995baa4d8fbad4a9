#include <cmath>

#include <gtest/gtest.h>

#include "support/flow_cases.hpp"

namespace cauchy::test_flow {
namespace {

double rate(double coarse, double fine) { return std::log2(coarse / fine); }

Problem swirl() {
  const Coordinate a("a"), b("b");
  return steady_case(exp(a) * sin(2 * b) / 2 + b * b, sin(3 * a) * cos(2 * b), 0.1);
}

TEST(FlowConvergence, SteadyFlowIsOfSecondOrder) {
  const FlowErrors coarse = flow_errors(swirl(), "h", 20), fine = flow_errors(swirl(), "h", 40);
  EXPECT_LT(fine.velocity, 1e-3);
  EXPECT_NEAR(rate(coarse.velocity, fine.velocity), 2, 0.1);
  EXPECT_NEAR(rate(coarse.pressure, fine.pressure), 2, 0.2);
}

TEST(FlowConvergence, TwoGridsOfSecondOrderGiveOneOfFourth) {
  const FlowErrors coarse = flow_errors(swirl(), "h", 20, 4),
                   fine = flow_errors(swirl(), "h", 40, 4);
  EXPECT_LT(fine.velocity, 1e-5);
  EXPECT_GT(rate(coarse.velocity, fine.velocity), 3.7);
  EXPECT_GT(rate(coarse.pressure, fine.pressure), 3.5);
}

TEST(FlowConvergence, DecayingVorticesAreOfSecondOrder) {
  const Problem problem = vortices(0.05, true);
  const FlowErrors coarse = flow_errors(problem, "p", 32), fine = flow_errors(problem, "p", 64);
  EXPECT_NEAR(rate(coarse.velocity, fine.velocity), 2, 0.1);
  EXPECT_NEAR(rate(coarse.pressure, fine.pressure), 2, 0.3);
}

TEST(FlowConvergence, MovingWallsKeepTheOrder) {
  const Problem problem = vortices(0.2, false);
  const FlowErrors coarse = flow_errors(problem, "p", 24), fine = flow_errors(problem, "p", 48);
  EXPECT_LT(fine.velocity, 1e-3);
  EXPECT_NEAR(rate(coarse.velocity, fine.velocity), 2, 0.1);
  EXPECT_GT(rate(coarse.pressure, fine.pressure), 1.5);
}

/// Arnold, Beltrami and Childress: convection is a gradient, so the flow decays as it is.
TEST(FlowConvergence, FlowInSpaceIsOfSecondOrder) {
  const Coordinate t("t"), x("x"), y("y"), z("z");
  const Field u("u"), v("v"), w("w"), p("p");
  const double nu = 0.1;
  const Expr decay = exp(-nu * t);
  const std::vector<Expr> start = {sin(z) + cos(y) / 2, sin(x) + cos(z), sin(y) / 2 + cos(x)};
  Problem problem;
  problem.name = "abc";
  problem.fields = {"u", "v", "w", "p"};
  problem.domain = Box({0, 0, 0}, {2 * pi, 2 * pi, 2 * pi}) * Time(t, 0, 0.2);
  const std::vector<Expr> fields = {u, v, w}, space = {x, y, z};
  Expr squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    Expr residual = d(fields[i], t) + d(p, space[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      residual += d(fields[i] * fields[k], space[k]) - nu * d_n(fields[i], space[k], 2);
    }
    problem.equation.emplace_back(residual == 0);
    problem.condition.push_back(at(t == 0, fields[i] == start[i]));
    problem.reference.formulas[problem.fields[i]] = start[i] * decay;
    squares += start[i] * start[i] * decay * decay;
  }
  problem.equation.emplace_back(d(u, x) + d(v, y) + d(w, z) == 0);
  problem.condition.push_back(periodic(x));
  problem.condition.push_back(periodic(y));
  problem.condition.push_back(periodic(z));
  // The mean of |u|^2 at the start is 1 + 1/4 + 1.
  problem.reference.formulas["p"] = (2.25 * decay * decay - squares) / 2;
  const FlowErrors coarse = flow_errors(problem, "p", 8), fine = flow_errors(problem, "p", 16);
  // The velocity would stay right with any pressure: its own error is next to nothing.
  EXPECT_LT(fine.velocity, 2e-4);
  EXPECT_NEAR(rate(coarse.pressure, fine.pressure), 2, 0.1);
}

}  // namespace
}  // namespace cauchy::test_flow
