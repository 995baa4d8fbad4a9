#include "math/sphere/plain_transform.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/math/spherical_harmonics.hpp>

#include "math/sphere/legendre_sweep.hpp"

namespace cauchy::detail {
namespace {

/// What a harmonic is at a point: its value, and the components of its vector fields.
struct Harmonic {
  std::complex<double> y, east, north;  // grad Y / sqrt(l (l+1)) = (east, north)
};

/// Calls use(point, coefficient, m, harmonic) for every point and harmonic.
template <class Use>
void for_harmonics(const SphereGrid& grid, std::size_t L, Use use) {
  std::vector<std::vector<long double>> p(L + 2, std::vector<long double>(L + 2));
  for (std::size_t i = 0; i < grid.n_latitudes; ++i) {
    const long double x = grid.x[i], sine = std::sqrt((1 - x) * (1 + x));
    const auto first = sectoral_values(L + 1, sine);
    for (std::size_t m = 0; m <= L + 1; ++m) LegendreSweep(L + 1, m)(x, first[m], p[m]);
    const auto value = [&](std::size_t l, std::size_t m) {
      return m > l ? 0 : m == 0 ? p[0][l] : p[m][l - m] * sine;
    };
    for (std::size_t m = 0; m <= L; ++m) {
      for (std::size_t l = m; l <= L; ++l) {
        const auto n = static_cast<long double>(l), k = static_cast<long double>(m);
        const long double up = std::sqrt((n - k) * (n + k + 1)) * value(l, m + 1);
        const long double down = m == 0 ? -up : std::sqrt((n + k) * (n - k + 1)) * value(l, m - 1);
        const long double norm = l == 0 ? 1 : std::sqrt(n * (n + 1));
        const auto v = static_cast<double>(value(l, m));
        const auto slope = static_cast<double>((up - down) / 2 / norm);
        const auto turn = static_cast<double>(m == 0 ? 0 : k * p[m][l - m] / norm);
        for (std::size_t j = 0; j < grid.n_longitudes; ++j) {
          const std::complex<double> wave =
              std::polar(1.0, static_cast<double>(m) * grid.longitude(j));
          use(i * grid.n_longitudes + j, spectrum_index(L, l, m), m,
              Harmonic{v * wave, std::complex<double>(0, turn) * wave, -slope * wave});
        }
      }
    }
  }
}

double both(std::size_t m, std::complex<double> z) { return m == 0 ? z.real() : 2 * z.real(); }

}  // namespace

void plain_synthesis(const SphereGrid& grid, std::size_t degree,
                     std::span<const std::complex<double>> a, std::span<double> f) {
  std::fill(f.begin(), f.end(), 0);
  for_harmonics(grid, degree, [&](std::size_t i, std::size_t k, std::size_t m, const Harmonic& h) {
    f[i] += both(m, a[k] * h.y);
  });
}

void plain_analysis(const SphereGrid& grid, std::size_t degree, std::span<const double> f,
                    std::span<std::complex<double>> a) {
  std::fill(a.begin(), a.end(), 0);
  for_harmonics(grid, degree, [&](std::size_t i, std::size_t k, std::size_t, const Harmonic& h) {
    a[k] += grid.area(i / grid.n_longitudes) * f[i] * std::conj(h.y);
  });
}

void plain_vector_synthesis(const SphereGrid& grid, std::size_t degree,
                            std::span<const std::complex<double>> s,
                            std::span<const std::complex<double>> t, std::span<double> u,
                            std::span<double> v) {
  std::fill(u.begin(), u.end(), 0);
  std::fill(v.begin(), v.end(), 0);
  // k x (east, north) = (-north, east).
  for_harmonics(grid, degree, [&](std::size_t i, std::size_t k, std::size_t m, const Harmonic& h) {
    u[i] += both(m, s[k] * h.east - t[k] * h.north);
    v[i] += both(m, s[k] * h.north + t[k] * h.east);
  });
}

void plain_vector_analysis(const SphereGrid& grid, std::size_t degree, std::span<const double> u,
                           std::span<const double> v, std::span<std::complex<double>> s,
                           std::span<std::complex<double>> t) {
  std::fill(s.begin(), s.end(), 0);
  std::fill(t.begin(), t.end(), 0);
  for_harmonics(grid, degree, [&](std::size_t i, std::size_t k, std::size_t, const Harmonic& h) {
    const double area = grid.area(i / grid.n_longitudes);
    s[k] += area * (u[i] * std::conj(h.east) + v[i] * std::conj(h.north));
    t[k] += area * (v[i] * std::conj(h.east) - u[i] * std::conj(h.north));
  });
}

}  // namespace cauchy::detail
