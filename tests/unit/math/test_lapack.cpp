#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

namespace cauchy::test_lapack {
namespace {

template <class T>
BasicMatrix<T> product(MatrixView<const T> a, MatrixView<const T> b,
                       Transpose op_a = Transpose::no) {
  BasicMatrix<T> c(op_a == Transpose::no ? a.rows() : a.cols(), b.cols());
  gemm(op_a, Transpose::no, T(1), a, b, T(0), c);
  return c;
}

template <class T>
T distance(const BasicMatrix<T>& a, const BasicMatrix<T>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<T>::infinity();
  T worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const T d = std::abs(a.data()[i] - b.data()[i]);
    if (!(d <= worst)) worst = d;
  }
  return worst;
}

template <class T>
BasicMatrix<T> random_matrix(std::size_t rows, std::size_t cols, unsigned seed) {
  BasicMatrix<T> a(rows, cols);
  for (std::size_t i = 0; i < a.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    a.data()[i] = static_cast<T>(static_cast<int>(seed >> 20) - 2048) / T(2048);
  }
  return a;
}

template <class T>
class LapackTyped : public ::testing::Test {
 protected:
  // Backward errors of n <= 30 well-conditioned problems: a modest multiple of n * eps.
  static constexpr T tol = 16 * 30 * std::numeric_limits<T>::epsilon();
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LapackTyped, Reals);

TYPED_TEST(LapackTyped, CholeskyOfAKnownMatrixIsExact) {
  using T = TypeParam;
  // The part above the diagonal is never read.
  const BasicMatrix<T> a{{4, 99, 99}, {12, 37, 99}, {-16, -43, 98}};
  const auto c = cholesky(a);
  ASSERT_EQ(c.status, Factorization::ok);
  EXPECT_EQ(c.lower, (BasicMatrix<T>{{2, 0, 0}, {6, 1, 0}, {-8, 5, 3}}));
  EXPECT_LT(std::abs(c.log_determinant() - T(2 * std::log(6.0))), this->tol);
  std::vector<T> b{-20, -43, 192};  // A (1, 2, 3)'
  c.solve(VectorView<T>(b));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(b[i] - T(i + 1)), 1000 * this->tol);
}

TYPED_TEST(LapackTyped, CholeskySolvesManyRightHandSides) {
  using T = TypeParam;
  const auto r = random_matrix<T>(30, 30, 1);
  auto a = product<T>(r, r, Transpose::yes);
  for (std::size_t i = 0; i < 30; ++i) a(i, i) += 10;
  const auto x = random_matrix<T>(30, 4, 2);
  auto b = product<T>(a, x);
  const auto c = cholesky(a);
  ASSERT_EQ(c.status, Factorization::ok);
  c.solve(b.view());
  EXPECT_LT(distance(b, x), this->tol);
  EXPECT_LT(distance(product<T>(c.lower, c.lower.transposed()), a), 10 * this->tol);
}

TYPED_TEST(LapackTyped, LuSolvesAndKnowsTheDeterminant) {
  using T = TypeParam;
  const BasicMatrix<T> a{{0, 2, 1}, {1, 1, 0}, {3, 0, 1}};  // needs pivoting; det = -5
  const auto f = lu(a);
  ASSERT_EQ(f.status, Factorization::ok);
  EXPECT_LT(std::abs(f.determinant() + 5), this->tol);
  std::vector<T> b{7, 3, 6};  // A (1, 2, 3)'
  f.solve(VectorView<T>(b));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(b[i] - T(i + 1)), this->tol);

  auto m = random_matrix<T>(30, 30, 3);
  for (std::size_t i = 0; i < 30; ++i) m(i, i) += 8;
  const auto x = random_matrix<T>(30, 3, 4);
  auto rhs = product<T>(m, x);
  lu(m).solve(rhs.view());
  EXPECT_LT(distance(rhs, x), this->tol);
}

