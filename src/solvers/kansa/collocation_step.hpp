#pragma once

#include <optional>
#include <span>
#include <vector>

#include <cauchy/math/lapack.hpp>

#include "solvers/kansa/collocation_system.hpp"

namespace cauchy::detail {

/// How a linearised collocation system is solved.
struct CollocationStepOptions {
  bool svd = false;       ///< else QR with column pivoting
  double cutoff = 1e-14;  ///< directions below this times the largest are dropped
  bool sides = false;     ///< with rows for the side conditions of the polynomial
  std::span<const double> mean_points = {};   ///< nodes of a mean over the domain
  std::span<const double> mean_weights = {};  ///< one per node
  double damping = 0;  ///< weight of rows that ask the change to be harmonic; 0: none
};

struct CollocationStep {
  Factorization status = Factorization::ok;
  std::vector<double> change;  ///< of the coefficients
  std::vector<double> scale;   ///< of the rows: 1 / largest element of the rows of a term
  std::size_t rank = 0;
  std::size_t free = 0;                  ///< linear polynomials that no row sees
  std::optional<double> condition = {};  ///< where singular values are known
};

/// The change of the coefficients that makes the linearised rows smallest in the least-squares
/// sense, never by an inverse. Rows of a term are scaled by their largest element, columns by that
/// of their field. What no row sees of a linear polynomial, such as a constant where all conditions
/// are on derivatives, gets mean 0.
///   residual  of the last linearize()
///   cost      O(rows * columns^2)
[[nodiscard]] CollocationStep collocation_step(const CollocationSystem& system,
                                               const RbfBasis& basis, std::size_t n_fields,
                                               std::span<const double> coefficients,
                                               std::span<const double> residual,
                                               const CollocationStepOptions& options);

}  // namespace cauchy::detail
