#pragma once

#include <cauchy/math/lapack.hpp>  // Factorization, Matrix, MatrixView

namespace cauchy {

/// Thin factorization A = Q R of an m x n matrix, k = min(m, n).
template <class T>
struct Qr {
  Factorization status = Factorization::ok;
  BasicMatrix<T> q;  ///< m x k, orthonormal columns, also when A does not have full rank
  BasicMatrix<T> r;  ///< k x n, upper triangular; signs of the diagonal are not fixed
};
/// By Householder reflections, O(m n k). Status ok or not_finite.
Qr<double> qr(MatrixView<const double> a);
Qr<float> qr(MatrixView<const float> a);

/// R alone, in the place of A: upper triangular, zero below, rows beyond n zero. Needs no memory
/// beside A; A must be contiguous (else Error). Status ok or not_finite.
Factorization reduce_to_triangle(MatrixView<double> a);

}  // namespace cauchy
