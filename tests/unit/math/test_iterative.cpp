#include <cauchy/math/iterative.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/multigrid.hpp>

namespace cauchy::test_iterative {
namespace {

using std::numbers::pi;

BoxOperator unit_box(std::vector<std::size_t> n) {
  BoxOperator op;
  for (const std::size_t k : n) op.axes.push_back({.n = k});
  return op;
}

std::vector<double> bumpy(std::size_t n) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = 1 + 0.5 * std::sin(3.0 * static_cast<double>(i));
  return v;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= most)) most = std::abs(a[i] - b[i]);
  }
  return most;
}

std::vector<double> direct(const SparseMatrix& a, std::vector<double> b) {
  SparseLu(a).solve(b);
  return b;
}

/// A square with rows of their own for its boundary, at which the value 1 is given on one side:
/// the residual of such a row is 0 from the first sweep on, and all that is left belongs to free
/// nodes.
SparseMatrix square_with_boundary_rows(std::size_t n, std::vector<double>& b) {
  std::vector<SparseMatrix::Entry> entries;
  b.assign(n * n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = i * n + j;
      if (i == 0 || j == 0 || i + 1 == n || j + 1 == n) {
        entries.push_back({at, at, 1});
        b[at] = i == 0 ? 1 : 0;
        continue;
      }
      entries.push_back({at, at, 4});
      for (const std::size_t other : {at - 1, at + 1, at - n, at + n}) {
        entries.push_back({at, other, -1});
      }
    }
  }
  return {n * n, n * n, entries};
}

/// -u'' + wind u' on an interval, upwind by half.
SparseMatrix wind(std::size_t n, double speed) {
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t i = 0; i < n; ++i) {
    entries.push_back({i, i, 2});
    if (i > 0) entries.push_back({i, i - 1, -1 - speed});
    if (i + 1 < n) entries.push_back({i, i + 1, -1 + speed});
  }
  return {n, n, entries};
}

TEST(Iterative, JacobiEndsAtTheDirectSolution) {
  std::vector<double> b;
  const SparseMatrix a = square_with_boundary_rows(12, b);
  std::vector<double> x(b.size(), 0);
  const IterationResult result = jacobi(a, b, x, {.tolerance = 1e-12});
  EXPECT_TRUE(result.converged()) << to_string(result.status);
  EXPECT_LT(distance(x, direct(a, b)), 1e-10);
}

TEST(Iterative, JacobiContractsByItsSpectralRadiusOnABox) {
  for (const std::vector<std::size_t>& n : {std::vector<std::size_t>{9}, {7, 5}, {5, 7, 3}}) {
    const BoxOperator op = unit_box(n);
    double above = 0, below = 0;
    for (const std::size_t k : n) {
      const double h = 1 / static_cast<double>(k + 1);
      above += std::cos(pi * h) / (h * h);
      below += 1 / (h * h);
    }
    const std::vector<double> b(op.size(), 1.0);
    std::vector<double> x(op.size(), 0);
    const IterationResult result = jacobi(op.matrix(), b, x, {.tolerance = 1e-11});
    ASSERT_TRUE(result.converged());
    // Eigenvalues come in pairs of both signs: look at two sweeps.
    const std::size_t last = result.residuals.size() - 1;
    const double rate = std::sqrt(result.residuals[last] / result.residuals[last - 2]);
    EXPECT_NEAR(rate, above / below, 1e-4) << n.size();
  }
}

TEST(Iterative, ASweepOfJacobiIsAStepOfDiffusion) {
  // V_t = laplacian(V) - f by an explicit step of half of 1 / sum 1/h^2, the limit of stability.
  const BoxOperator op = unit_box({6, 9});
  const SparseMatrix a = op.matrix();
  const std::vector<double> minus_f = bumpy(op.size());
  std::vector<double> v = bumpy(op.size()), rate(op.size());
  for (double& x : v) x = 1 / x;
  a.multiply(v, rate);
  const double dt = 0.5 / (49.0 + 100.0);
  std::vector<double> step = v;
  for (std::size_t i = 0; i < v.size(); ++i) step[i] += dt * (minus_f[i] - rate[i]);
  jacobi(a, minus_f, v, {.max_iterations = 1});
  EXPECT_LT(distance(v, step), 1e-14);
}

TEST(Iterative, DampingLetsJacobiConvergeWhereItWouldNot) {
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) entries.push_back({i, j, i == j ? 1 : 0.8});
  }
  const SparseMatrix a(3, 3, entries);  // eigenvalues 2.6, 0.2, 0.2
  const std::vector<double> b = {1, 2, 4};
  std::vector<double> x(3, 0);
  EXPECT_EQ(jacobi(a, b, x).status, IterationStatus::diverged);
  x.assign(3, 0);
  EXPECT_TRUE(jacobi(a, b, x, {}, 0.7).converged());
  EXPECT_LT(distance(x, direct(a, b)), 1e-8);
}

TEST(Iterative, GaussSeidelIsTwiceAsFastAsJacobi) {
  const BoxOperator op = unit_box({7, 7});
  const std::vector<double> b(op.size(), 1.0);
  std::vector<double> x(op.size(), 0);
  const IterationResult result = gauss_seidel(op.matrix(), b, x, {.tolerance = 1e-11});
  ASSERT_TRUE(result.converged());
  const std::size_t last = result.residuals.size() - 1;
  EXPECT_NEAR(result.residuals[last] / result.residuals[last - 1],
              std::cos(pi / 8) * std::cos(pi / 8), 1e-4);
}

