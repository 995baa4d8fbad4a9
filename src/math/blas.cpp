#include <cblas.h>
#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/math/blas.hpp>
#include <climits>

#include "math/serial_blas.hpp"

namespace cauchy {
namespace {

void require_equal(const char* routine, std::size_t a, std::size_t b) {
  if (a != b)
    throw Error(fmt::format("{}: sizes {} and {} do not match", routine, a, b), "[math.blas]");
}

void require_square(const char* routine, std::size_t rows, std::size_t cols) {
  if (rows != cols)
    throw Error(fmt::format("{}: matrix must be square, got {} x {}", routine, rows, cols),
                "[math.blas]");
}

int to_int(std::size_t n) {
  if (n > static_cast<std::size_t>(INT_MAX))
    throw Error(fmt::format("dimension {} is too large for BLAS", n), "[math.blas]");
  return static_cast<int>(n);
}

CBLAS_TRANSPOSE cblas(Transpose op) { return op == Transpose::no ? CblasNoTrans : CblasTrans; }
CBLAS_UPLO cblas(Half t) { return t == Half::lower ? CblasLower : CblasUpper; }
CBLAS_DIAG cblas(Diagonal d) { return d == Diagonal::unit ? CblasUnit : CblasNonUnit; }

/// beta times an output whose product part is empty; beta = 0 clears NaN as well.
void count_products(std::size_t rows, std::size_t cols, std::size_t depth) {
  count_work(WorkKind::dense, 2 * static_cast<double>(rows) * static_cast<double>(cols) *
                                  static_cast<double>(depth));
}
/// A matrix that is read once.
template <class T>
void count_swept(std::size_t rows, std::size_t cols) {
  count_work(WorkKind::memory, sizeof(T) * static_cast<double>(rows) * static_cast<double>(cols));
}

template <class T>
void scale(T beta, VectorView<T> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = beta == T(0) ? T(0) : beta * y[i];
}

template <class T>
void scale(T beta, MatrixView<T> c) {
  for (std::size_t i = 0; i < c.rows(); ++i) scale(beta, c.row(i));
}

template <class T>
void scale_triangle(Half triangle, T beta, MatrixView<T> c) {
  for (std::size_t i = 0; i < c.rows(); ++i)
    scale(beta,
          triangle == Half::lower ? c.row(i).slice(0, i + 1) : c.row(i).slice(i, c.cols() - i));
}

}  // namespace

double dot(VectorView<const double> x, VectorView<const double> y) {
  require_equal("dot", x.size(), y.size());
  return cblas_ddot(to_int(x.size()), x.data(), to_int(x.stride()), y.data(), to_int(y.stride()));
}
float dot(VectorView<const float> x, VectorView<const float> y) {
  require_equal("dot", x.size(), y.size());
  return cblas_sdot(to_int(x.size()), x.data(), to_int(x.stride()), y.data(), to_int(y.stride()));
}

void axpy(double alpha, VectorView<const double> x, VectorView<double> y) {
  require_equal("axpy", x.size(), y.size());
  cblas_daxpy(to_int(x.size()), alpha, x.data(), to_int(x.stride()), y.data(), to_int(y.stride()));
}
void axpy(float alpha, VectorView<const float> x, VectorView<float> y) {
  require_equal("axpy", x.size(), y.size());
  cblas_saxpy(to_int(x.size()), alpha, x.data(), to_int(x.stride()), y.data(), to_int(y.stride()));
}

void scal(double alpha, VectorView<double> x) {
  cblas_dscal(to_int(x.size()), alpha, x.data(), to_int(x.stride()));
}
void scal(float alpha, VectorView<float> x) {
  cblas_sscal(to_int(x.size()), alpha, x.data(), to_int(x.stride()));
}

double nrm2(VectorView<const double> x) {
  return cblas_dnrm2(to_int(x.size()), x.data(), to_int(x.stride()));
}
float nrm2(VectorView<const float> x) {
  return cblas_snrm2(to_int(x.size()), x.data(), to_int(x.stride()));
}

void gemv(Transpose op, double alpha, MatrixView<const double> a, VectorView<const double> x,
          double beta, VectorView<double> y) {
  const bool plain = op == Transpose::no;
  require_equal("gemv", plain ? a.cols() : a.rows(), x.size());
  require_equal("gemv", plain ? a.rows() : a.cols(), y.size());
  if (x.empty() || y.empty()) return scale(beta, y);
  count_swept<double>(a.rows(), a.cols());
  cblas_dgemv(CblasRowMajor, cblas(op), to_int(a.rows()), to_int(a.cols()), alpha, a.data(),
              to_int(a.leading()), x.data(), to_int(x.stride()), beta, y.data(),
              to_int(y.stride()));
}
void gemv(Transpose op, float alpha, MatrixView<const float> a, VectorView<const float> x,
          float beta, VectorView<float> y) {
  const bool plain = op == Transpose::no;
  require_equal("gemv", plain ? a.cols() : a.rows(), x.size());
  require_equal("gemv", plain ? a.rows() : a.cols(), y.size());
  if (x.empty() || y.empty()) return scale(beta, y);
  count_swept<float>(a.rows(), a.cols());
  cblas_sgemv(CblasRowMajor, cblas(op), to_int(a.rows()), to_int(a.cols()), alpha, a.data(),
              to_int(a.leading()), x.data(), to_int(x.stride()), beta, y.data(),
              to_int(y.stride()));
}

void symv(Half triangle, double alpha, MatrixView<const double> a, VectorView<const double> x,
          double beta, VectorView<double> y) {
  require_square("symv", a.rows(), a.cols());
  require_equal("symv", a.cols(), x.size());
  require_equal("symv", a.rows(), y.size());
  if (a.empty()) return;
  count_swept<double>(a.rows(), a.cols());
  cblas_dsymv(CblasRowMajor, cblas(triangle), to_int(a.rows()), alpha, a.data(),
              to_int(a.leading()), x.data(), to_int(x.stride()), beta, y.data(),
              to_int(y.stride()));
}
void symv(Half triangle, float alpha, MatrixView<const float> a, VectorView<const float> x,
          float beta, VectorView<float> y) {
  require_square("symv", a.rows(), a.cols());
  require_equal("symv", a.cols(), x.size());
  require_equal("symv", a.rows(), y.size());
  if (a.empty()) return;
  count_swept<float>(a.rows(), a.cols());
  cblas_ssymv(CblasRowMajor, cblas(triangle), to_int(a.rows()), alpha, a.data(),
              to_int(a.leading()), x.data(), to_int(x.stride()), beta, y.data(),
              to_int(y.stride()));
}

void ger(double alpha, VectorView<const double> x, VectorView<const double> y,
         MatrixView<double> a) {
  require_equal("ger", a.rows(), x.size());
  require_equal("ger", a.cols(), y.size());
  if (a.empty()) return;
  cblas_dger(CblasRowMajor, to_int(a.rows()), to_int(a.cols()), alpha, x.data(), to_int(x.stride()),
             y.data(), to_int(y.stride()), a.data(), to_int(a.leading()));
}
void ger(float alpha, VectorView<const float> x, VectorView<const float> y, MatrixView<float> a) {
  require_equal("ger", a.rows(), x.size());
  require_equal("ger", a.cols(), y.size());
  if (a.empty()) return;
  cblas_sger(CblasRowMajor, to_int(a.rows()), to_int(a.cols()), alpha, x.data(), to_int(x.stride()),
             y.data(), to_int(y.stride()), a.data(), to_int(a.leading()));
}

void syr(Half triangle, double alpha, VectorView<const double> x, MatrixView<double> a) {
  require_square("syr", a.rows(), a.cols());
  require_equal("syr", a.rows(), x.size());
  if (a.empty()) return;
  cblas_dsyr(CblasRowMajor, cblas(triangle), to_int(a.rows()), alpha, x.data(), to_int(x.stride()),
             a.data(), to_int(a.leading()));
}
void syr(Half triangle, float alpha, VectorView<const float> x, MatrixView<float> a) {
  require_square("syr", a.rows(), a.cols());
  require_equal("syr", a.rows(), x.size());
  if (a.empty()) return;
  cblas_ssyr(CblasRowMajor, cblas(triangle), to_int(a.rows()), alpha, x.data(), to_int(x.stride()),
             a.data(), to_int(a.leading()));
}

void syr2(Half triangle, double alpha, VectorView<const double> x, VectorView<const double> y,
          MatrixView<double> a) {
  require_square("syr2", a.rows(), a.cols());
  require_equal("syr2", a.rows(), x.size());
  require_equal("syr2", a.rows(), y.size());
  if (a.empty()) return;
  cblas_dsyr2(CblasRowMajor, cblas(triangle), to_int(a.rows()), alpha, x.data(), to_int(x.stride()),
              y.data(), to_int(y.stride()), a.data(), to_int(a.leading()));
}
void syr2(Half triangle, float alpha, VectorView<const float> x, VectorView<const float> y,
          MatrixView<float> a) {
  require_square("syr2", a.rows(), a.cols());
  require_equal("syr2", a.rows(), x.size());
  require_equal("syr2", a.rows(), y.size());
  if (a.empty()) return;
  cblas_ssyr2(CblasRowMajor, cblas(triangle), to_int(a.rows()), alpha, x.data(), to_int(x.stride()),
              y.data(), to_int(y.stride()), a.data(), to_int(a.leading()));
}

void gemm(Transpose op_a, Transpose op_b, double alpha, MatrixView<const double> a,
          MatrixView<const double> b, double beta, MatrixView<double> c) {
  const bool plain_a = op_a == Transpose::no, plain_b = op_b == Transpose::no;
  const std::size_t k = plain_a ? a.cols() : a.rows();
  require_equal("gemm", k, plain_b ? b.rows() : b.cols());
  require_equal("gemm", plain_a ? a.rows() : a.cols(), c.rows());
  require_equal("gemm", plain_b ? b.cols() : b.rows(), c.cols());
  if (c.empty()) return;
  if (k == 0) return scale(beta, c);
  count_products(c.rows(), c.cols(), k);
  cblas_dgemm(CblasRowMajor, cblas(op_a), cblas(op_b), to_int(c.rows()), to_int(c.cols()),
              to_int(k), alpha, a.data(), to_int(a.leading()), b.data(), to_int(b.leading()), beta,
              c.data(), to_int(c.leading()));
}
void gemm(Transpose op_a, Transpose op_b, float alpha, MatrixView<const float> a,
          MatrixView<const float> b, float beta, MatrixView<float> c) {
  const bool plain_a = op_a == Transpose::no, plain_b = op_b == Transpose::no;
  const std::size_t k = plain_a ? a.cols() : a.rows();
  require_equal("gemm", k, plain_b ? b.rows() : b.cols());
  require_equal("gemm", plain_a ? a.rows() : a.cols(), c.rows());
  require_equal("gemm", plain_b ? b.cols() : b.rows(), c.cols());
  if (c.empty()) return;
  if (k == 0) return scale(beta, c);
  count_products(c.rows(), c.cols(), k);
  cblas_sgemm(CblasRowMajor, cblas(op_a), cblas(op_b), to_int(c.rows()), to_int(c.cols()),
              to_int(k), alpha, a.data(), to_int(a.leading()), b.data(), to_int(b.leading()), beta,
              c.data(), to_int(c.leading()));
}

void syrk(Half triangle, Transpose op, double alpha, MatrixView<const double> a, double beta,
          MatrixView<double> c) {
  const bool plain = op == Transpose::no;
  require_square("syrk", c.rows(), c.cols());
  require_equal("syrk", plain ? a.rows() : a.cols(), c.rows());
  if (c.empty()) return;
  const std::size_t k = plain ? a.cols() : a.rows();
  if (k == 0) return scale_triangle(triangle, beta, c);
  count_products(c.rows(), c.cols(), (k + 1) / 2);
  cblas_dsyrk(CblasRowMajor, cblas(triangle), cblas(op), to_int(c.rows()), to_int(k), alpha,
              a.data(), to_int(a.leading()), beta, c.data(), to_int(c.leading()));
}
void syrk(Half triangle, Transpose op, float alpha, MatrixView<const float> a, float beta,
          MatrixView<float> c) {
  const bool plain = op == Transpose::no;
  require_square("syrk", c.rows(), c.cols());
  require_equal("syrk", plain ? a.rows() : a.cols(), c.rows());
  if (c.empty()) return;
  const std::size_t k = plain ? a.cols() : a.rows();
  if (k == 0) return scale_triangle(triangle, beta, c);
  count_products(c.rows(), c.cols(), (k + 1) / 2);
  cblas_ssyrk(CblasRowMajor, cblas(triangle), cblas(op), to_int(c.rows()), to_int(k), alpha,
              a.data(), to_int(a.leading()), beta, c.data(), to_int(c.leading()));
}

void solve_triangular(Half triangle, Transpose op, MatrixView<const double> a, VectorView<double> x,
                      Diagonal diagonal) {
  require_square("solve_triangular", a.rows(), a.cols());
  require_equal("solve_triangular", a.rows(), x.size());
  if (a.empty()) return;
  cblas_dtrsv(CblasRowMajor, cblas(triangle), cblas(op), cblas(diagonal), to_int(a.rows()),
              a.data(), to_int(a.leading()), x.data(), to_int(x.stride()));
}
void solve_triangular(Half triangle, Transpose op, MatrixView<const float> a, VectorView<float> x,
                      Diagonal diagonal) {
  require_square("solve_triangular", a.rows(), a.cols());
  require_equal("solve_triangular", a.rows(), x.size());
  if (a.empty()) return;
  cblas_strsv(CblasRowMajor, cblas(triangle), cblas(op), cblas(diagonal), to_int(a.rows()),
              a.data(), to_int(a.leading()), x.data(), to_int(x.stride()));
}

void solve_triangular(Side side, Half triangle, Transpose op, double alpha,
                      MatrixView<const double> a, MatrixView<double> b, Diagonal diagonal) {
  require_square("solve_triangular", a.rows(), a.cols());
  require_equal("solve_triangular", a.rows(), side == Side::left ? b.rows() : b.cols());
  if (b.empty()) return;
  count_products(b.rows(), b.cols(), (a.rows() + 1) / 2);
  cblas_dtrsm(CblasRowMajor, side == Side::left ? CblasLeft : CblasRight, cblas(triangle),
              cblas(op), cblas(diagonal), to_int(b.rows()), to_int(b.cols()), alpha, a.data(),
              to_int(a.leading()), b.data(), to_int(b.leading()));
}
void solve_triangular(Side side, Half triangle, Transpose op, float alpha,
                      MatrixView<const float> a, MatrixView<float> b, Diagonal diagonal) {
  require_square("solve_triangular", a.rows(), a.cols());
  require_equal("solve_triangular", a.rows(), side == Side::left ? b.rows() : b.cols());
  if (b.empty()) return;
  count_products(b.rows(), b.cols(), (a.rows() + 1) / 2);
  cblas_strsm(CblasRowMajor, side == Side::left ? CblasLeft : CblasRight, cblas(triangle),
              cblas(op), cblas(diagonal), to_int(b.rows()), to_int(b.cols()), alpha, a.data(),
              to_int(a.leading()), b.data(), to_int(b.leading()));
}

}  // namespace cauchy
