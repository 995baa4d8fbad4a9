// Weak forms against strong ones: the same problem, network, points and optimisers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cmath>

namespace cauchy::test_variational {
namespace {

const Coordinate x("x"), y("y");
const Field u("u");

/// Elements and four networks (collocation, gated collocation, energy, test functions) find the
/// same field: every one within its tolerance of the exact solution, and hence of each other.
TEST(Variational, FourWaysToAskForAPoissonEquationAgree) {
  Problem p;
  p.fields = {"u"};
  p.domain = Rectangle({0, 0}, {1, 1});
  const Expr exact = sin(pi * x) * sin(pi * y);
  p.equation = {-d(u, x, x) - d(u, y, y) == 2 * pi * pi * exact};
  p.condition = {hard(on_boundary(u == 0))};
  p.reference.formulas = {{"u", exact}};
  const auto trial = [](const Network& network) {
    return Pinn{.network = network,
                .points = {.interior = 225},
                .stages = {{AdamOptions{.learning_rate = 1e-2}, 100}, {LbfgsOptions{}, 150}}};
  };
  const Pinn plain = trial(Mlp{.width = 10, .depth = 2});
  const std::vector<std::pair<Method, double>> methods = {
      {Fem{.n = 16}, 1e-3},  // order 2: the error is about (pi / 16)^3 / 12
      {plain, 5e-3},
      {trial(Dgm{.width = 6, .layers = 1}), 5e-3},
      {Ritz{.trial = plain}, 1e-2},
      {Vpinn{.trial = plain, .tests = 10, .quadrature = 15}, 5e-3},
      {HpVpinn{.trial = plain, .elements = {2}, .tests = 5, .quadrature = 8}, 5e-3}};
  for (const auto& [method, tolerance] : methods) {
    const Solution s = solve(p, method);
    EXPECT_LT(s.error.relative_l2(), tolerance) << s.method;
  }
}

/// -u'' = f with u = sin(4 pi x) / 10 + tanh(80 x): 160 points for residuals, the same number of
/// nodes for test functions. How well a training goes hangs on the seed; the middle one counts.
TEST(Variational, TestFunctionsAreTenTimesAsAccurateOnASteepLine) {
  const double k = 80;
  const Expr t = tanh(k * x), exact = 0.1 * sin(4 * pi * x) + t;
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1);
  p.equation = {-d(u, x, x) == 1.6 * pi * pi * sin(4 * pi * x) + 2 * k * k * t * (1 - t * t)};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas = {{"u", exact}};
  std::vector<double> strong, weak;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Pinn trial{.network = Mlp{.width = 20, .depth = 2},
                     .points = {.interior = 160, .boundary = 2},
                     .stages = {{AdamOptions{}, 500}, {LbfgsOptions{}, 1500}},
                     .seed = seed};
    strong.push_back(solve(p, trial).error.relative_l2());
    const HpVpinn tested{.trial = trial, .elements = {16}, .tests = 8, .quadrature = 10};
    weak.push_back(solve(p, tested).error.relative_l2());
  }
  std::sort(strong.begin(), strong.end());
  std::sort(weak.begin(), weak.end());
  EXPECT_LT(10 * weak[1], strong[1]);
  EXPECT_LT(weak[1], 1e-2);
}

}  // namespace
}  // namespace cauchy::test_variational
