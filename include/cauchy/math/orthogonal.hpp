#pragma once

#include <cauchy/math/matrix.hpp>  // MatrixView, VectorView
#include <span>
#include <vector>

namespace cauchy {

// Orthogonal factorisations of a row-major m x n matrix in its own memory, k = min(m, n). They have
// no failures: NaN and infinity go through. Shape misuse throws Error.

/// A = Q R, Q (m x m) orthogonal. The upper trapezoid of the first k rows of `a` becomes R, the
/// rest holds the k reflectors of Q, with their factors in `tau` (resized to k). O(2 m n^2).
void qr_factor(MatrixView<double> a, std::vector<double>& tau);
/// b <- Q b or Q' b, m entries, with what qr_factor left. O(4 m k).
void qr_apply(bool transposed, MatrixView<const double> factors, const std::vector<double>& tau,
              std::span<double> b);

/// A = L Q, Q (n x n) orthogonal. The lower trapezoid of the first k columns of `a` becomes L, the
/// rest holds the reflectors. O(2 n m^2).
void lq_factor(MatrixView<double> a, std::vector<double>& tau);
/// b <- Q b or Q' b, n entries, with what lq_factor left. O(4 n k).
void lq_apply(bool transposed, MatrixView<const double> factors, const std::vector<double>& tau,
              std::span<double> b);

}  // namespace cauchy