TYPED_TEST(LapackTyped, SymmetricIndefiniteSystemIsSolved) {
  using T = TypeParam;
  const BasicMatrix<T> a{{0, 77, 77}, {1, 0, 77}, {2, 3, 0}};  // eigenvalues of both signs
  const BasicMatrix<T> b{{8}, {10}, {8}};                      // A (1, 2, 3)'
  const auto s = solve_symmetric(a, b);
  ASSERT_EQ(s.status, Factorization::ok);
  EXPECT_LT(distance(s.x, BasicMatrix<T>{{1}, {2}, {3}}), this->tol);
}

TYPED_TEST(LapackTyped, EigenvaluesOfTheSecondDifferenceMatrixMatchTheFormula) {
  using T = TypeParam;
  constexpr std::size_t n = 20;
  BasicMatrix<T> a(n, n);
  std::vector<T> diagonal(n, 2), off(n - 1, -1);
  for (std::size_t i = 0; i < n; ++i) a(i, i) = 2;
  for (std::size_t i = 0; i + 1 < n; ++i) a(i, i + 1) = a(i + 1, i) = -1;
  const auto full = symmetric_eigen(a);
  const auto values = symmetric_eigenvalues(a);
  const auto tri = tridiagonal_eigen(diagonal, off);
  const auto tri_values = tridiagonal_eigenvalues(diagonal, off);
  ASSERT_EQ(full.status, Factorization::ok);
  ASSERT_EQ(tri.status, Factorization::ok);
  EXPECT_TRUE(values.vectors.empty());
  for (std::size_t k = 0; k < n; ++k) {
    const double s = std::sin(static_cast<double>(k + 1) * std::numbers::pi / (2.0 * (n + 1)));
    const T exact = static_cast<T>(4 * s * s);
    EXPECT_LT(std::abs(full.values[k] - exact), this->tol);
    EXPECT_LT(std::abs(values.values[k] - exact), this->tol);
    EXPECT_LT(std::abs(tri.values[k] - exact), this->tol);
    EXPECT_LT(std::abs(tri_values.values[k] - exact), this->tol);
  }
  for (const auto& e : {full, tri}) {
    auto scaled = e.vectors;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) scaled(i, j) *= e.values[j];
    EXPECT_LT(distance(product<T>(a, e.vectors), scaled), this->tol);
    EXPECT_LT(
        distance(product<T>(e.vectors, e.vectors, Transpose::yes), BasicMatrix<T>::identity(n)),
        this->tol);
  }
}

TYPED_TEST(LapackTyped, EigenvaluesOfATwoByTwoMatrixAreSortedAndSigned) {
  using T = TypeParam;
  const auto e = symmetric_eigenvalues(BasicMatrix<T>{{1, 0}, {2, -2}});
  ASSERT_EQ(e.status, Factorization::ok);
  EXPECT_LT(std::abs(e.values[0] + 3), this->tol);
  EXPECT_LT(std::abs(e.values[1] - 2), this->tol);
}

TYPED_TEST(LapackTyped, LeastSquaresFitsALineThroughFourPoints) {
  using T = TypeParam;
  const BasicMatrix<T> a{{1, 1}, {1, 2}, {1, 3}, {1, 4}};
  const BasicMatrix<T> b{{6}, {5}, {7}, {10}};  // best line 3.5 + 1.4 t
  for (const auto& fit : {least_squares(a, b), least_squares_svd(a, b)}) {
    ASSERT_EQ(fit.status, Factorization::ok);
    EXPECT_EQ(fit.rank, 2u);
    EXPECT_LT(distance(fit.x, BasicMatrix<T>{{T(3.5)}, {T(1.4)}}), this->tol);
  }
}

TYPED_TEST(LapackTyped, LeastSquaresOfDeficientRankHasMinimumNorm) {
  using T = TypeParam;
  // Rank 1: x1 + 2 x2 = 5 has the minimum-norm solution (1, 2).
  const BasicMatrix<T> a{{1, 2}, {2, 4}, {3, 6}}, b{{5}, {10}, {15}};
  for (const auto& fit : {least_squares(a, b), least_squares_svd(a, b)}) {
    EXPECT_EQ(fit.rank, 1u);
    EXPECT_LT(distance(fit.x, BasicMatrix<T>{{1}, {2}}), this->tol);
  }
  // Under-determined with two right-hand sides: (1, 2, 2) x = 9 has the solution (1, 2, 2).
  const BasicMatrix<T> wide{{1, 2, 2}}, two{{9, 18}};
  EXPECT_LT(distance(least_squares(wide, two).x, BasicMatrix<T>{{1, 2}, {2, 4}, {2, 4}}),
            this->tol);
}

