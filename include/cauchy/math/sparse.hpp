#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/math/lapack.hpp>  // Factorization

namespace cauchy {

/// Sparse matrix in compressed rows: columns ascend within a row, each stands there once.
///   access   the pattern is fixed, the values may be changed
class SparseMatrix final {
 public:
  using Index = std::int32_t;
  struct Entry {
    std::size_t row, col;
    double value;
  };

  SparseMatrix() = default;
  /// From entries in any order; those of one place are added in the order given. Zeros stay.
  ///   error    throws Error when an entry lies outside, or there are more than 2^31 - 1
  SparseMatrix(std::size_t rows, std::size_t cols, std::span<const Entry> entries);
  /// Zeros at the columns of each row, which ascend: row i has those from begin[i] to begin[i + 1].
  ///   error    throws Error when they do not fit
  SparseMatrix(std::size_t rows, std::size_t cols, std::vector<Index> begin,
               std::vector<Index> columns);
  static SparseMatrix identity(std::size_t n);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::size_t nonzeros() const noexcept { return values_.size(); }
  /// Row i has the entries begin()[i] to begin()[i + 1].
  [[nodiscard]] std::span<const Index> begin() const noexcept { return begin_; }
  [[nodiscard]] std::span<const Index> columns() const noexcept { return columns_; }
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
  [[nodiscard]] std::span<double> values() noexcept { return values_; }

  /// Value at (i, j), 0 where there is no entry. O(log of the row).
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const;
  /// Place of (i, j) in values().
  ///   error    throws Error when there is no entry
  [[nodiscard]] std::size_t position(std::size_t i, std::size_t j) const;
  [[nodiscard]] std::vector<double> diagonal() const;
  [[nodiscard]] SparseMatrix transposed() const;

  /// y = A x, and y = A' x; x and y do not overlap.
  void multiply(std::span<const double> x, std::span<double> y) const;
  void multiply_transposed(std::span<const double> x, std::span<double> y) const;

 private:
  std::size_t rows_ = 0, cols_ = 0;
  std::vector<Index> begin_ = {0}, columns_;
  std::vector<double> values_;
};

/// Direct solution of sparse systems: row-pivoted LU factors with a fill-reducing order. Memory and
/// time grow like n log n and n^1.5 for a grid in two dimensions, n^4/3 and n^2 in three.
class SparseLu final {
 public:
  SparseLu();
  explicit SparseLu(const SparseMatrix& a) : SparseLu() { factor(a); }
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  /// Factors a square matrix; the analysis of the pattern is kept while the pattern stays the same.
  ///   error    throws Error unless square; numerical failure is a status
  Factorization factor(const SparseMatrix& a);
  [[nodiscard]] Factorization status() const noexcept;
  /// Overwrites b with the solution. Needs status ok (else Error).
  void solve(std::span<double> b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same for symmetric positive definite matrices by L D L', of which the lower triangle is
/// read: half the memory and several times faster than SparseLu.
class SparseCholesky final {
 public:
  SparseCholesky();
  explicit SparseCholesky(const SparseMatrix& a) : SparseCholesky() { factor(a); }
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;
  Factorization factor(const SparseMatrix& a);
  [[nodiscard]] Factorization status() const noexcept;
  void solve(std::span<double> b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cauchy
