#include <cauchy/math/multigrid.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace cauchy::test_multigrid {
namespace {

/// Largest error for -div(a grad u) + c u = f with a = 1 + x y / 2, u = exp(x) sin(2 y), values
/// given below and above in x and the flux at both ends of y.
double error_of(std::size_t n, bool cells) {
  const auto u = [](double x, double y) { return std::exp(x) * std::sin(2 * y); };
  const auto a = [](double x, double y) { return 1 + x * y / 2; };
  const auto f = [](double x, double y) {
    const double s = std::exp(x) * std::sin(2 * y), c = std::exp(x) * std::cos(2 * y);
    return -(y / 2 * s + x / 2 * 2 * c + (1 + x * y / 2) * (s - 4 * s)) + 2 * s;
  };
  using enum BoxAxis::End;
  BoxOperator op;
  op.axes = {{cells ? n : n - 1, 0, 1, dirichlet, dirichlet, cells},
             {cells ? n : n + 1, 0, 1, neumann, neumann, cells}};
  op.c = 2;
  const std::vector<double> x = op.positions(0), y = op.positions(1);
  const double h = 1 / static_cast<double>(n);
  const std::size_t nx = x.size(), ny = y.size();
  op.a.resize(2);
  for (std::size_t i = 0; i <= nx; ++i) {
    const double at = cells ? static_cast<double>(i) * h : (static_cast<double>(i) + 0.5) * h;
    for (const double s : y) op.a[0].push_back(a(at, s));
  }
  for (const double s : x) {
    for (std::size_t j = 0; j <= ny; ++j) {
      op.a[1].push_back(
          a(s, cells ? static_cast<double>(j) * h : (static_cast<double>(j) - 0.5) * h));
    }
  }
  std::vector<double> right, answer(op.size(), 0);
  for (const double s : x) {
    for (const double t : y) right.push_back(f(s, t));
  }
  std::vector<double> low, high;
  for (const double t : y) {
    low.push_back(u(0, t));
    high.push_back(u(1, t));
  }
  op.add_boundary(0, false, low, right);
  op.add_boundary(0, true, high, right);
  low.clear();
  high.clear();
  for (const double s : x) {
    low.push_back(-a(s, 0) * 2 * std::exp(s));
    high.push_back(a(s, 1) * 2 * std::exp(s) * std::cos(2.0));
  }
  op.add_boundary(1, false, low, right);
  op.add_boundary(1, true, high, right);
  EXPECT_TRUE(BoxMultigrid(op).solve(right, answer, {.tolerance = 1e-11}).converged());
  double most = 0;
  for (std::size_t i = 0; i < nx; ++i) {
    for (std::size_t j = 0; j < ny; ++j) {
      most = std::max(most, std::abs(answer[i * ny + j] - u(x[i], y[j])));
    }
  }
  return most;
}

TEST(MultigridConvergence, BoxOperatorsAreOfSecondOrder) {
  for (const bool cells : {false, true}) {
    const double coarse = error_of(32, cells), fine = error_of(64, cells);
    EXPECT_LT(fine, 1e-3);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << cells;
  }
}

}  // namespace
}  // namespace cauchy::test_multigrid
