#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>
#include <climits>
#include <cmath>
#include <limits>

#include "math/dense_work.hpp"
#include "math/lapack_symbols.hpp"
#include "math/serial_blas.hpp"

// A row-major matrix read as column-major is its transpose: symmetric input goes through unchanged
// ('U' names the row-major lower triangle), right-hand sides are copied to columns and back.

namespace cauchy {
namespace {

using detail::Lapack;

[[noreturn]] void misuse(std::string_view message) { throw Error(message, "[math.lapack]"); }

int lapack_int(std::size_t n) {
  if (n > static_cast<std::size_t>(INT_MAX))
    misuse(fmt::format("dimension {} is too large for LAPACK", n));
  return static_cast<int>(n);
}

int leading(std::size_t n) { return std::max(1, lapack_int(n)); }

template <class T>
int workspace_size(T query) {
  // The optimal size comes back as a floating-point number; float may have rounded it down.
  const double size = std::ceil(static_cast<double>(query) * (1 + 1e-6));
  if (!(size < static_cast<double>(INT_MAX))) misuse("LAPACK workspace is too large");
  return std::max(1, static_cast<int>(size));
}

template <class T>
std::size_t square_size(MatrixView<const T> a) {
  if (a.rows() != a.cols())
    misuse(fmt::format("matrix must be square, got {} x {}", a.rows(), a.cols()));
  return a.rows();
}

template <class T>
bool all_finite(MatrixView<const T> a) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j)
      if (!std::isfinite(a(i, j))) return false;
  return true;
}

template <class T>
bool lower_finite(MatrixView<const T> a) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      if (!std::isfinite(a(i, j))) return false;
  return true;
}

template <class T>
bool all_finite(VectorView<const T> v) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!std::isfinite(v[i])) return false;
  return true;
}

/// Column-major copy with `height` >= a.rows() rows, the rest zero.
template <class T>
std::vector<T> to_columns(MatrixView<const T> a, std::size_t height) {
  std::vector<T> c(height * a.cols(), T(0));
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) c[j * height + i] = a(i, j);
  return c;
}

template <class T>
void from_columns(const std::vector<T>& c, std::size_t height, MatrixView<T> a) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) a(i, j) = c[j * height + i];
}

void require_ok(Factorization status) {
  if (status != Factorization::ok)
    misuse(fmt::format("solve with a failed factorization ({})", to_string(status)));
}

void require_rows(std::size_t rows, std::size_t n) {
  if (rows != n) misuse(fmt::format("right-hand side has {} rows, the matrix has {}", rows, n));
}

/// What a routine on a matrix is about to do: counted, and where it is long the limit of the thread
/// is asked first, since LAPACK cannot be interrupted.
void count_dense(const Work& work) {
  constexpr double is_long = 1e9;
  if (static_cast<double>(work.of(WorkKind::dense)) > is_long) {
    ask_limit("a dense factorisation", nominal_seconds(work));
  }
  count_work(work);
}
void count_dense(double flops, std::size_t size, DenseSpeed speed) {
  count_dense(dense_work(flops, size, speed));
}

double cubed(std::size_t size) { return std::pow(static_cast<double>(size), 3); }

template <class T>
Cholesky<T> cholesky_of(MatrixView<const T> a) {
  const std::size_t size = square_size(a);
  Cholesky<T> result;
  if (!lower_finite(a)) return {Factorization::not_finite, {}};
  result.lower = BasicMatrix<T>(size, size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) result.lower(i, j) = a(i, j);
  const int n = lapack_int(size), lda = leading(size);
  int info = 0;
  count_dense(cubed(size) / 3, size, {.slower = 1.25, .small = 200});
  if (n > 0) Lapack<T>::potrf("U", &n, result.lower.data(), &lda, &info, 1);
  if (info > 0) result.status = Factorization::not_positive_definite;
  return result;
}

template <class T>
Lu<T> lu_of(MatrixView<const T> a) {
  const std::size_t size = square_size(a);
  if (!all_finite(a)) return {Factorization::not_finite, {}, {}};
  Lu<T> result;
  result.factors = BasicMatrix<T>(a).transposed();
  result.pivots.resize(size);
  const int n = lapack_int(size), lda = leading(size);
  int info = 0;
  count_dense(2 * cubed(size) / 3, size, {.slower = 2.5, .small = 100});
  if (n > 0) Lapack<T>::getrf(&n, &n, result.factors.data(), &lda, result.pivots.data(), &info);
  if (info > 0) result.status = Factorization::singular;
  return result;
}