TEST(Iterative, SorFindsTheRelaxationOfYoung) {
  for (const std::size_t n : {15, 31}) {
    const BoxOperator op = unit_box({n, n});
    const SparseMatrix a = op.matrix();
    const std::vector<double> b = bumpy(op.size());
    const double best = 2 / (1 + std::sin(pi / static_cast<double>(n + 1)));
    std::vector<double> x(op.size(), 0);
    const IterationResult found = sor(a, b, x);
    ASSERT_TRUE(found.converged());
    EXPECT_NEAR(found.relaxation, best, 0.25 * (2 - best)) << n;
    EXPECT_LT(distance(x, direct(a, b)), 1e-8);
    x.assign(op.size(), 0);
    const IterationResult given = sor(a, b, x, {}, best);
    ASSERT_TRUE(given.converged());
    EXPECT_LE(3 * found.iterations, 4 * given.iterations);
    x.assign(op.size(), 0);
    EXPECT_GT(gauss_seidel(a, b, x).iterations, 5 * given.iterations);
  }
}

TEST(Iterative, ConjugateGradientsEndAfterAsManyStepsAsEigenvalues) {
  const BoxOperator op = unit_box({9});
  const std::vector<double> b = bumpy(9);
  std::vector<double> x(9, 0);
  const IterationResult result =
      conjugate_gradients(op.matrix(), b, x, {.tolerance = 1e-12}, Preconditioner::none);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 9U);
}

TEST(Iterative, PreconditionersSaveSteps) {
  BoxOperator op = unit_box({24, 24});
  op.a.assign(2, std::vector<double>(25 * 24));
  for (auto& faces : op.a) {
    for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = i < 300 ? 1 : 100;
  }
  const SparseMatrix a = op.matrix();
  const std::vector<double> b = bumpy(op.size()), exact = direct(a, b);
  std::size_t last = std::numeric_limits<std::size_t>::max();
  for (const Preconditioner p :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::ssor}) {
    std::vector<double> x(op.size(), 0);
    const IterationResult result = conjugate_gradients(a, b, x, {.tolerance = 1e-12}, p);
    EXPECT_TRUE(result.converged());
    EXPECT_LT(distance(x, exact), 1e-9);
    EXPECT_LT(result.iterations, last);
    last = result.iterations;
  }
}

TEST(Iterative, BicgstabSolvesWhatIsNotSymmetric) {
  const SparseMatrix a = wind(60, 0.2);
  const std::vector<double> b = bumpy(60);
  for (const Preconditioner p :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::ssor}) {
    std::vector<double> x(60, 0);
    EXPECT_TRUE(bicgstab(a, b, x, {.tolerance = 1e-12}, p).converged());
    EXPECT_LT(distance(x, direct(a, b)), 1e-8);
  }
}

TEST(Iterative, FailureIsAStatus) {
  const std::vector<SparseMatrix::Entry> swapped = {{0, 1, 1}, {1, 0, 1}};
  const SparseMatrix a(2, 2, swapped);
  const std::vector<double> b = {1, 2};
  std::vector<double> x(2, 0);
  EXPECT_EQ(jacobi(a, b, x).status, IterationStatus::breakdown);
  EXPECT_EQ(sor(a, b, x).status, IterationStatus::breakdown);
  EXPECT_EQ(conjugate_gradients(a, b, x).status, IterationStatus::breakdown);
  const std::vector<SparseMatrix::Entry> saddle = {{0, 0, 1}, {1, 1, -1}};
  EXPECT_EQ(conjugate_gradients(SparseMatrix(2, 2, saddle), b, x, {}, Preconditioner::none).status,
            IterationStatus::breakdown);
  const std::vector<double> bad = {std::nan(""), 1};
  EXPECT_EQ(jacobi(SparseMatrix::identity(2), bad, x).status, IterationStatus::diverged);
  x.assign(2, 5);
  EXPECT_TRUE(gauss_seidel(wind(2, 0), std::vector<double>{0, 0}, x).converged());
  EXPECT_EQ(x, (std::vector<double>{0, 0}));
}

TEST(Iterative, StopsWhenAskedAndAfterItsIterations) {
  const BoxOperator op = unit_box({31});
  const std::vector<double> b(31, 1.0);
  std::vector<double> x(31, 0);
  const IterationResult few = jacobi(op.matrix(), b, x, {.max_iterations = 7});
  EXPECT_EQ(few.status, IterationStatus::max_iterations);
  EXPECT_EQ(few.iterations, 7U);
  EXPECT_EQ(few.residuals.size(), 8U);
  int left = 3;
  const IterationResult stopped =
      conjugate_gradients(op.matrix(), b, x, {.stop = [&] { return left-- == 0; }});
  EXPECT_EQ(stopped.status, IterationStatus::stopped);
  EXPECT_EQ(stopped.iterations, 3U);
}

TEST(Iterative, RefusesWhatMakesNoSense) {
  const SparseMatrix a = SparseMatrix::identity(3);
  std::vector<double> b(3, 1), x(2);
  EXPECT_THROW(jacobi(a, b, x), Error);
  x.resize(3);
  EXPECT_THROW(jacobi(a, b, x, {}, 2.5), Error);
  EXPECT_THROW(sor(a, b, x, {}, 2), Error);
  EXPECT_THROW(gauss_seidel(a, b, x, {.tolerance = 0}), Error);
}

}  // namespace
}  // namespace cauchy::test_iterative
