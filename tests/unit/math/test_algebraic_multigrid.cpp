#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/math/algebraic_multigrid.hpp>
#include <cauchy/math/multigrid.hpp>

namespace cauchy::test_algebraic_multigrid {
namespace {

BoxOperator square(std::size_t n) {
  BoxOperator op;
  op.axes = {{.n = n}, {.n = n}};
  return op;
}

std::vector<double> rough(std::size_t n) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::sin(static_cast<double>(i * i % 1009));
  return v;
}

TEST(AlgebraicMultigrid, SolvesWithIterationsThatDoNotGrowMuch) {
  std::size_t coarse = 0;
  for (const std::size_t n : {40u, 160u}) {
    const SparseMatrix a = square(n).matrix();
    const std::vector<double> exact = rough(a.rows());
    std::vector<double> b(a.rows()), x(a.rows(), 0.0);
    a.multiply(exact, b);
    const AlgebraicMultigrid multigrid(a);
    EXPECT_GE(multigrid.levels(), 2u);
    EXPECT_LT(multigrid.complexity(), 2);
    const IterationResult r = multigrid.solve(b, x, {.tolerance = 1e-10});
    ASSERT_TRUE(r.converged());
    double error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - exact[i]));
    EXPECT_LT(error, 1e-7);  // 1e-10 times the condition number of about n^2/2, as norms go
    if (coarse == 0) coarse = r.iterations;
    EXPECT_LT(r.iterations, 30u);
    EXPECT_LT(r.iterations, coarse + 10);
  }
}

TEST(AlgebraicMultigrid, CycleIsSymmetric) {
  const SparseMatrix a = square(30).matrix();
  const AlgebraicMultigrid multigrid(a, {.coarsest = 50});
  const std::vector<double> u = rough(a.rows());
  std::vector<double> v(u.rbegin(), u.rend()), mu(u.size()), mv(u.size());
  multigrid.cycle(u, mu);
  multigrid.cycle(v, mv);
  double uv = 0, vu = 0, size = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    uv += u[i] * mv[i];
    vu += v[i] * mu[i];
    size += std::abs(u[i] * mv[i]);
  }
  EXPECT_LT(std::abs(uv - vu), 1e-13 * size);
}

TEST(AlgebraicMultigrid, RowsOfGivenValuesAndWrongMatrices) {
  SparseMatrix a = square(30).matrix();
  // Row and column 17 of a value that is given.
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (auto k = static_cast<std::size_t>(a.begin()[i]);
         k < static_cast<std::size_t>(a.begin()[i + 1]); ++k) {
      const auto j = static_cast<std::size_t>(a.columns()[k]);
      if (i == 17 || j == 17) a.values()[k] = i == j ? 1 : 0;
    }
  }
  std::vector<double> b(a.rows(), 1.0), x(a.rows(), 0.0);
  ASSERT_TRUE(AlgebraicMultigrid(a).solve(b, x).converged());
  EXPECT_NEAR(x[17], 1, 1e-12);
  for (double& v : a.values()) v = -v;
  EXPECT_EQ(AlgebraicMultigrid(a).solve(b, x).status, IterationStatus::breakdown);
  EXPECT_THROW(AlgebraicMultigrid(SparseMatrix(2, 3, {})), Error);
}

}  // namespace
}  // namespace cauchy::test_algebraic_multigrid
