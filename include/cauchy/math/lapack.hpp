#pragma once

#include <cauchy/math/matrix.hpp>  // Matrix, MatrixView, VectorView
#include <cstddef>
#include <vector>

namespace cauchy {

/// How a factorization ended. Only `ok` promises that the numbers beside it mean something.
///   singular               a pivot is exactly zero
///   not_positive_definite  Cholesky met a pivot that is not positive
///   not_converged          an eigenvalue or singular value iteration did not converge
///   not_finite             the input contains NaN or infinity (nothing was computed)
enum class Factorization { ok, singular, not_positive_definite, not_converged, not_finite };

/// Name of the status: "ok", "singular", ...
const char* to_string(Factorization status) noexcept;

// Matrices are row-major, inputs are not changed, shape misuse throws Error, numerical failure is a
// status. Symmetric routines read the lower triangle only. Every function exists for float and
// double.

/// A = L L', L lower triangular with positive diagonal; the upper triangle of `lower` is zero.
template <class T>
struct Cholesky {
  Factorization status = Factorization::ok;
  BasicMatrix<T> lower;

  /// Overwrites b with the solution of A x = b. Needs status ok (else Error). O(n^2) per column.
  void solve(VectorView<T> b) const;
  void solve(MatrixView<T> b) const;
  /// log(det A) = 2 sum log L_ii. Needs status ok (else Error).
  [[nodiscard]] T log_determinant() const;
};
/// Cholesky factor of a symmetric positive definite matrix, O(n^3 / 3).
Cholesky<double> cholesky(MatrixView<const double> a);
Cholesky<float> cholesky(MatrixView<const float> a);

/// Row-pivoted LU factors of a square matrix, kept for repeated solves.
template <class T>
struct Lu {
  Factorization status = Factorization::ok;
  BasicMatrix<T> factors;   ///< transposed LAPACK storage; meant for solve() and determinant()
  std::vector<int> pivots;  ///< LAPACK convention, from 1

  /// Overwrites b with the solution of A x = b. Needs status ok (else Error). O(n^2) per column.
  void solve(VectorView<T> b) const;
  void solve(MatrixView<T> b) const;
  /// det A; may overflow for large n. Also valid when singular (then 0).
  [[nodiscard]] T determinant() const;
};
/// LU factorization with partial pivoting, O(2 n^3 / 3).
Lu<double> lu(MatrixView<const double> a);
Lu<float> lu(MatrixView<const float> a);

/// Solution x (n x n_rhs) and status of one linear system.
template <class T>
struct LinearSolution {
  Factorization status = Factorization::ok;
  BasicMatrix<T> x;
};
/// A X = B for a symmetric, possibly indefinite A by Bunch-Kaufman pivoting, O(n^3 / 3).
LinearSolution<double> solve_symmetric(MatrixView<const double> a, MatrixView<const double> b);
LinearSolution<float> solve_symmetric(MatrixView<const float> a, MatrixView<const float> b);

/// A V = V diag(values), values ascending, V orthogonal with eigenvectors as columns.
template <class T>
struct SymmetricEigen {
  Factorization status = Factorization::ok;
  std::vector<T> values;
  BasicMatrix<T> vectors;  ///< n x n; empty when only values were asked for
};
/// All eigenvalues and eigenvectors of a symmetric matrix (divide and conquer), O(n^3).
SymmetricEigen<double> symmetric_eigen(MatrixView<const double> a);
SymmetricEigen<float> symmetric_eigen(MatrixView<const float> a);
/// All eigenvalues only.
SymmetricEigen<double> symmetric_eigenvalues(MatrixView<const double> a);
SymmetricEigen<float> symmetric_eigenvalues(MatrixView<const float> a);

/// Eigenvalues and eigenvectors of the symmetric tridiagonal matrix with the given diagonal (n) and
/// off-diagonal (n - 1), as Golub-Welsch quadrature needs. O(n^3) with vectors, O(n^2) without.
SymmetricEigen<double> tridiagonal_eigen(VectorView<const double> diagonal,
                                         VectorView<const double> off_diagonal);
SymmetricEigen<float> tridiagonal_eigen(VectorView<const float> diagonal,
                                        VectorView<const float> off_diagonal);
SymmetricEigen<double> tridiagonal_eigenvalues(VectorView<const double> diagonal,
                                               VectorView<const double> off_diagonal);
SymmetricEigen<float> tridiagonal_eigenvalues(VectorView<const float> diagonal,
                                              VectorView<const float> off_diagonal);

/// Minimum-norm least-squares solution x (n x n_rhs) of min |A x - b|.
template <class T>
struct LeastSquaresSolution {
  Factorization status = Factorization::ok;
  BasicMatrix<T> x;
  std::size_t rank = 0;            ///< effective rank of A at the given rcond
  std::vector<T> singular_values;  ///< descending; only filled by least_squares_svd
};
/// By QR with column pivoting; any m x n shape and rank. Directions whose condition exceeds 1 /
/// rcond are dropped; rcond < 0 means max(m, n) * eps. O(m n^2).
LeastSquaresSolution<double> least_squares(MatrixView<const double> a, MatrixView<const double> b,
                                           double rcond = -1);
LeastSquaresSolution<float> least_squares(MatrixView<const float> a, MatrixView<const float> b,
                                          float rcond = -1);
/// By the singular value decomposition: singular values below rcond * largest count as zero.
/// Several times the cost of least_squares, sharper rank.
LeastSquaresSolution<double> least_squares_svd(MatrixView<const double> a,
                                               MatrixView<const double> b, double rcond = -1);
LeastSquaresSolution<float> least_squares_svd(MatrixView<const float> a, MatrixView<const float> b,
                                              float rcond = -1);

/// Thin singular value decomposition A = U diag(values) V'.
template <class T>
struct Svd {
  Factorization status = Factorization::ok;
  BasicMatrix<T> u;       ///< m x k, k = min(m, n), orthonormal columns
  std::vector<T> values;  ///< k, descending, not negative
  BasicMatrix<T> vt;      ///< k x n, orthonormal rows
};
/// Divide and conquer, O(m n min(m, n)).
Svd<double> svd(MatrixView<const double> a);
Svd<float> svd(MatrixView<const float> a);

extern template struct Cholesky<float>;
extern template struct Cholesky<double>;
extern template struct Lu<float>;
extern template struct Lu<double>;

}  // namespace cauchy
