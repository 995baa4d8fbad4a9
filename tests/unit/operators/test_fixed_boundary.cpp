#include "operators/fixed_boundary.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/tensor/executor.hpp>

#include "support/box_problem.hpp"

namespace cauchy::test_fixed_boundary {
namespace {

const std::vector<std::string> u_alone = {"u"};

/// A function of the nodes through add_boundary_values.
template <class F>
std::vector<double> fixed_values(const FieldGrid& grid, const std::vector<double>& given, F f) {
  const auto g = std::make_shared<TensorGraph>();
  const int u = g->input("u", {1, grid.sizes()});
  const int value = detail::add_boundary_values(*g, u, grid, given);
  const auto e = make_tensor_executor(g, {}, {.threads = 1, .precision = Precision::f64});
  const std::vector<double> nodes = grid.positions();
  std::vector<double> in(grid.n_points()), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = f(nodes[2 * i], nodes[2 * i + 1]);
  const std::span<const double> inputs[] = {in};
  e->predict(value, {}, 1, inputs, out);
  return out;
}

TEST(FixedBoundary, WhatTheBoundaryMissesIsTakenOffAsAPolynomialBetweenTheSides) {
  const OperatorProblem p = box_problem("-laplacian(u) = a", fixed("x + 2*y*y"), 9, 2);
  const FieldGrid grid = grid_of(p);
  const auto given = detail::boundary_values(p, u_alone, grid);
  ASSERT_TRUE(given.has_value());
  const auto g = [](double x, double y) { return x + 2 * y * y; };
  const auto inside = [](double x, double y) {
    return std::sin(3 * x) * y * (1 - y) * x * (1 - x);
  };
  const auto bilinear = [](double x, double y) { return 0.3 - x + 2 * y + 5 * x * y; };
  const std::vector<double> made = fixed_values(
      grid, *given, [&](double x, double y) { return g(x, y) + inside(x, y) + bilinear(x, y); });
  const std::vector<double> nodes = grid.positions();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double x = nodes[2 * i], y = nodes[2 * i + 1];
    // Sums of some numbers below 10.
    EXPECT_LT(std::abs(made[i] - g(x, y) - inside(x, y)), 1e-14) << x << " " << y;
  }
}

TEST(FixedBoundary, APeriodicAxisHasNoEnds) {
  const std::string sides =
      "[[condition]]\nperiodic = \"y\"\n[[condition]]\nwhere = \"left or right\"\nform = \"u = "
      "1\"\n";
  const OperatorProblem p = box_problem("-laplacian(u) = a", sides, 8, 2);
  const FieldGrid grid = grid_of(p);
  const auto given = detail::boundary_values(p, u_alone, grid);
  ASSERT_TRUE(given.has_value());
  const auto f = [](double x, double y) { return 1 + x * (1 - x) + 2 * x * std::sin(7 * y); };
  const std::vector<double> made = fixed_values(grid, *given, f);
  const std::vector<double> nodes = grid.positions();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double x = nodes[2 * i];
    EXPECT_LT(std::abs(made[i] - 1 - x * (1 - x)), 1e-14);
  }
}

TEST(FixedBoundary, WhatIsNotGivenEverywhereIsNotPutIn) {
  const auto found = [](const std::string& conditions) {
    const OperatorProblem p = box_problem("-laplacian(u) = a", conditions, 6, 2);
    return detail::boundary_values(p, u_alone, grid_of(p)).has_value();
  };
  EXPECT_TRUE(found(fixed("1 + x")));
  EXPECT_FALSE(found(""));
  EXPECT_FALSE(found("[[condition]]\nwhere = \"left\"\nform = \"u = 1\"\n"));
  EXPECT_FALSE(found("[[condition]]\nwhere = \"boundary\"\nform = \"u_n = 1\"\n"));
  EXPECT_FALSE(found(fixed("a")));
}

}  // namespace
}  // namespace cauchy::test_fixed_boundary