TYPED_TEST(LapackTyped, SvdReassemblesTallAndWideMatrices) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{7, 4}, {4, 7}, {5, 5}}) {
    const auto a = random_matrix<T>(m, n, 5);
    const auto s = svd(a);
    ASSERT_EQ(s.status, Factorization::ok);
    auto us = s.u;
    for (std::size_t i = 0; i < us.rows(); ++i)
      for (std::size_t j = 0; j < us.cols(); ++j) us(i, j) *= s.values[j];
    EXPECT_LT(distance(product<T>(us, s.vt), a), this->tol);
    EXPECT_LT(distance(product<T>(s.u, s.u, Transpose::yes), BasicMatrix<T>::identity(us.cols())),
              this->tol);
    for (std::size_t j = 1; j < s.values.size(); ++j) EXPECT_GE(s.values[j - 1], s.values[j]);
  }
  const auto known = svd(BasicMatrix<T>{{3, 0}, {4, 5}});  // singular values sqrt(45), sqrt(5)
  EXPECT_LT(std::abs(known.values[0] - T(std::sqrt(45.0))), this->tol);
  EXPECT_LT(std::abs(known.values[1] - T(std::sqrt(5.0))), this->tol);
}

TEST(Lapack, NumericalFailureIsAStatus) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cholesky(Matrix{{1, 0}, {2, 1}}).status, Factorization::not_positive_definite);
  EXPECT_EQ(cholesky(Matrix{{nan, 0}, {0, 1}}).status, Factorization::not_finite);
  const auto singular = lu(Matrix{{1, 2}, {2, 4}});
  EXPECT_EQ(singular.status, Factorization::singular);
  EXPECT_EQ(singular.determinant(), 0.0);
  EXPECT_EQ(solve_symmetric(Matrix{{1, 0}, {1, 1}}, Matrix{{1}, {1}}).status,
            Factorization::singular);
  EXPECT_EQ(symmetric_eigen(Matrix{{1, nan}, {nan, 1}}).status, Factorization::not_finite);
  EXPECT_EQ(least_squares(Matrix{{1}, {nan}}, Matrix{{1}, {1}}).status, Factorization::not_finite);
  EXPECT_EQ(svd(Matrix{{nan}}).status, Factorization::not_finite);
  EXPECT_STREQ(to_string(Factorization::singular), "singular");
}

TEST(Lapack, MisuseThrows) {
  const Matrix wide(2, 3);
  EXPECT_THROW(cholesky(wide), Error);
  EXPECT_THROW(lu(wide), Error);
  EXPECT_THROW(symmetric_eigen(wide), Error);
  EXPECT_THROW(least_squares(wide, Matrix(3, 1)), Error);
  EXPECT_THROW(tridiagonal_eigen(std::vector<double>(3), std::vector<double>(3)), Error);
  Matrix b(2, 1);
  EXPECT_THROW(lu(Matrix{{1, 2}, {2, 4}}).solve(b.view()), Error);
  EXPECT_THROW(lu(Matrix::identity(3)).solve(b.view()), Error);
  EXPECT_THROW(cholesky(Matrix::identity(3)).solve(b.view()), Error);
}

TEST(Lapack, EmptyAndOneByOneProblemsAreLegal) {
  EXPECT_EQ(cholesky(Matrix()).status, Factorization::ok);
  EXPECT_EQ(lu(Matrix()).determinant(), 1.0);
  EXPECT_TRUE(symmetric_eigen(Matrix()).values.empty());
  EXPECT_TRUE(svd(Matrix(0, 3)).values.empty());
  EXPECT_EQ(tridiagonal_eigen(std::vector<double>{5}, std::vector<double>{}).values[0], 5.0);
  EXPECT_EQ(symmetric_eigen(Matrix{{-7}}).values[0], -7.0);
}

}  // namespace
}  // namespace cauchy::test_lapack
