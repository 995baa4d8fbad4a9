#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/orthogonal.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "optimizers/cgls.hpp"
#include "optimizers/damped_solver.hpp"
#include "support/allocation_counter.hpp"
#include "support/least_squares_problems.hpp"

namespace cauchy::test_damped_solver {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
using detail::DampedSolver;
using minimization::LinearResiduals;

/// Min-norm solution of [J; sqrt(mu) I] d = [-r; 0] by the singular value decomposition.
std::vector<double> reference(const LinearResiduals& p, double mu) {
  Matrix stacked(p.m + p.n, p.n), rhs(p.m + p.n, 1);
  for (std::size_t i = 0; i < p.m; ++i) {
    for (std::size_t k = 0; k < p.n; ++k) stacked(i, k) = p.a[i * p.n + k];
    rhs(i, 0) = -p.b[i];
  }
  for (std::size_t k = 0; k < p.n; ++k) stacked(p.m + k, k) = std::sqrt(mu);
  const auto solution = least_squares_svd(stacked, rhs);
  std::vector<double> d(p.n);
  for (std::size_t k = 0; k < p.n; ++k) d[k] = solution.x(k, 0);
  return d;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(sum / size);
}

TEST(Orthogonal, FactorsOfEveryShapeMultiplyBackToTheMatrix) {
  for (const auto& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{
           {7, 3}, {3, 7}, {5, 5}, {1, 4}, {4, 1}, {90, 70}}) {
    const LinearResiduals p(m, n, 3);
    const Matrix a(MatrixView<const double>(p.a.data(), m, n));
    const std::size_t k = std::min(m, n);
    std::vector<double> tau;
    Matrix f = a;
    qr_factor(f, tau);
    double worst = 0;
    for (std::size_t c = 0; c < n; ++c) {  // column c of Q R
      std::vector<double> column(m, 0.0);
      for (std::size_t i = 0; i <= std::min(c, k - 1); ++i) column[i] = f(i, c);
      qr_apply(false, f, tau, column);
      for (std::size_t i = 0; i < m; ++i) worst = std::max(worst, std::abs(column[i] - a(i, c)));
      qr_apply(true, f, tau, column);
      for (std::size_t i = 0; i < k && i <= c; ++i)
        worst = std::max(worst, std::abs(column[i] - f(i, c)));
    }
    f = a;
    lq_factor(f, tau);
    for (std::size_t r = 0; r < m; ++r) {  // row r of L Q is Q' times row r of L
      std::vector<double> row(n, 0.0);
      for (std::size_t i = 0; i <= std::min(r, k - 1); ++i) row[i] = f(r, i);
      lq_apply(true, f, tau, row);
      for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(row[i] - a(r, i)));
    }
    // k reflections of vectors of length up to sqrt(m n) ~ 80.
    EXPECT_LT(worst, 16 * eps * 80 * std::sqrt(static_cast<double>(k))) << m << " x " << n;
  }
  Matrix f(3, 2, 1.0);
  std::vector<double> tau, b(4);
  qr_factor(f, tau);
  EXPECT_THROW(qr_apply(true, f, tau, b), Error);
}

