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

}  // namespace cauchy
