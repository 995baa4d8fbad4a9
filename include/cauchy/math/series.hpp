#pragma once

#include <complex>
#include <functional>
#include <span>
#include <vector>

namespace cauchy {

/// Coefficients of a function in a family that is orthonormal for <f, g> = int_a^b f g w dx.
///   c_k = <f, e_k>;  sum_k c_k^2 <= |f|^2 (Bessel), with equality for a complete family
struct GeneralizedSeries {
  std::vector<double> coefficients;
  double squared_norm = 0;  ///< |f|^2
  /// |f - sum_(k<n) c_k e_k|, by Pythagoras.
  [[nodiscard]] double residual(std::size_t n) const;
};
///   basis    e(k, x); n functions
///   weight   of the product; empty: 1
///   breaks   places inside (a, b) where f jumps, in ascending order: the quadrature stops there
///   error    throws Error unless a < b. Relative 1e-12 for functions that are smooth between the
///            breaks and whose basis has up to about `panels` x 10 waves
[[nodiscard]] GeneralizedSeries generalized_series(
    const std::function<double(double)>& f, const std::function<double(std::size_t, double)>& basis,
    std::size_t n, double a, double b, const std::function<double(double)>& weight = {},
    std::span<const double> breaks = {}, std::size_t panels = 64);

/// c_k = 1/(2 pi) int_(-pi)^pi f(x) exp(-i k x) dx for k = -n, ..., n.
[[nodiscard]] std::vector<std::complex<double>> fourier_coefficients(
    const std::function<double(double)>& f, std::size_t n, std::span<const double> breaks = {});
/// The partial sum of c_(-n) to c_n at x, of a real function.
[[nodiscard]] double fourier_sum(std::span<const std::complex<double>> coefficients, double x);

/// Heat kernel of u_t = lap u in R^d: (4 pi t)^(-d/2) exp(-r^2 / (4 t)), t > 0.
[[nodiscard]] double heat_kernel(double r, double t, int d);
/// Heat kernel of the interval (0, length) with u = 0 at both ends, by its eigenfunctions:
///   sum_n 2/length sin(n pi x / length) sin(n pi y / length) exp(-(n pi / length)^2 t)
/// summed until the terms are below 1e-17 of the largest possible one.
[[nodiscard]] double interval_heat_kernel(double x, double y, double t, double length);

}  // namespace cauchy
