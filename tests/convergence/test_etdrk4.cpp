#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/fourier_problems.hpp"

namespace cauchy::test_etdrk4 {
namespace {

/// Values at the end of time, at points of the grid (nothing is interpolated).
std::vector<double> at_end(const Problem& p, const char* field, int n, double step) {
  const Solution s = solve(p, Spectral{.n = n, .step = step});
  const auto dimension = static_cast<int>(p.domain->space()->dimension());
  const Bounds box = p.domain->shape()->bounds();
  return s(Field(field), rows_at(p.domain->time()->upper, dimension, 8, box.lower[0],
                                 box.upper[0] - box.lower[0]));
}

/// The order of accuracy in time between two numbers of steps.
double time_order(const Problem& p, const char* field, int n, int steps) {
  const double end = p.domain->time()->upper;
  const std::vector<double> exact = at_end(p, field, n, end / (8 * steps));
  const double coarse = relative_difference(at_end(p, field, n, end / steps), exact);
  const double fine = relative_difference(at_end(p, field, n, end / (2 * steps)), exact);
  return std::log2(coarse / fine);
}

TEST(Etdrk4Convergence, BurgersEquationIsOfOrderFourInTime) {
  EXPECT_NEAR(time_order(periodic_burgers(0.2, 1), "u", 32, 64), 4, 0.1);
}

TEST(Etdrk4Convergence, ACoupledLinearPartIsOfOrderFourInTime) {
  EXPECT_NEAR(time_order(periodic_schroedinger(0.5, 1), "u", 128, 256), 4, 0.1);
}

TEST(Etdrk4Convergence, IncompressibleFlowIsOfOrderFourInTimeWithItsPressure) {
  const Coordinate x("x"), y("y");
  const Problem flow =
      periodic_flow(0.05, 1, sin(x) * cos(y) + cos(2 * y), -cos(x) * sin(y) + 0.5 * sin(2 * x));
  EXPECT_NEAR(time_order(flow, "v", 16, 32), 4, 0.1);
  EXPECT_NEAR(time_order(flow, "p", 16, 32), 4, 0.1);
}

TEST(Etdrk4Convergence, ErrorsInSpaceFallFasterThanAnyPower) {
  const Problem p = periodic_burgers(0.2, 1);
  const std::vector<double> exact = at_end(p, "u", 256, 1.0 / 512);
  std::vector<double> errors;
  for (const int n : {16, 32, 64}) {
    errors.push_back(relative_difference(at_end(p, "u", n, 1.0 / 512), exact));
  }
  // Twice the modes square the error of exponential convergence, up to its factor.
  EXPECT_LT(errors[1], std::pow(errors[0], 1.7));
  EXPECT_LT(errors[2], std::pow(errors[1], 1.7));
  EXPECT_LT(errors[2], 1e-6);
}

}  // namespace
}  // namespace cauchy::test_etdrk4
