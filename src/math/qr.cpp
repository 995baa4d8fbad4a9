#include <cauchy/math/qr.hpp>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <climits>
#include <cmath>
#include <vector>

#include "math/dense_work.hpp"
#include "math/serial_blas.hpp"

extern "C" {
void sgeqrf_(const int*, const int*, float*, const int*, float*, float*, const int*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dgelqf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void sorgqr_(const int*, const int*, const int*, float*, const int*, const float*, float*,
             const int*, int*);
void dorgqr_(const int*, const int*, const int*, double*, const int*, const double*, double*,
             const int*, int*);
}

namespace cauchy {
namespace {

void geqrf(int m, int n, float* a, float* tau, float* work, int size, int* info) {
  sgeqrf_(&m, &n, a, &m, tau, work, &size, info);
}
void geqrf(int m, int n, double* a, double* tau, double* work, int size, int* info) {
  dgeqrf_(&m, &n, a, &m, tau, work, &size, info);
}
void orgqr(int m, int k, float* a, const float* tau, float* work, int size, int* info) {
  sorgqr_(&m, &k, &k, a, &m, tau, work, &size, info);
}
void orgqr(int m, int k, double* a, const double* tau, double* work, int size, int* info) {
  dorgqr_(&m, &k, &k, a, &m, tau, work, &size, info);
}

template <class T>
Qr<T> qr_of(MatrixView<const T> a) {
  const std::size_t rows = a.rows(), cols = a.cols(), k = std::min(rows, cols);
  if (std::max(rows, cols) > static_cast<std::size_t>(INT_MAX) / 64) {
    throw Error("the matrix is too large for LAPACK", "[math.qr]");
  }
  Qr<T> result{Factorization::ok, BasicMatrix<T>(rows, k), BasicMatrix<T>(k, cols)};
  if (k == 0) return result;
  std::vector<T> columns(rows * cols), tau(k);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      if (!std::isfinite(a(i, j))) return {Factorization::not_finite, {}, {}};
      columns[j * rows + i] = a(i, j);
    }
  }
  const int m = static_cast<int>(rows), n = static_cast<int>(cols), least = static_cast<int>(k);
  // Blocks of 64 columns are as wide as LAPACK uses them: no question for the size is needed.
  const int size = 64 * n;
  std::vector<T> work(static_cast<std::size_t>(size));
  int info = 0;
  // Factors, and as much again for Q.
  count_work(dense_work(4 * static_cast<double>(rows * cols) * static_cast<double>(k), k,
                        speed_of_reflections));
  geqrf(m, n, columns.data(), tau.data(), work.data(), size, &info);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = i; j < cols; ++j) result.r(i, j) = columns[j * rows + i];
  }
  orgqr(m, least, columns.data(), tau.data(), work.data(), size, &info);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < k; ++j) result.q(i, j) = columns[j * rows + i];
  }
  return result;
}

}  // namespace

Qr<double> qr(MatrixView<const double> a) { return qr_of(a); }
Qr<float> qr(MatrixView<const float> a) { return qr_of(a); }

Factorization reduce_to_triangle(MatrixView<double> a) {
  const std::size_t rows = a.rows(), cols = a.cols(), k = std::min(rows, cols);
  if (std::max(rows, cols) > static_cast<std::size_t>(INT_MAX) / 64) {
    throw Error("the matrix is too large for LAPACK", "[math.qr]");
  }
  if (!a.is_contiguous()) throw Error("the matrix must be contiguous", "[math.qr]");
  if (k == 0) return Factorization::ok;
  for (std::size_t i = 0; i < rows * cols; ++i) {
    if (!std::isfinite(a.data()[i])) return Factorization::not_finite;
  }
  // Read by columns the matrix is A' = L Q, and the lower triangle L lies where R = L' belongs.
  const int m = static_cast<int>(cols), n = static_cast<int>(rows), size = 64 * m;
  std::vector<double> tau(k), work(static_cast<std::size_t>(size));
  int info = 0;
  count_work(dense_work(2 * static_cast<double>(rows * cols) * static_cast<double>(k), k,
                        speed_of_reflections));
  dgelqf_(&m, &n, a.data(), &m, tau.data(), work.data(), &size, &info);
  for (std::size_t i = 0; i < rows; ++i) {
    std::fill_n(a.data() + i * cols, std::min(i, cols), 0.0);
  }
  return Factorization::ok;
}

}  // namespace cauchy