template <class T>
LinearSolution<T> solve_symmetric_of(MatrixView<const T> a, MatrixView<const T> b) {
  const std::size_t size = square_size(a);
  require_rows(b.rows(), size);
  if (!lower_finite(a) || !all_finite(b)) return {Factorization::not_finite, {}};
  LinearSolution<T> result{Factorization::ok, BasicMatrix<T>(size, b.cols())};
  if (b.empty()) return result;
  BasicMatrix<T> factors(a);
  std::vector<T> columns = to_columns(b, size);
  std::vector<int> pivots(size);
  count_dense(cubed(size) / 3, size, {.slower = 1.6, .small = 300});
  count_dense(2 * static_cast<double>(size * size * b.cols()), size, {});
  const int n = lapack_int(size), n_rhs = lapack_int(b.cols()), lda = leading(size);
  int info = 0, lwork = -1;
  T query = 0;
  Lapack<T>::sysv("U", &n, &n_rhs, factors.data(), &lda, pivots.data(), columns.data(), &lda,
                  &query, &lwork, &info, 1);
  lwork = workspace_size(query);
  std::vector<T> work(static_cast<std::size_t>(lwork));
  Lapack<T>::sysv("U", &n, &n_rhs, factors.data(), &lda, pivots.data(), columns.data(), &lda,
                  work.data(), &lwork, &info, 1);
  if (info > 0) return {Factorization::singular, {}};
  from_columns(columns, size, result.x.view());
  return result;
}

template <class T>
SymmetricEigen<T> symmetric_eigen_of(MatrixView<const T> a, bool with_vectors) {
  const std::size_t size = square_size(a);
  if (!lower_finite(a)) return {Factorization::not_finite, {}, {}};
  SymmetricEigen<T> result;
  result.values.resize(size);
  if (size == 0) return result;
  BasicMatrix<T> work_matrix(a);
  count_dense((with_vectors ? 9 : 1.4) * cubed(size), size, {.slower = 0.7, .small = 400});
  const char* job = with_vectors ? "V" : "N";
  const int n = lapack_int(size);
  int info = 0, lwork = -1, liwork = -1, integer_query = 0;
  T query = 0;
  Lapack<T>::syevd(job, "U", &n, work_matrix.data(), &n, result.values.data(), &query, &lwork,
                   &integer_query, &liwork, &info, 1, 1);
  lwork = workspace_size(query);
  liwork = std::max(1, integer_query);
  std::vector<T> work(static_cast<std::size_t>(lwork));
  std::vector<int> integer_work(static_cast<std::size_t>(liwork));
  Lapack<T>::syevd(job, "U", &n, work_matrix.data(), &n, result.values.data(), work.data(), &lwork,
                   integer_work.data(), &liwork, &info, 1, 1);
  if (info > 0) return {Factorization::not_converged, {}, {}};
  if (with_vectors) result.vectors = work_matrix.transposed();
  return result;
}

template <class T>
SymmetricEigen<T> tridiagonal_eigen_of(VectorView<const T> diagonal,
                                       VectorView<const T> off_diagonal, bool with_vectors) {
  const std::size_t size = diagonal.size();
  if (off_diagonal.size() + 1 != std::max<std::size_t>(size, 1))
    misuse(fmt::format("a diagonal of {} entries needs an off-diagonal of {}, got {}", size,
                       std::max<std::size_t>(size, 1) - 1, off_diagonal.size()));
  if (!all_finite(diagonal) || !all_finite(off_diagonal))
    return {Factorization::not_finite, {}, {}};
  SymmetricEigen<T> result;
  if (size == 0) return result;
  result.values.resize(size);
  std::vector<T> off(size);  // one spare element keeps the pointer valid for n = 1
  for (std::size_t i = 0; i < size; ++i) result.values[i] = diagonal[i];
  for (std::size_t i = 0; i + 1 < size; ++i) off[i] = off_diagonal[i];
  const int n = lapack_int(size);
  int info = 0;
  if (with_vectors) {
    BasicMatrix<T> columns(size, size);
    std::vector<T> work(2 * size);
    Lapack<T>::stev("V", &n, result.values.data(), off.data(), columns.data(), &n, work.data(),
                    &info, 1);
    result.vectors = columns.transposed();
  } else {
    Lapack<T>::sterf(&n, result.values.data(), off.data(), &info);
  }
  if (info > 0) return {Factorization::not_converged, {}, {}};
  return result;
}

enum class Method { qr, svd };

