#pragma once

#include <cauchy/optimizers/objective.hpp>
#include <cstddef>
#include <span>

namespace cauchy {

/// A sum of squares f(x) = |r(x)|^2 of m residuals, with J = dr/dx (m x n) and gradient 2 J' r.
/// Weights and means are inside r: row i of a loss w / N * sum r_i^2 is sqrt(w / N) r_i. The order
/// of the residuals is fixed until the objective changes.
class LeastSquares : public Objective {
 public:
  /// Number of residuals m.
  [[nodiscard]] virtual std::size_t n_residuals() const = 0;
  /// r(x) into r, m entries.
  virtual void residuals(std::span<const double> x, std::span<double> r) = 0;
  /// r(x) and J(x), row-major m x n.
  virtual void jacobian(std::span<const double> x, std::span<double> r, std::span<double> j) = 0;
  /// J(x) v (m entries) and J(x)' w (n entries), without forming J.
  virtual void jacobian_times(std::span<const double> x, std::span<const double> v,
                              std::span<double> out) = 0;
  virtual void jacobian_transposed_times(std::span<const double> x, std::span<const double> w,
                                         std::span<double> out) = 0;
};

}  // namespace cauchy
