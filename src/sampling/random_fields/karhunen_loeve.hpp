#pragma once

#include <cauchy/math/matrix.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "sampling/random_fields/series_field.hpp"

namespace cauchy::detail {

/// The leading eigenpairs of a covariance on an interval,
///   integral of correlation(|x - y|) phi_i(y) dy = value_i phi_i(x) over [0, size].
struct KarhunenLoeve {
  std::vector<double> values;  ///< descending, not negative; all of them add up to `size`
  /// phi_i, orthonormal over the interval, positive at its lower end.
  std::shared_ptr<const AxisBasis> functions;
};

/// By Galerkin's method with Legendre polynomials; the kink of the correlation at 0 is an edge of
/// the quadrature, so that eigenvalues converge as fast as the eigenfunctions are smooth.
///   terms    at least 1
///   least    terms below `least` times the first value are left out
///   cost     some 50 terms^3 operations
[[nodiscard]] KarhunenLoeve karhunen_loeve(const std::function<double(double)>& correlation,
                                           double size, std::size_t terms, double least = 0);

}  // namespace cauchy::detail
