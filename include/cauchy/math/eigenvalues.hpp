#pragma once

#include <complex>
#include <vector>

#include <cauchy/math/lapack.hpp>  // Factorization
#include <cauchy/math/matrix.hpp>

namespace cauchy {

/// Eigenvalues of a general square matrix, in the order of the QR iteration.
struct Eigenvalues {
  Factorization status = Factorization::ok;
  std::vector<std::complex<double>> values;
};
///   error    throws Error unless square
///   cost     about 10 n^3
[[nodiscard]] Eigenvalues eigenvalues(MatrixView<const double> a);

}  // namespace cauchy
