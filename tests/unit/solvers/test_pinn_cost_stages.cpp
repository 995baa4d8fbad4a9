#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/small_problems.hpp"
// What the optimiser of a stage adds to the cost of a run.

namespace cauchy::test_pinn_cost_stages {
namespace {

const Coordinate x("x");
const Field u("u");

Problem rod() { return rod(Expr(1)); }

/// Network 1-8-1: 25 parameters.
MethodCost cost_of(const Problem& problem, const OptimizerOptions& method, std::size_t batch = 0) {
  Pinn m;
  m.network = Mlp{.width = 8, .depth = 1};
  m.points = {.interior = 30, .boundary = 2};
  m.points.batch = batch;
  Stage stage;
  stage.method = method;
  stage.steps = 10;
  m.stages = {stage};
  return estimate_cost(problem, m, 1);
}

OptimizerOptions gauss_newton(StepSpace space, std::uint64_t max_cg = 200) {
  return GaussNewtonOptions{.equations = {.space = space, .max_cg = max_cg}};
}

/// Bytes of a stage beyond those of matrix-free steps.
double dense_bytes(const Problem& problem, StepSpace space) {
  return cost_of(problem, gauss_newton(space)).bytes -
         cost_of(problem, gauss_newton(StepSpace::matrix_free)).bytes;
}

TEST(PinnCostStages, DenseEquationsHoldTheJacobianAndTheirFactors) {
  const double m = 32, n = 25;
  ASSERT_EQ(cost_of(rod(), gauss_newton(StepSpace::automatic)).unknowns, 25u);
  EXPECT_EQ(dense_bytes(rod(), StepSpace::parameter), 8 * (m * n + 2 * n * n));
  EXPECT_EQ(dense_bytes(rod(), StepSpace::sample), 8 * (m * n + 2 * m * m));
  EXPECT_EQ(dense_bytes(rod(), StepSpace::automatic), 8 * (m * n + 2 * n * n));
}

TEST(PinnCostStages, AnIntegralConditionIsOneRow) {
  Problem p = rod();
  p.condition.push_back(integral(u == 1.0 / 12));
  const double m = 33, n = 25;
  EXPECT_EQ(dense_bytes(p, StepSpace::sample), 8 * (m * n + 2 * m * m));
}

TEST(PinnCostStages, MatrixFreeStepsTakeTwoProductsPerIteration) {
  const auto seconds = [](const OptimizerOptions& o) {
    return nominal_seconds(cost_of(rod(), o).training->work_per_step);
  };
  const double one = seconds(gauss_newton(StepSpace::matrix_free, 1));
  const double gradient = (seconds(gauss_newton(StepSpace::matrix_free, 3)) - one) / 2;
  // Adam takes one gradient and no line search.
  EXPECT_LT(std::abs(gradient / seconds(AdamOptions{}) - 1), 0.2);
  // Half of max_cg iterations, at most half of the 25 parameters. Counts are whole numbers.
  const double rounding = 100 / nominal_rates()[static_cast<std::size_t>(WorkKind::network)];
  EXPECT_LT(std::abs(seconds(gauss_newton(StepSpace::matrix_free, 21)) - one - 20 * gradient),
            rounding);
  EXPECT_LT(std::abs(seconds(gauss_newton(StepSpace::matrix_free, 900)) - one - 24 * gradient),
            rounding);
  EXPECT_GT(seconds(LevenbergMarquardtOptions{.equations = {.space = StepSpace::matrix_free}}),
            3 * seconds(gauss_newton(StepSpace::matrix_free)));
}

TEST(PinnCostStages, QrTakesLongerThanCholesky) {
  GaussNewtonOptions qr;
  qr.equations.solver = StepSolver::qr;
  EXPECT_GT(nominal_seconds(cost_of(rod(), qr).training->work_per_step),
            nominal_seconds(cost_of(rod(), GaussNewtonOptions{}).training->work_per_step));
}

TEST(PinnCostStages, SoapKeepsFactorsAndBasesOfTheWeights) {
  // Weights 8 x 1 and 1 x 8: 2 (64 + 1) doubles each.
  const MethodCost adam = cost_of(rod(), AdamOptions{});
  EXPECT_EQ(cost_of(rod(), SoapOptions{}).bytes - adam.bytes, 8.0 * 2 * 2 * 65);
  EXPECT_GT(cost_of(rod(), SoapOptions{}).work.of(WorkKind::dense), 0u);
  EXPECT_EQ(cost_of(rod(), SoapOptions{.max_precond_dim = 4}).bytes - adam.bytes, 8.0 * 2 * 2);
  EXPECT_EQ(cost_of(rod(), SoapOptions{.blocks = {{0, 4, 2}}}).bytes - adam.bytes, 8.0 * 2 * 20);
}

TEST(PinnCostStages, BatchesMakeOnlyFirstOrderStepsCheaper) {
  const auto seconds = [](const OptimizerOptions& o, std::size_t batch) {
    return nominal_seconds(cost_of(rod(), o, batch).training->work_per_step);
  };
  EXPECT_LT(seconds(AdamOptions{}, 10), 0.5 * seconds(AdamOptions{}, 0));
  EXPECT_EQ(seconds(LbfgsOptions{}, 10), seconds(LbfgsOptions{}, 0));
}

}  // namespace
}  // namespace cauchy::test_pinn_cost_stages
