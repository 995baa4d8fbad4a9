#pragma once

#include <cauchy/math/lapack.hpp>
#include <cauchy/math/matrix.hpp>
#include <cstddef>
#include <span>
#include <vector>

// Dense linear least squares with damping, for one matrix and several dampings.

namespace cauchy::detail {

/// Solves min |J d + r|^2 + mu |d|^2 for a fixed J (m x n) and any mu and r. J J' or J'J or the QR
/// factors of J are computed once and kept until set() is called again.
class DampedSolver {
 public:
  /// Takes J, which must stay in place. `sample`: m x m equations instead of n x n ones. Below
  /// qr_below, mu is solved for with orthogonal factors, which overwrite J and serve from then on;
  /// above it by Cholesky, unless that fails. 0: never, infinity: always.
  void set(MatrixView<double> j, bool sample, double qr_below);
  /// True when J has been overwritten by its factors.
  [[nodiscard]] bool factored() const noexcept { return factored_; }
  /// d for mu >= 0. In QR a sqrt(mu) below the rounding errors of J, max(m, n) eps max |R_jj|,
  /// gives the step of least norm, in which singular values at that level count as zero. Returns
  /// false when d is not finite or J is zero.
  bool solve(double mu, std::span<const double> r, std::span<double> d);

  /// out = J v, also after J was overwritten.
  void times(std::span<const double> v, std::span<double> out) const;

  /// Most doubles that set() and solve() hold beside J at any time, but for vectors.
  [[nodiscard]] static double extra_doubles(double m, double n, bool sample, bool qr) noexcept;

 private:
  bool factor_cholesky(double mu);
  bool solve_cholesky(double mu, std::span<const double> r, std::span<double> d);
  bool solve_qr(double mu, std::span<const double> r, std::span<double> d);
  void factor_j();
  void factor_stack(double mu);
  void copy_triangle(MatrixView<double> to) const;
  bool solve_truncated(std::span<const double> r, std::span<double> d);

  MatrixView<double> j_;
  bool sample_ = false, factored_ = false, has_gram_ = false;
  double qr_below_ = 0, factored_mu_ = -1;  ///< mu of cholesky_ or stack_, -1: none
  Matrix gram_, stack_;
  Cholesky<double> cholesky_;
  double largest_ = 0;  ///< of |R_jj|
  std::vector<double> tau_, stack_tau_, work_;
};

}  // namespace cauchy::detail
