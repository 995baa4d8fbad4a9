#pragma once

#include <cstddef>

#include <cauchy/engine/activation.hpp>

#include "engine/backend/jet_tables.hpp"

namespace cauchy {

/// A stretch of n points of a basis operation: one row of its input and `size` rows of its result.
template <class T>
struct BasisRows {
  std::size_t n, block, ld, size;  ///< points of the stretch, of the block; rows are ld apart
  const T* derivatives;            ///< phi_j^(k) of point p at [(k * size + j) * n + p]
  T* work;                         ///< groups_begin.back() vectors
};

/// The SIMD kernels of one instruction set. B: points per block, a multiple of `lanes`; a row of a
/// value has n_components * B elements; ld: elements from one row to the next.
template <class T>
struct CpuKernels {
  std::size_t lanes;

  /// Z (M x N) = A X (+ bias in the first n_bias columns), or Z += A X; A from pack_panels.
  void (*gemm)(std::size_t M, std::size_t N, std::size_t K, const T* packed, const T* x,
               std::size_t ldx, T* z, std::size_t ldz, const T* bias, std::size_t n_bias,
               bool accumulate);
  /// G (M x K) += A B', inner products of rows over N columns.
  void (*gemm_dot)(std::size_t M, std::size_t K, std::size_t N, const T* a, std::size_t lda,
                   const T* b, std::size_t ldb, T* g, std::size_t ldg);

  void (*activation_forward)(const JetTables<T>& tables, Activation a, std::size_t rows,
                             std::size_t B, std::size_t ld, const T* z, T* h);
  /// h is the result of the forward sweep.
  void (*activation_backward)(const JetTables<T>& tables, Activation a, std::size_t rows,
                              std::size_t B, std::size_t ld, const T* z, const T* h, const T* h_bar,
                              T* z_bar, bool accumulate);

  /// One row: h = f * g, and f_bar += (or =) adjoint through g.
  void (*product_forward)(const JetTables<T>& tables, std::size_t B, const T* f, const T* g, T* h);
  void (*product_backward)(const JetTables<T>& tables, std::size_t B, const T* h_bar, const T* g,
                           T* f_bar);
  /// One row: q = f / g. The adjoint overwrites q_bar with f_bar and adds to g_bar (may be null).
  void (*divide_forward)(const JetTables<T>& tables, std::size_t B, const T* f, const T* g, T* q);
  void (*divide_backward)(const JetTables<T>& tables, std::size_t B, const T* g, const T* q,
                          T* q_bar, T* g_bar);

  /// One row z and its rows h_j = phi_j(z). Backward needs one derivative more than forward.
  void (*basis_forward)(const JetTables<T>& tables, const BasisRows<T>& rows, const T* z, T* h);
  void (*basis_backward)(const JetTables<T>& tables, const BasisRows<T>& rows, const T* z,
                         const T* h_bar, T* z_bar, bool accumulate);

  /// y = a x, y += a x, y += x .* w over n elements (a multiple of lanes).
  void (*scale)(std::size_t n, T a, const T* x, T* y);
  void (*axpy)(std::size_t n, T a, const T* x, T* y);
  void (*multiply_add)(std::size_t n, const T* x, const T* w, T* y);
  T (*dot)(std::size_t n, const T* x, const T* y);
  T (*sum)(std::size_t n, const T* x);
  /// z = b + sum_i w[i] x_i, with x_i at x + i * stride.
  void (*affine_row)(std::size_t B, std::size_t n_inputs, const T* w, T b, const T* x,
                     std::size_t stride, T* z);
};

/// Kernels of the best instruction set of this machine (or of the one that is forced for a test).
template <class T>
[[nodiscard]] const CpuKernels<T>& cpu_kernels();

}  // namespace cauchy