TEST(DampedSolver, AllFormsGiveTheStepOfTheSingularValueDecomposition) {
  for (const auto& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{
           {30, 12}, {12, 30}, {9, 9}, {1, 5}, {5, 1}}) {
    const LinearResiduals p(m, n, 10 + m);
    std::vector<double> r = p.b;
    for (double& v : r) v = -v;  // min |J d - b|: r = -b, and the reference takes r = b
    for (const double mu : {1e-6, 1e-2, 3.0}) {
      std::vector<double> expected = reference(p, mu);
      for (double& v : expected) v = -v;
      for (const bool sample : {false, true}) {
        for (const double qr_below : {0.0, infinity}) {
          std::vector<double> j = p.a, d(n), jd(m), before(m, 0.0);
          DampedSolver solver;
          solver.set({j.data(), m, n}, sample, qr_below);
          ASSERT_TRUE(solver.solve(mu, r, d));
          EXPECT_EQ(solver.factored(), qr_below > 0 || j != p.a);
          // Condition of J'J + mu I or J J' + mu I: |J|^2 / mu with |J|^2 ~ 100 where that product
          // is singular without mu, else the square of the condition of J.
          const double tolerance = ((sample ? m > n : m < n) ? 100 / mu : 1e4) * 100 * eps;
          EXPECT_LT(distance(d, expected), tolerance) << m << " " << n << " " << mu << sample;
          // Another mu with the same factors, and J v from them.
          ASSERT_TRUE(solver.solve(10 * mu, r, d));
          std::vector<double> other = reference(p, 10 * mu);
          for (double& v : other) v = -v;
          EXPECT_LT(distance(d, other), tolerance);
          solver.times(d, jd);
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t k = 0; k < n; ++k) before[i] += p.a[i * n + k] * d[k];
            EXPECT_LT(std::abs(jd[i] - before[i]), 1e3 * eps);
          }
        }
      }
    }
  }
}

TEST(DampedSolver, OrthogonalFactorsDoNotSquareTheConditionNumber) {
  // Powers of t on [0, 1] and a solution that is known: errors of the step against the condition.
  for (const std::size_t n : {8u, 12u}) {
    const std::size_t m = 40;
    Matrix a(m, n);
    std::vector<double> x(n), r(m, 0.0), d(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<double>(k % 5) - 2;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        a(i, k) =
            std::pow(static_cast<double>(i) / static_cast<double>(m - 1), static_cast<double>(k));
        r[i] -= a(i, k) * x[k];
      }
    }
    const auto values = svd(a).values;
    const double condition = values.front() / values.back();
    double error[2];
    for (const std::size_t qr : {0u, 1u}) {
      Matrix j = a;
      DampedSolver solver;
      solver.set(j, false, qr == 1 ? infinity : 0.0);
      ASSERT_TRUE(solver.solve(1e-28, r, d));
      error[qr] = distance(d, x);
    }
    EXPECT_LT(error[1], 16 * condition * eps) << n;
    // Cholesky's correction converges while condition^2 eps is well below 1, not any more at 1.
    if (condition < 1e6) {
      EXPECT_LT(error[0], 16 * condition * eps) << n;
    }
    if (condition > 1e8) {
      EXPECT_GT(error[0], 1e3 * error[1]) << n;
    }
  }
}

TEST(DampedSolver, ADeficientMatrixGivesABoundedStepOfNearlyLeastNorm) {
  for (const auto& [m, n] :
       std::vector<std::pair<std::size_t, std::size_t>>{{30, 12}, {12, 30}, {8, 8}}) {
    const LinearResiduals p(m, n, 21, 0, 5);
    std::vector<double> r = p.b;
    for (double& v : r) v = -v;
    std::vector<double> expected = reference(p, 0);
    for (double& v : expected) v = -v;
    for (const bool sample : {false, true}) {
      std::vector<double> j = p.a, d(n);
      DampedSolver solver;
      solver.set({j.data(), m, n}, sample, infinity);
      ASSERT_TRUE(solver.solve(0, r, d));
      EXPECT_LT(distance(d, expected), 1e4 * eps) << m << " " << n << sample;
      // Damping mu changes the step by mu / s^2, s the smallest singular value that counts (about
      // 1), and rounding errors in the null space enter as eps |J| / mu.
      ASSERT_TRUE(solver.solve(1e-7, r, d));
      EXPECT_LT(distance(d, expected), 1e-6) << m << " " << n << sample;
      j = p.a;
      solver.set({j.data(), m, n}, sample, 0.0);  // Cholesky: eps |J|^2 / mu
      ASSERT_TRUE(solver.solve(1e-7, r, d));
      EXPECT_LT(distance(d, expected), 1e-5) << m << " " << n << sample;
      ASSERT_TRUE(solver.solve(0, r, d));  // no pivot is safe: goes over to QR, or d is at least
      EXPECT_TRUE(std::isfinite(d[0]));    // finite
    }
  }
  std::vector<double> zero(6, 0.0), r{1, 2, 3}, d(2);
  DampedSolver solver;
  solver.set({zero.data(), 3, 2}, false, 0.0);
  EXPECT_FALSE(solver.solve(0, r, d));
}

