#include <cauchy/base/work.hpp>
#include <cauchy/math/sparse.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace cauchy::test_sparse {
namespace {

/// The five-point Laplacian on n x n nodes, with a little convection where `skew` is not 0.
SparseMatrix grid_matrix(std::size_t n, double skew) {
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = i * n + j;
      entries.push_back({at, at, 4});
      if (i > 0) entries.push_back({at, at - n, -1 - skew});
      if (i + 1 < n) entries.push_back({at, at + n, -1 + skew});
      if (j > 0) entries.push_back({at, at - 1, -1});
      if (j + 1 < n) entries.push_back({at, at + 1, -1});
    }
  }
  return {n * n, n * n, entries};
}

std::vector<double> wave(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(0.7 * static_cast<double>(i)) + 0.3;
  return x;
}

TEST(Sparse, EntriesOfOnePlaceAreAdded) {
  const SparseMatrix a(
      2, 3, std::vector<SparseMatrix::Entry>{{1, 2, 3}, {0, 1, 2}, {1, 2, 4}, {1, 0, 5}});
  EXPECT_EQ(a.nonzeros(), 3u);
  EXPECT_EQ(a(1, 2), 7);
  EXPECT_EQ(a(0, 0), 0);
  EXPECT_EQ(a.position(1, 0), 1u);
  std::vector<double> y(2), z(3);
  a.multiply(std::vector<double>{1, 10, 100}, y);
  EXPECT_EQ(y, (std::vector<double>{20, 705}));
  a.multiply_transposed(std::vector<double>{1, 10}, z);
  EXPECT_EQ(z, (std::vector<double>{50, 2, 70}));
  EXPECT_EQ(a.transposed()(2, 1), 7);
  EXPECT_NE(message_of([&] { (void)a.position(0, 0); }), "no error");
  EXPECT_NE(message_of([] {
              (void)SparseMatrix(1, 1, std::vector<SparseMatrix::Entry>{{0, 1, 1}});
            }),
            "no error");
}

TEST(Sparse, APatternIsAMatrixOfZerosAndMustFit) {
  const SparseMatrix a(2, 3, std::vector<SparseMatrix::Index>{0, 2, 3}, {0, 2, 1});
  EXPECT_EQ(a.nonzeros(), 3u);
  EXPECT_EQ(a.position(1, 1), 2u);
  EXPECT_EQ(a(0, 2), 0);
  using Columns = std::vector<SparseMatrix::Index>;
  EXPECT_THROW(SparseMatrix(2, 3, Columns{0, 2}, Columns{0, 2}), Error);     // a row is missing
  EXPECT_THROW(SparseMatrix(1, 3, Columns{0, 2}, Columns{2, 0}), Error);     // they descend
  EXPECT_THROW(SparseMatrix(1, 3, Columns{0, 2}, Columns{0, 3}), Error);     // outside
  EXPECT_THROW(SparseMatrix(1, 3, Columns{0, 3}, Columns{0, 1}), Error);     // too few
  EXPECT_THROW(SparseMatrix(2, 3, Columns{0, 2, 1}, Columns{0, 2}), Error);  // backwards
}

TEST(Sparse, FactorsSolveWhatTheyWereMadeOf) {
  for (const double skew : {0.0, 0.4}) {
    SparseMatrix a = grid_matrix(20, skew);
    const std::vector<double> x = wave(a.rows());
    std::vector<double> b(x.size());
    a.multiply(x, b);
    SparseLu lu(a);
    ASSERT_EQ(lu.status(), Factorization::ok);
    lu.solve(b);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 1e-12);
    // Other values in the same pattern.
    for (double& v : a.values()) v *= 2;
    a.multiply(x, b);
    ASSERT_EQ(lu.factor(a), Factorization::ok);
    lu.solve(b);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 1e-12);
    if (skew != 0) continue;
    SparseCholesky cholesky(a);
    ASSERT_EQ(cholesky.status(), Factorization::ok);
    a.multiply(x, b);
    cholesky.solve(b);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 1e-12);
  }
}

/// Flops that the factors of a matrix are counted as.
double counted_flops(const SparseMatrix& a) {
  const Work before = work_of_thread();
  EXPECT_EQ(SparseLu(a).status(), Factorization::ok);
  return static_cast<double>(work_of_thread().since(before).of(WorkKind::factors));
}

TEST(Sparse, FactorsAreCountedByTheirOwnColumns) {
  constexpr std::size_t n = 60;
  std::vector<SparseMatrix::Entry> all, upper;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const SparseMatrix::Entry e{i, j, i == j ? n : 1.0 / static_cast<double>(1 + i + 2 * j)};
      all.push_back(e);
      if (j >= i) upper.push_back(e);
    }
  }
  double flops = 0;  // a column of length k is divided and taken from k others
  for (double k = 0; k < n; ++k) flops += k + 2 * k * k;
  EXPECT_EQ(counted_flops({n, n, all}), flops);
  // Nothing is eliminated from a triangle but what blocks are filled up with, though a symmetric
  // matrix of its pattern would be full.
  EXPECT_LT(counted_flops({n, n, upper}), flops / 10);
}

TEST(Sparse, WhatCannotBeFactoredIsAStatus) {
  const SparseMatrix singular(
      2, 2, std::vector<SparseMatrix::Entry>{{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 4}});
  SparseLu lu(singular);
  EXPECT_EQ(lu.status(), Factorization::singular);
  std::vector<double> b(2, 1);
  EXPECT_NE(message_of([&] { lu.solve(b); }), "no error");
  SparseMatrix nan = grid_matrix(3, 0);
  nan.values()[0] = NAN;
  EXPECT_NE(lu.factor(nan), Factorization::ok);
  EXPECT_NE(message_of([] {
              SparseLu flat(SparseMatrix(1, 2, std::vector<SparseMatrix::Entry>{{0, 0, 1}}));
            }),
            "no error");
}

}  // namespace
}  // namespace cauchy::test_sparse
