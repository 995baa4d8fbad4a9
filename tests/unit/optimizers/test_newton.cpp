#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/newton.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/minimization_problems.hpp"

namespace cauchy::test_newton {
namespace {

const double nan = std::nan("");
using minimization::Quadratic;
using Span = std::span<const double>;

TEST(Newton, OneStepSolvesAQuadraticAndDampingShortensIt) {
  const std::vector<double> l{1, 3, 10, 40};
  const Quadratic q(l, 3);
  FunctionObjective f(4, q);
  Newton newton;
  std::vector<double> x(4, 0.0);
  const auto r = newton.step(f, x);
  EXPECT_EQ(r.evaluations, 2u + 2 * 4);
  // Differences of a linear gradient: eps |g| / h ~ 2e-16 * 40 / 6e-6.
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(std::abs(x[i] - q.c[i]), 1e-8);
  // (H + eps I) d = -g, with H known.
  Newton damped({.damping = 5});
  std::vector<double> y(4, 0.0), g(4);
  (void)q(y, g);
  (void)damped.step(f, y);
  for (std::size_t i = 0; i < 4; ++i) {
    double row = 5 * y[i] + g[i];
    for (std::size_t k = 0; k < 4; ++k) row += q.a[i * 4 + k] * y[k];
    EXPECT_LT(std::abs(row), 1e-6);
  }
}

TEST(Newton, RaisesTheDampingWhereTheHessianIsIndefinite) {
  // A saddle at 0 between two minima of value -1 at (+-1, 0).
  FunctionObjective f(2, [](Span x, std::span<double> g) {
    const double s = x[0] * x[0];
    if (!g.empty()) {
      g[0] = 4 * x[0] * (s - 1);
      g[1] = 2 * x[1];
    }
    return s * s - 2 * s + x[1] * x[1];
  });
  Newton newton;
  std::vector<double> x{0.1, 0.5};
  const auto r = minimize(newton, f, x, {.gradient_tolerance = 1e-10, .max_iterations = 50});
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_LT(std::abs(r.value + 1), 1e-12);
  FunctionObjective rosenbrock(2, minimization::extended_rosenbrock);
  Newton a, b;
  std::vector<double> y{-1.2, 1}, z;
  for (int i = 0; i < 3; ++i) (void)a.step(rosenbrock, y);
  OptimizerState state;
  a.save(state);
  b.restore(state);
  z = y;
  for (int i = 0; i < 3; ++i) {
    const auto u = a.step(rosenbrock, y), v = b.step(rosenbrock, z);
    EXPECT_EQ(y, z);
    EXPECT_EQ(u.evaluations, v.evaluations);
  }
  EXPECT_LT(minimize(a, rosenbrock, y, {.gradient_tolerance = 1e-8}).value, 1e-15);
  try {
    Newton small({.max_bytes = 10});
    (void)small.step(rosenbrock, y);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("Hessian of 2 parameters"), std::string::npos);
  }
  std::vector<double> start{nan, 1};
  EXPECT_EQ(Newton().step(rosenbrock, start).status, StepStatus::not_finite);
}

}  // namespace
}  // namespace cauchy::test_newton
