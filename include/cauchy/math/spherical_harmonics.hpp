#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/math/sphere_grid.hpp>

namespace cauchy {

class Threads;

// Spherical harmonics, orthonormal on the unit sphere and with the phase of Condon and Shortley:
//   Y_lm(theta, lambda) = P_lm(cos theta) exp(i m lambda),  integral of Y_lm conj(Y_kn) = delta
//   P_lm = (-1)^m sqrt((2l+1)/(4 pi) (l-m)!/(l+m)!) (1-x^2)^(m/2) d^m/dx^m P_l(x)
// A real field is known by its coefficients of m >= 0:
//   f = sum_l [ a_l0 P_l0 + 2 Re sum_{m>=1} a_lm P_lm exp(i m lambda) ],  l = 0 ... degree
// since a_l,-m = (-1)^m conj(a_lm). They are stored order by order, all degrees of m = 0 first.
// Fields of vectors have an eastward component u and a northward component v, and are sums over
// the orthonormal fields
//   spheroidal  grad Y_lm / sqrt(l (l+1))      (divergence -sqrt(l (l+1)) Y_lm, no vorticity)
//   toroidal    k x grad Y_lm / sqrt(l (l+1))  (vorticity -sqrt(l (l+1)) Y_lm, no divergence)
// of degrees l >= 1, k pointing upwards.

using SphereSpectrum = std::vector<std::complex<double>>;

/// Number of coefficients up to a degree: (degree + 1) (degree + 2) / 2.
[[nodiscard]] constexpr std::size_t spectrum_size(std::size_t degree) noexcept {
  return (degree + 1) * (degree + 2) / 2;
}
/// Where the coefficient (l, m) stands, 0 <= m <= l <= degree.
[[nodiscard]] constexpr std::size_t spectrum_index(std::size_t degree, std::size_t l,
                                                   std::size_t m) noexcept {
  return m * (2 * degree + 3 - m) / 2 + (l - m);
}

/// Transforms between coefficients up to a degree and values on a grid.
///   method    Fourier transforms along the circles; per order m two matrix products with tables of
///             Legendre functions, for even and odd l - m on one hemisphere. Tables are made by the
///             recursion in l in extended precision and range: no underflow near the poles.
///   error     there and back some 1e-13 at degree 180 and 3e-13 at 512, for coefficients of
///             order 1
///   cost      O(degree^2 n_latitudes); the tables take 2 (degree + 1) (degree + 2) n_latitudes
///             bytes for scalars, three times that with vectors
///   batches   all arrays may hold several fields or spectra, one behind the other
///   adjoints  of the linear maps between the real numbers of both sides: <S a, f> = <a, S* f> with
///             the plain sums of products, and Re(conj(a) b) for coefficients. Imaginary parts of
///             m = 0, which no real field has, are ignored and given as 0.
/// Immutable, cheap to copy, usable from several threads. Same bits for any number of threads.
class SphericalTransform final {
 public:
  using Complex = std::complex<double>;

  ///   error    throws Error when the grid does not carry the degree (SphereGrid::max_degree), with
  ///            the sizes that would; when the tables do not fit into memory
  SphericalTransform(SphereGrid grid, std::size_t degree, bool vectors = true);

  [[nodiscard]] const SphereGrid& grid() const noexcept;
  [[nodiscard]] std::size_t degree() const noexcept;
  /// Numbers of coefficients and of points of one field.
  [[nodiscard]] std::size_t n_coefficients() const noexcept;
  [[nodiscard]] std::size_t n_points() const noexcept;

  // Sizes that do not fit throw Error; so do vectors when none were asked for. Outputs must not
  // overlap inputs.

  /// f = S a: values of the field.
  void synthesize(std::span<const Complex> a, std::span<double> f, Threads* threads = {}) const;
  /// a_lm = integral of f conj(Y_lm) by the rule of the grid: the inverse of S on its range.
  void analyze(std::span<const double> f, std::span<Complex> a, Threads* threads = {}) const;
  void synthesize_adjoint(std::span<const double> f, std::span<Complex> a,
                          Threads* threads = {}) const;
  void analyze_adjoint(std::span<const Complex> a, std::span<double> f,
                       Threads* threads = {}) const;

  /// (u, v) of spheroidal coefficients s and toroidal coefficients t; those of l = 0 are ignored.
  void synthesize_vector(std::span<const Complex> s, std::span<const Complex> t,
                         std::span<double> u, std::span<double> v, Threads* threads = {}) const;
  void analyze_vector(std::span<const double> u, std::span<const double> v, std::span<Complex> s,
                      std::span<Complex> t, Threads* threads = {}) const;
  void synthesize_vector_adjoint(std::span<const double> u, std::span<const double> v,
                                 std::span<Complex> s, std::span<Complex> t,
                                 Threads* threads = {}) const;
  void analyze_vector_adjoint(std::span<const Complex> s, std::span<const Complex> t,
                              std::span<double> u, std::span<double> v,
                              Threads* threads = {}) const;

  /// The wind of a vorticity and a divergence on a sphere of this radius; their means (l = 0) are
  /// ignored, since no wind has them. analyze_wind is its inverse.
  void synthesize_wind(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                       double radius, std::span<double> u, std::span<double> v,
                       Threads* threads = {}) const;
  void analyze_wind(std::span<const double> u, std::span<const double> v, double radius,
                    std::span<Complex> vorticity, std::span<Complex> divergence,
                    Threads* threads = {}) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Multiplies by the eigenvalues -l (l+1) / radius^2 of the Laplacian; the inverse leaves l = 0 at
/// 0. In place; the degree is that of the spectrum.
///   error    throws Error when the size is that of no degree
void apply_laplacian(std::span<std::complex<double>> spectrum, double radius = 1);
void invert_laplacian(std::span<std::complex<double>> spectrum, double radius = 1);
/// The degree of a spectrum with so many coefficients.
[[nodiscard]] std::size_t degree_of_spectrum(std::size_t size);

/// sum_m |a_lm|^2 over all -l <= m <= l, for every l: adds up to the integral of f^2.
[[nodiscard]] std::vector<double> power_spectrum(std::span<const std::complex<double>> spectrum);

/// The values of one field at any points, without a grid: O(degree^2) per point.
[[nodiscard]] std::vector<double> evaluate_spectrum(std::span<const std::complex<double>> spectrum,
                                                    std::span<const double> colatitudes,
                                                    std::span<const double> longitudes);

/// The field turned by the rotation Rz(alpha) Ry(beta) Rz(gamma) of space (z to the north pole, x
/// to longitude 0), g(p) = f(R^-1 p), by Wigner's functions d^l_mn(beta) from the three-term
/// recursion in l; alpha or gamma alone shifts longitudes. O(degree^3).
///   error    throws Error for angles that are not finite
[[nodiscard]] SphereSpectrum rotated(std::span<const std::complex<double>> spectrum, double alpha,
                                     double beta, double gamma);

}  // namespace cauchy