template <class T>
LeastSquaresSolution<T> least_squares_of(MatrixView<const T> a, MatrixView<const T> b, T rcond,
                                         Method method) {
  require_rows(b.rows(), a.rows());
  if (!all_finite(a) || !all_finite(b)) return {Factorization::not_finite, {}, 0, {}};
  const std::size_t longest = std::max(a.rows(), a.cols());
  if (!(rcond >= 0)) rcond = static_cast<T>(longest) * std::numeric_limits<T>::epsilon();
  LeastSquaresSolution<T> result;
  result.x = BasicMatrix<T>(a.cols(), b.cols());
  if (a.empty()) return result;
  const std::size_t shortest = std::min(a.rows(), a.cols());
  count_dense(least_squares_work(static_cast<double>(longest), shortest, method == Method::svd));
  std::vector<T> matrix = to_columns(a, a.rows());
  std::vector<T> columns = to_columns(b, longest);
  columns.resize(std::max(columns.size(), longest));
  const int m = lapack_int(a.rows()), n = lapack_int(a.cols()), n_rhs = lapack_int(b.cols());
  const int ldb = leading(longest);
  int rank = 0, info = 0, lwork = -1;
  T query = 0;
  if (method == Method::qr) {
    std::vector<int> pivots(a.cols(), 0);
    Lapack<T>::gelsy(&m, &n, &n_rhs, matrix.data(), &m, columns.data(), &ldb, pivots.data(), &rcond,
                     &rank, &query, &lwork, &info);
    lwork = workspace_size(query);
    std::vector<T> work(static_cast<std::size_t>(lwork));
    Lapack<T>::gelsy(&m, &n, &n_rhs, matrix.data(), &m, columns.data(), &ldb, pivots.data(), &rcond,
                     &rank, work.data(), &lwork, &info);
  } else {
    result.singular_values.resize(std::min(a.rows(), a.cols()));
    int integer_query = 0;
    Lapack<T>::gelsd(&m, &n, &n_rhs, matrix.data(), &m, columns.data(), &ldb,
                     result.singular_values.data(), &rcond, &rank, &query, &lwork, &integer_query,
                     &info);
    lwork = workspace_size(query);
    std::vector<T> work(static_cast<std::size_t>(lwork));
    std::vector<int> integer_work(static_cast<std::size_t>(std::max(1, integer_query)));
    Lapack<T>::gelsd(&m, &n, &n_rhs, matrix.data(), &m, columns.data(), &ldb,
                     result.singular_values.data(), &rcond, &rank, work.data(), &lwork,
                     integer_work.data(), &info);
  }
  if (info > 0) return {Factorization::not_converged, {}, 0, {}};
  result.rank = static_cast<std::size_t>(rank);
  from_columns(columns, longest, result.x.view());
  return result;
}

template <class T>
Svd<T> svd_of(MatrixView<const T> a) {
  if (!all_finite(a)) return {Factorization::not_finite, {}, {}, {}};
  const std::size_t k_size = std::min(a.rows(), a.cols());
  Svd<T> result;
  result.u = BasicMatrix<T>(a.rows(), k_size);
  result.values.resize(k_size);
  result.vt = BasicMatrix<T>(k_size, a.cols());
  if (k_size == 0) return result;
  const double flops = 12 * static_cast<double>(std::max(a.rows(), a.cols()) * k_size);
  count_dense(flops * static_cast<double>(k_size), k_size, {.slower = 1, .small = 230});
  // LAPACK sees A' = V S U': its left vectors, read row-major, are V' and its right ones U.
  BasicMatrix<T> work_matrix(a);
  const int m = lapack_int(a.cols()), n = lapack_int(a.rows()), k = lapack_int(k_size);
  int info = 0, lwork = -1;
  T query = 0;
  std::vector<int> integer_work(8 * k_size);
  Lapack<T>::gesdd("S", &m, &n, work_matrix.data(), &m, result.values.data(), result.vt.data(), &m,
                   result.u.data(), &k, &query, &lwork, integer_work.data(), &info, 1);
  lwork = workspace_size(query);
  std::vector<T> work(static_cast<std::size_t>(lwork));
  Lapack<T>::gesdd("S", &m, &n, work_matrix.data(), &m, result.values.data(), result.vt.data(), &m,
                   result.u.data(), &k, work.data(), &lwork, integer_work.data(), &info, 1);
  if (info > 0) return {Factorization::not_converged, {}, {}, {}};
  return result;
}

}  // namespace

const char* to_string(Factorization status) noexcept {
  switch (status) {
    case Factorization::ok:
      return "ok";
    case Factorization::singular:
      return "singular";
    case Factorization::not_positive_definite:
      return "not positive definite";
    case Factorization::not_converged:
      return "not converged";
    case Factorization::not_finite:
      return "not finite";
  }
  return "unknown";
}

template <class T>
void Cholesky<T>::solve(MatrixView<T> b) const {
  require_ok(status);
  require_rows(b.rows(), lower.rows());
  solve_triangular(Side::left, Half::lower, Transpose::no, T(1), lower, b);
  solve_triangular(Side::left, Half::lower, Transpose::yes, T(1), lower, b);
}

template <class T>
void Cholesky<T>::solve(VectorView<T> b) const {
  solve(b.empty() ? MatrixView<T>(nullptr, 0, 1)
                  : MatrixView<T>(b.data(), b.size(), 1, b.stride()));
}

