#pragma once

#include <span>
#include <vector>

#include <cauchy/math/lapack.hpp>
#include <cauchy/math/matrix.hpp>

// Norms and bilinear forms of finite-dimensional spaces, which discretised function spaces are.

namespace cauchy {

/// (sum_i |x_i|^p)^(1/p) for p >= 1; the largest |x_i| for p = infinity. Without overflow or
/// underflow on the way; NaN where one is; 0 for no numbers.
///   error    throws Error unless p >= 1: below it is no norm
[[nodiscard]] double p_norm(std::span<const double> x, double p);
/// (sum_i w_i |f_i|^p)^(1/p): the norm of L^p by a quadrature with weights w >= 0. For p = infinity
/// the weights say only which points count: those with w > 0.
///   error    also for weights of another number, or negative ones
[[nodiscard]] double p_norm(std::span<const double> f, std::span<const double> weights, double p);

/// A bilinear form a(u, v) = v' A u over a space with the inner product (u, v) = v' G u.
struct FormReport {
  /// ok; not_positive_definite: G is no inner product; not_finite, not_converged.
  Factorization status = Factorization::ok;
  double asymmetry = 0;   ///< largest |a(u, v) - a(v, u)| / (|u| |v|) over the continuity constant
  double continuity = 0;  ///< M: the largest |a(u, v)| / (|u| |v|)
  double coercivity = 0;  ///< alpha: the smallest a(u, u) / |u|^2; not positive: not coercive
  double inf_sup = 0;     ///< the smallest over u of the largest |a(u, v)| / (|u| |v|) over v

  [[nodiscard]] bool symmetric(double tolerance = 1e-12) const { return asymmetry <= tolerance; }
  [[nodiscard]] bool coercive() const { return coercivity > 0; }
  /// Galerkin's answer is at most this times as wrong as the best one (Cea): M / alpha, and its
  /// root for symmetric forms. Infinite where the form is not coercive.
  [[nodiscard]] double cea() const;
};
/// Constants of the Lax-Milgram lemma by dense eigenvalues and singular values, O(n^3).
///   error    throws Error unless both matrices are square of the same size, at least 1
[[nodiscard]] FormReport examine_form(MatrixView<const double> a, MatrixView<const double> gram);

/// The representer h of a functional f(v) = sum_i f_i v_i: (h, v) = f(v) for all v. Its norm is
/// that of f, the largest f(v) / |v|.
struct Representer {
  Factorization status = Factorization::ok;
  std::vector<double> h;
  double norm = 0;
};
/// Solves G h = f by Cholesky factors.
[[nodiscard]] Representer riesz_representer(MatrixView<const double> gram,
                                            std::span<const double> f);

}  // namespace cauchy
