#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/math/orthogonal.hpp>
#include <cauchy/math/qr.hpp>
#include <cmath>
#include <limits>

namespace cauchy::test_qr {
namespace {

template <class T>
void check_factors(const BasicMatrix<T>& a) {
  const auto f = qr(a);
  const std::size_t m = a.rows(), n = a.cols(), k = std::min(m, n);
  ASSERT_EQ(f.status, Factorization::ok);
  ASSERT_EQ(f.q.rows(), m);
  ASSERT_EQ(f.q.cols(), k);
  ASSERT_EQ(f.r.rows(), k);
  ASSERT_EQ(f.r.cols(), n);
  // Householder: errors of a small multiple of m k eps in both products (entries of A below 4).
  const T tolerance = 8 * static_cast<T>(m + n) * std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      T sum = 0;
      for (std::size_t l = 0; l < m; ++l) sum += f.q(l, i) * f.q(l, j);
      EXPECT_LT(std::abs(sum - (i == j ? 1 : 0)), tolerance);
      if (j < i) {
        EXPECT_EQ(f.r(i, j), 0);
      }
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      T sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += f.q(i, l) * f.r(l, j);
      EXPECT_LT(std::abs(sum - a(i, j)), 4 * tolerance);
    }
  }
}

template <class T>
void check_shapes() {
  Rng rng(7);
  const std::size_t shapes[][2] = {{1, 1}, {5, 5}, {9, 4}, {4, 9}, {1, 6}, {6, 1}, {70, 67}};
  for (const auto& shape : shapes) {
    BasicMatrix<T> a(shape[0], shape[1]);
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<T>(rng.normal());
    check_factors(a);
    // Rank 1 and rank 0: Q stays orthonormal.
    for (std::size_t i = 0; i < a.rows(); ++i) {
      for (std::size_t j = 0; j < a.cols(); ++j)
        a(i, j) = static_cast<T>(i + 1) / static_cast<T>(9 * j + 18);
    }
    check_factors(a);
    check_factors(BasicMatrix<T>(shape[0], shape[1]));
  }
}

TEST(Qr, GivesOrthonormalAndTriangularFactorsOfAnyShapeAndRank) {
  check_shapes<double>();
  check_shapes<float>();
}

TEST(Qr, OfAnEmptyMatrixIsEmptyAndOfNaNIsAStatus) {
  EXPECT_EQ(qr(Matrix(0, 3)).r.cols(), 3u);
  EXPECT_EQ(qr(Matrix(3, 0)).q.rows(), 3u);
  EXPECT_EQ(qr(Matrix{{1, 2}, {std::nan(""), 4}}).status, Factorization::not_finite);
}

TEST(Qr, ReflectionsAreCountedWhereverTheyAre) {
  constexpr std::size_t rows = 120, cols = 40;
  Matrix a(rows, cols);
  Rng(3).fill_uniform({a.data(), a.size()});
  Matrix b = a, c(cols, rows);
  Rng(4).fill_uniform({c.data(), c.size()});
  std::vector<double> tau;
  const auto counted = [](const auto& factor) {
    const Work before = work_of_thread();
    factor();
    return work_of_thread().since(before).of(WorkKind::dense);
  };
  const auto flops = counted([&] { (void)reduce_to_triangle(a.view()); });
  EXPECT_GT(flops, 2 * rows * cols * cols);
  EXPECT_EQ(counted([&] { qr_factor(b.view(), tau); }), flops);
  EXPECT_EQ(counted([&] { lq_factor(c.view(), tau); }), flops);
}

TEST(ReduceToTriangle, GivesTheTriangleOfTheFactorization) {
  Rng rng(5);
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{7, 4}, {4, 7}, {5, 5}, {90, 70}}) {
    Matrix a(m, n);
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = rng.uniform() - 0.5;
    const Matrix r = qr(a).r;
    ASSERT_EQ(reduce_to_triangle(a), Factorization::ok);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        // Rows have free signs; entries are sums of at most 90 numbers below 1.
        if (j < i) {
          EXPECT_EQ(a(i, j), 0);
        } else if (i < r.rows()) {
          EXPECT_NEAR(std::abs(a(i, j)), std::abs(r(i, j)), 1e-13);
        }
      }
    }
  }
  Matrix bad(2, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(reduce_to_triangle(bad), Factorization::not_finite);
}

}  // namespace
}  // namespace cauchy::test_qr
