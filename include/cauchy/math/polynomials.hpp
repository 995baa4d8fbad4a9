#pragma once

#include <cauchy/math/matrix.hpp>  // MatrixView
#include <cstddef>
#include <span>

namespace cauchy {

/// A classical family of orthogonal polynomials p_0, p_1, ..., evaluated by its recurrence
///   p_{i+1}(x) = (a_i x + b_i) p_i(x) - c_i p_{i-1}(x),   p_0 = 1.
/// Derivatives come from the differentiated recurrence, so they are exact up to rounding for any x,
/// inside or outside the interval. A value type of three words; no call allocates.
class OrthogonalPolynomials final {
 public:
  /// Chebyshev T_i, weight 1/sqrt(1 - x^2) on (-1, 1); T_i(1) = 1.
  static OrthogonalPolynomials chebyshev_t() noexcept;
  /// Chebyshev U_i, weight sqrt(1 - x^2) on (-1, 1); U_i(1) = i + 1.
  static OrthogonalPolynomials chebyshev_u() noexcept;
  /// Legendre P_i, weight 1 on (-1, 1); P_i(1) = 1.
  static OrthogonalPolynomials legendre() noexcept;
  /// Jacobi P_i^(alpha, beta), weight (1-x)^alpha (1+x)^beta on (-1, 1); P_i(1) = binom(i+alpha,
  /// i). Error unless alpha, beta > -1 and finite.
  static OrthogonalPolynomials jacobi(double alpha, double beta);
  /// Physicists' Hermite H_i, weight exp(-x^2) on the line; leading coefficient 2^i.
  static OrthogonalPolynomials hermite() noexcept;
  /// Probabilists' Hermite He_i, weight exp(-x^2/2) on the line; monic.
  static OrthogonalPolynomials hermite_probabilists() noexcept;
  /// Generalised Laguerre L_i^(alpha), weight x^alpha exp(-x) on x > 0. Error unless alpha > -1.
  static OrthogonalPolynomials laguerre(double alpha = 0);

  /// Coefficients of step i of the recurrence above; c_0 = 0.
  struct Step {
    double a, b, c;
  };
  [[nodiscard]] Step step(std::size_t i) const noexcept;

  /// values[i] = p_i(x) for i = 0 .. values.size() - 1. O(n).
  void evaluate(double x, std::span<double> values) const noexcept;

  /// out(k, i) = k-th derivative of p_i at x, for all rows k and columns i of out. O(rows * cols).
  void evaluate(double x, MatrixView<double> out) const noexcept;

  /// sum_i coefficients[i] p_i(x) by Clenshaw's backward recurrence; 0 for no coefficients. O(n).
  [[nodiscard]] double series(std::span<const double> coefficients, double x) const noexcept;

  /// Integral of weight * p_i^2 over the family's interval.
  [[nodiscard]] double norm_squared(std::size_t i) const noexcept;

 private:
  enum class Family { chebyshev_t, chebyshev_u, legendre, jacobi, hermite, hermite_prob, laguerre };
  explicit OrthogonalPolynomials(Family family, double alpha = 0, double beta = 0) noexcept
      : family_(family), alpha_(alpha), beta_(beta) {}

  Family family_;
  double alpha_, beta_;
};

}  // namespace cauchy