template <class T>
T Cholesky<T>::log_determinant() const {
  require_ok(status);
  T sum = 0;
  for (std::size_t i = 0; i < lower.rows(); ++i) sum += std::log(lower(i, i));
  return 2 * sum;
}

template <class T>
void Lu<T>::solve(MatrixView<T> b) const {
  require_ok(status);
  require_rows(b.rows(), factors.rows());
  if (b.empty()) return;
  std::vector<T> columns = to_columns(MatrixView<const T>(b), b.rows());
  count_dense(2 * static_cast<double>(b.rows() * b.rows() * b.cols()), b.rows(), {});
  const int n = lapack_int(b.rows()), n_rhs = lapack_int(b.cols());
  int info = 0;
  Lapack<T>::getrs("N", &n, &n_rhs, factors.data(), &n, pivots.data(), columns.data(), &n, &info,
                   1);
  from_columns(columns, b.rows(), b);
}

template <class T>
void Lu<T>::solve(VectorView<T> b) const {
  solve(b.empty() ? MatrixView<T>(nullptr, 0, 1)
                  : MatrixView<T>(b.data(), b.size(), 1, b.stride()));
}

template <class T>
T Lu<T>::determinant() const {
  if (status == Factorization::singular) return T(0);
  require_ok(status);
  T det = 1;
  for (std::size_t i = 0; i < factors.rows(); ++i)
    det *= pivots[i] == static_cast<int>(i) + 1 ? factors(i, i) : -factors(i, i);
  return det;
}

template struct Cholesky<float>;
template struct Cholesky<double>;
template struct Lu<float>;
template struct Lu<double>;

Cholesky<double> cholesky(MatrixView<const double> a) { return cholesky_of(a); }
Cholesky<float> cholesky(MatrixView<const float> a) { return cholesky_of(a); }
Lu<double> lu(MatrixView<const double> a) { return lu_of(a); }
Lu<float> lu(MatrixView<const float> a) { return lu_of(a); }

LinearSolution<double> solve_symmetric(MatrixView<const double> a, MatrixView<const double> b) {
  return solve_symmetric_of(a, b);
}
LinearSolution<float> solve_symmetric(MatrixView<const float> a, MatrixView<const float> b) {
  return solve_symmetric_of(a, b);
}

SymmetricEigen<double> symmetric_eigen(MatrixView<const double> a) {
  return symmetric_eigen_of(a, true);
}
SymmetricEigen<float> symmetric_eigen(MatrixView<const float> a) {
  return symmetric_eigen_of(a, true);
}
SymmetricEigen<double> symmetric_eigenvalues(MatrixView<const double> a) {
  return symmetric_eigen_of(a, false);
}
SymmetricEigen<float> symmetric_eigenvalues(MatrixView<const float> a) {
  return symmetric_eigen_of(a, false);
}

SymmetricEigen<double> tridiagonal_eigen(VectorView<const double> diagonal,
                                         VectorView<const double> off_diagonal) {
  return tridiagonal_eigen_of(diagonal, off_diagonal, true);
}
SymmetricEigen<float> tridiagonal_eigen(VectorView<const float> diagonal,
                                        VectorView<const float> off_diagonal) {
  return tridiagonal_eigen_of(diagonal, off_diagonal, true);
}
SymmetricEigen<double> tridiagonal_eigenvalues(VectorView<const double> diagonal,
                                               VectorView<const double> off_diagonal) {
  return tridiagonal_eigen_of(diagonal, off_diagonal, false);
}
SymmetricEigen<float> tridiagonal_eigenvalues(VectorView<const float> diagonal,
                                              VectorView<const float> off_diagonal) {
  return tridiagonal_eigen_of(diagonal, off_diagonal, false);
}

LeastSquaresSolution<double> least_squares(MatrixView<const double> a, MatrixView<const double> b,
                                           double rcond) {
  return least_squares_of(a, b, rcond, Method::qr);
}
LeastSquaresSolution<float> least_squares(MatrixView<const float> a, MatrixView<const float> b,
                                          float rcond) {
  return least_squares_of(a, b, rcond, Method::qr);
}
LeastSquaresSolution<double> least_squares_svd(MatrixView<const double> a,
                                               MatrixView<const double> b, double rcond) {
  return least_squares_of(a, b, rcond, Method::svd);
}
LeastSquaresSolution<float> least_squares_svd(MatrixView<const float> a, MatrixView<const float> b,
                                              float rcond) {
  return least_squares_of(a, b, rcond, Method::svd);
}

Svd<double> svd(MatrixView<const double> a) { return svd_of(a); }
Svd<float> svd(MatrixView<const float> a) { return svd_of(a); }

}  // namespace cauchy
