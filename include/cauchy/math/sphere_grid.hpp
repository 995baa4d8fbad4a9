#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

/// Where the circles of latitude of a grid stand, from north to south; x = cos(colatitude).
///   gauss_legendre   zeros of the Legendre polynomial P_n; integrates degree 2n - 1 in x
///   equiangular      colatitudes pi (i + 1/2) / n, without the poles (Fejer's rule); degree n - 1
///   clenshaw_curtis  colatitudes pi i / (n - 1), with both poles; degree n - 1
/// Each is symmetric about the equator, so that odd powers of x vanish at any degree.
enum class Latitudes : std::uint8_t { gauss_legendre, equiangular, clenshaw_curtis };
[[nodiscard]] std::string_view to_string(Latitudes latitudes) noexcept;

/// A grid of circles of latitude with equally spaced points on each. Fields on it are row-major
/// [latitude][longitude], the northernmost circle first, longitude j at 2 pi j / n_longitudes.
struct SphereGrid {
  Latitudes latitudes = Latitudes::gauss_legendre;
  std::size_t n_latitudes = 0, n_longitudes = 0;
  std::vector<double> x = {};        ///< cosines of the colatitudes, descending
  std::vector<double> weights = {};  ///< of the rule in x: integral over [-1, 1], sum 2

  [[nodiscard]] std::size_t size() const noexcept { return n_latitudes * n_longitudes; }
  /// Angles in radians: 0 at the north pole; -pi/2 to pi/2; 0 to 2 pi.
  [[nodiscard]] double colatitude(std::size_t i) const;
  [[nodiscard]] double latitude(std::size_t i) const;
  [[nodiscard]] double longitude(std::size_t j) const;
  /// The share of a point in the integral over the unit sphere; all of them add up to 4 pi.
  [[nodiscard]] double area(std::size_t i) const;
  /// The largest degree L for which products of two spherical harmonics are integrated exactly, and
  /// with it the transform there and back: n - 1 of Gauss, (n - 1) / 2 of the others, in both cases
  /// at most (n_longitudes - 1) / 2.
  [[nodiscard]] std::size_t max_degree() const noexcept;
};

///   error    throws Error for fewer than 2 latitudes or 4 longitudes
[[nodiscard]] SphereGrid sphere_grid(Latitudes latitudes, std::size_t n_latitudes,
                                     std::size_t n_longitudes);

/// The smallest Gauss grid on which products of `factors` fields of this degree are analysed
/// without aliasing: ((factors + 1) degree + 1) / 2 latitudes, made even, and twice as many
/// longitudes at least, of lengths that the Fourier transform likes. 2 factors: the 2/3 rule.
[[nodiscard]] SphereGrid gauss_grid(std::size_t degree, std::size_t factors = 1);

/// The integral over the unit sphere. The order of summation is fixed.
///   error    throws Error when the field has not the size of the grid
[[nodiscard]] double integrate(const SphereGrid& grid, std::span<const double> field);

}  // namespace cauchy