TEST(DampedSolver, NeverHoldsMoreMemoryThanItSays) {
  for (const auto& [m, n] :
       std::vector<std::pair<std::size_t, std::size_t>>{{150, 60}, {60, 150}, {100, 100}}) {
    const LinearResiduals p(m, n, 41);
    for (const bool sample : {false, true}) {
      for (const double qr_below : {0.0, 1e-3, infinity}) {  // the second: from Cholesky to QR
        std::vector<double> j = p.a, d(n);
        const AllocationCounter memory;
        DampedSolver solver;
        for (int k = 0; k < 2; ++k) {  // a second point, with what the first one left
          std::copy(p.a.begin(), p.a.end(), j.begin());
          solver.set({j.data(), m, n}, sample, qr_below);
          for (const double mu : {1.0, 2.0, 1e-6, 2e-6}) ASSERT_TRUE(solver.solve(mu, p.b, d));
          if (qr_below > 0) {
            ASSERT_TRUE(solver.solve(0, p.b, d));  // the truncated solution
          }
        }
        const double said =
            8 * DampedSolver::extra_doubles(static_cast<double>(m), static_cast<double>(n), sample,
                                            qr_below == infinity);
        // Beside matrices: some vectors, and blocks of 64 columns as work space of LAPACK.
        const double small = 8 * (64 + 16) * static_cast<double>(m + n);
        EXPECT_LT(static_cast<double>(memory.peak_bytes()), said + small)
            << m << " x " << n << sample << qr_below;
        EXPECT_GT(static_cast<double>(memory.peak_bytes()), 0.9 * said);
      }
    }
  }
}

TEST(Cgls, ConvergesToTheDirectStepInAtMostNIterations) {
  for (const auto& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{{30, 12}, {12, 30}}) {
    const LinearResiduals p(m, n, 31);
    std::vector<double> r = p.b;
    for (double& v : r) v = -v;
    const auto times = [&, columns = n](std::span<const double> v, std::span<double> out) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = 0;
        for (std::size_t k = 0; k < columns; ++k) out[i] += p.a[i * columns + k] * v[k];
      }
    };
    const auto transposed = [&, columns = n](std::span<const double> w, std::span<double> out) {
      for (std::size_t k = 0; k < columns; ++k) {
        out[k] = 0;
        for (std::size_t i = 0; i < w.size(); ++i) out[k] += p.a[i * columns + k] * w[i];
      }
    };
    const double mu = 0.5;
    std::vector<double> expected = reference(p, mu), d(n);
    for (double& v : expected) v = -v;
    const auto result = detail::cgls(times, transposed, mu, r, 1e-13, 40, d);
    // In exact arithmetic rank(J) iterations; rounding costs a few more.
    EXPECT_LE(result.iterations, std::min(m, n) + 8);
    EXPECT_LT(distance(d, expected), 1e-11);
    // |r|^2 - |J d + r|^2 - mu |d|^2, from its definition.
    std::vector<double> jd(m);
    times(d, jd);
    double expected_decrease = 0;
    for (std::size_t i = 0; i < m; ++i)
      expected_decrease += r[i] * r[i] - (jd[i] + r[i]) * (jd[i] + r[i]);
    for (const double v : d) expected_decrease -= mu * v * v;
    EXPECT_LT(std::abs(result.decrease - expected_decrease), 1e-12 * expected_decrease);
    // Truncated: fewer iterations, and the accuracy asked for.
    const auto rough = detail::cgls(times, transposed, mu, r, 0.1, 40, d);
    EXPECT_LE(rough.relative_gradient, 0.1);
    EXPECT_LT(rough.iterations, result.iterations);
    EXPECT_EQ(detail::cgls(times, transposed, mu, r, 0, 3, d).iterations, 3u);
  }
}

}  // namespace
}  // namespace cauchy::test_damped_solver
