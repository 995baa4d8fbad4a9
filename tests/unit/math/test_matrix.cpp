#include <gtest/gtest.h>

#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/matrix.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace cauchy::test_matrix {
namespace {

TEST(Matrix, IsRowMajorAndZeroByDefault) {
  Matrix a{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(a.rows(), 2u);
  EXPECT_EQ(a.cols(), 3u);
  EXPECT_EQ(a.data()[3], 4.0);
  EXPECT_EQ(a(1, 2), 6.0);
  EXPECT_EQ(a.transposed(), (Matrix{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(Matrix(2, 2), (Matrix{{0, 0}, {0, 0}}));
  EXPECT_EQ(Matrix::identity(2), (Matrix{{1, 0}, {0, 1}}));
}

TEST(Matrix, RefusesRaggedRowsAndImpossibleSizes) {
  EXPECT_THROW((Matrix{{1, 2}, {3}}), Error);
  EXPECT_THROW(Matrix(std::numeric_limits<std::size_t>::max() / 2, 3), Error);
}

TEST(MatrixView, RowsColumnsAndBlocksShareStorage) {
  Matrix a{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  MatrixView<double> v = a;
  v.row(1)[0] = 40;
  v.col(2)[0] = 30;
  MatrixView<double> b = v.block(1, 1, 2, 2);
  b(0, 0) = 50;
  EXPECT_EQ(a, (Matrix{{1, 2, 30}, {40, 50, 6}, {7, 8, 9}}));
  EXPECT_EQ(b.leading(), 3u);
  EXPECT_FALSE(b.is_contiguous());
  EXPECT_EQ(Matrix(MatrixView<const double>(b)), (Matrix{{50, 6}, {8, 9}}));
}

TEST(MatrixView, ThrowsWhenShapesLeaveTheMatrix) {
  Matrix a(3, 2);
  EXPECT_THROW((void)a.view().row(3), Error);
  EXPECT_THROW((void)a.view().col(2), Error);
  EXPECT_THROW((void)a.view().block(1, 0, 3, 1), Error);
  EXPECT_THROW((void)a.view().block(4, 0, std::numeric_limits<std::size_t>::max(), 1), Error);
  EXPECT_THROW(MatrixView<double>(a.data(), 2, 3, 2), Error);
  EXPECT_THROW(MatrixView<double>(nullptr, 1, 1), Error);
  EXPECT_NO_THROW((void)a.view().block(3, 2, 0, 0));
}

TEST(VectorView, ConvertsFromContainersAndSlices) {
  std::vector<double> v{1, 2, 3, 4};
  VectorView<double> view = v;
  VectorView<const double> constant = view;
  EXPECT_EQ(constant.slice(1, 2)[1], 3.0);
  EXPECT_THROW((void)view.slice(3, 2), Error);
  EXPECT_THROW(VectorView<double>(v.data(), 2, 0), Error);
  VectorView<double> odd(v.data(), 2, 2);
  EXPECT_EQ(odd[1], 3.0);
  EXPECT_THROW((void)odd.span(), Error);
  EXPECT_EQ(view.span().size(), 4u);
  static_assert(!std::is_convertible_v<const std::vector<double>&, VectorView<double>>);
  static_assert(!std::is_convertible_v<std::vector<float>&, VectorView<const double>>);
}

/// Deterministic numbers in [-1, 1] that float holds exactly, so that one table serves both types.
template <class T>
BasicMatrix<T> table(std::size_t rows, std::size_t cols, unsigned seed) {
  BasicMatrix<T> a(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      seed = seed * 1664525u + 1013904223u;
      a(i, j) = static_cast<T>(static_cast<int>(seed >> 24) - 128) / T(128);
    }
  return a;
}

template <class T>
class Blas : public ::testing::Test {
 protected:
  // Sums of at most 8 products of numbers up to 1, scaled by at most 2: 8 * 2 * 2 roundings.
  static constexpr T tol = 32 * std::numeric_limits<T>::epsilon();

  static T at(const BasicMatrix<T>& a, Transpose op, std::size_t i, std::size_t j) {
    return op == Transpose::no ? a(i, j) : a(j, i);
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Blas, Reals);

TYPED_TEST(Blas, VectorRoutinesMatchPlainLoops) {
  using T = TypeParam;
  const auto a = table<T>(2, 7, 1);
  T sum = 0, squares = 0;
  for (std::size_t i = 0; i < 7; ++i) sum += a(0, i) * a(1, i);
  for (std::size_t i = 0; i < 7; ++i) squares += a(0, i) * a(0, i);
  EXPECT_LT(std::abs(dot(a.row(0), a.row(1)) - sum), this->tol);
  EXPECT_LT(std::abs(nrm2(a.row(0)) - std::sqrt(squares)), this->tol);
  auto b = a;
  axpy(T(2), a.row(0), b.row(1));
  scal(T(0.5), b.row(0));
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(b(1, i), 2 * a(0, i) + a(1, i));  // all operands are small multiples of 1/128
    EXPECT_EQ(b(0, i), a(0, i) / 2);
  }
  const auto c = table<T>(7, 3, 2);  // strided operands
  EXPECT_EQ(dot(c.col(0), c.col(2)), dot(c.transposed().row(0), c.transposed().row(2)));
}

TYPED_TEST(Blas, GemvAndGerMatchPlainLoops) {
  using T = TypeParam;
  const auto a = table<T>(4, 6, 3);
  for (const Transpose op : {Transpose::no, Transpose::yes}) {
    const std::size_t m = op == Transpose::no ? 4 : 6, n = 10 - m;
    const auto x = table<T>(1, n, 4);
    auto y = table<T>(1, m, 5);
    const auto y_old = y;
    gemv(op, T(2), a, x.row(0), T(-1), y.row(0));
    for (std::size_t i = 0; i < m; ++i) {
      T expected = -y_old(0, i);
      for (std::size_t j = 0; j < n; ++j) expected += 2 * this->at(a, op, i, j) * x(0, j);
      EXPECT_LT(std::abs(y(0, i) - expected), this->tol);
    }
  }
  auto b = a;
  const auto x = table<T>(1, 4, 6), y = table<T>(1, 6, 7);
  ger(T(0.5), x.row(0), y.row(0), b);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_LT(std::abs(b(i, j) - (a(i, j) + x(0, i) * y(0, j) / 2)), this->tol);
}

TYPED_TEST(Blas, GemmMatchesPlainLoopsForAllTranspositionsOnBlocks) {
  using T = TypeParam;
  for (const Transpose op_a : {Transpose::no, Transpose::yes})
    for (const Transpose op_b : {Transpose::no, Transpose::yes}) {
      const auto a = op_a == Transpose::no ? table<T>(3, 5, 8) : table<T>(5, 3, 8);
      const auto b = op_b == Transpose::no ? table<T>(5, 4, 9) : table<T>(4, 5, 9);
      BasicMatrix<T> big(6, 7, std::numeric_limits<T>::quiet_NaN());
      gemm(op_a, op_b, T(2), a, b, T(0), big.view().block(2, 1, 3, 4));
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
          T expected = 0;
          for (std::size_t k = 0; k < 5; ++k)
            expected += 2 * this->at(a, op_a, i, k) * this->at(b, op_b, k, j);
          EXPECT_LT(std::abs(big(2 + i, 1 + j) - expected), this->tol);
        }
      EXPECT_TRUE(std::isnan(big(1, 1)) && std::isnan(big(2, 0)) && std::isnan(big(2, 5)));
    }
}

TYPED_TEST(Blas, SymmetricRoutinesReadAndWriteOneTriangle) {
  using T = TypeParam;
  const auto x = table<T>(1, 4, 10), y = table<T>(1, 4, 11), factor = table<T>(4, 3, 12);
  for (const Half side : {Half::lower, Half::upper}) {
    const auto inside = [&](std::size_t i, std::size_t j) {
      return side == Half::lower ? j <= i : j >= i;
    };
    auto a = table<T>(4, 4, 13);
    const auto value = [&](std::size_t i, std::size_t j) {
      return inside(i, j) ? a(i, j) : a(j, i);
    };
    std::vector<T> z(4, std::numeric_limits<T>::quiet_NaN());
    symv(side, T(1), a, x.row(0), T(0), VectorView<T>(z));
    for (std::size_t i = 0; i < 4; ++i) {
      T expected = 0;
      for (std::size_t j = 0; j < 4; ++j) expected += value(i, j) * x(0, j);
      EXPECT_LT(std::abs(z[i] - expected), this->tol);
    }
    auto r1 = a, r2 = a, rk = a;
    syr(side, T(2), x.row(0), r1);
    syr2(side, T(1), x.row(0), y.row(0), r2);
    syrk(side, Transpose::no, T(1), factor, T(1), rk);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        T product = 0;
        for (std::size_t k = 0; k < 3; ++k) product += factor(i, k) * factor(j, k);
        const T on = inside(i, j) ? T(1) : T(0);
        EXPECT_LT(std::abs(r1(i, j) - a(i, j) - on * 2 * x(0, i) * x(0, j)), this->tol);
        EXPECT_LT(std::abs(r2(i, j) - a(i, j) - on * (x(0, i) * y(0, j) + y(0, i) * x(0, j))),
                  this->tol);
        EXPECT_LT(std::abs(rk(i, j) - a(i, j) - on * product), this->tol);
      }
  }
}

TYPED_TEST(Blas, TriangularSolvesInvertTriangularProducts) {
  using T = TypeParam;
  for (const Half side : {Half::lower, Half::upper})
    for (const Transpose op : {Transpose::no, Transpose::yes}) {
      auto a = table<T>(4, 4, 14);
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
          if (i == j) a(i, j) = 2;
          if (side == Half::lower ? j > i : j < i) a(i, j) = 0;
        }
      const auto x = table<T>(4, 3, 15);
      BasicMatrix<T> b(4, 3), c(3, 4);
      gemm(op, Transpose::no, T(1), a, x, T(0), b);
      gemm(Transpose::yes, op, T(1), x, a, T(0), c);
      auto column = b;
      solve_triangular(side, op, a, column.col(1));
      solve_triangular(Side::left, side, op, T(1), a, b);
      solve_triangular(Side::right, side, op, T(1), a, c);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LT(std::abs(column(i, 1) - x(i, 1)), this->tol);
        for (std::size_t j = 0; j < 3; ++j) {
          EXPECT_LT(std::abs(b(i, j) - x(i, j)), this->tol);
          EXPECT_LT(std::abs(c(j, i) - x(i, j)), this->tol);
        }
      }
    }
}

TEST(BlasShapes, AreCheckedAndNamed) {
  Matrix a(2, 3), b(2, 3), c(2, 2);
  std::vector<double> x(2), y(3);
  EXPECT_THROW((void)dot(x, y), Error);
  EXPECT_THROW(gemv(Transpose::no, 1.0, a, x, 0.0, y), Error);
  EXPECT_THROW(symv(Half::lower, 1.0, a, y, 0.0, x), Error);
  EXPECT_THROW(solve_triangular(Half::lower, Transpose::no, c, y), Error);
  try {
    gemm(Transpose::no, Transpose::no, 1.0, a, b, 0.0, c);
    FAIL() << "shapes 2 x 3 and 2 x 3 must not multiply";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "[math.blas]: gemm: sizes 3 and 2 do not match");
  }
}

TEST(BlasShapes, EmptyInnerDimensionScalesTheOutput) {
  Matrix a(2, 0), b(0, 2), c{{1, 2}, {3, 4}};
  gemm(Transpose::no, Transpose::no, 1.0, a, b, 2.0, c);
  EXPECT_EQ(c, (Matrix{{2, 4}, {6, 8}}));
  syrk(Half::upper, Transpose::no, 1.0, a, 0.0, c);
  EXPECT_EQ(c, (Matrix{{0, 0}, {6, 0}}));
  std::vector<double> x, y{1, 2};
  gemv(Transpose::no, 1.0, a, x, 3.0, y);
  EXPECT_EQ(y, (std::vector<double>{3, 6}));
}

}  // namespace
}  // namespace cauchy::test_matrix
