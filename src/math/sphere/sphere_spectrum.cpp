#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/spherical_harmonics.hpp>

#include "math/sphere/legendre_sweep.hpp"

namespace cauchy {
namespace {

constexpr const char* spectrum_place = "[math.spherical_harmonics]";

template <class Factor>
void scale_degrees(std::span<std::complex<double>> a, Factor factor) {
  const std::size_t L = degree_of_spectrum(a.size());
  for (std::size_t m = 0; m <= L; ++m) {
    for (std::size_t l = m; l <= L; ++l) {
      a[spectrum_index(L, l, m)] *= factor(static_cast<double>(l));
    }
  }
}

}  // namespace

std::size_t degree_of_spectrum(std::size_t size) {
  const auto near = static_cast<std::size_t>(std::sqrt(2.0 * static_cast<double>(size)));
  for (std::size_t L = near > 2 ? near - 2 : 0; L <= near; ++L) {
    if (spectrum_size(L) == size) return L;
  }
  throw Error(fmt::format("{} numbers are the coefficients of no degree", size), spectrum_place,
              fmt::format("degree {} has {}", near > 0 ? near - 1 : 0,
                          spectrum_size(near > 0 ? near - 1 : 0)));
}

void apply_laplacian(std::span<std::complex<double>> spectrum, double radius) {
  scale_degrees(spectrum, [&](double l) { return -l * (l + 1) / (radius * radius); });
}

void invert_laplacian(std::span<std::complex<double>> spectrum, double radius) {
  scale_degrees(spectrum,
                [&](double l) { return l == 0 ? 0 : -(radius * radius) / (l * (l + 1)); });
}

std::vector<double> power_spectrum(std::span<const std::complex<double>> spectrum) {
  const std::size_t L = degree_of_spectrum(spectrum.size());
  std::vector<double> power(L + 1);
  for (std::size_t l = 0; l <= L; ++l) {
    const double mean = spectrum[l].real();
    power[l] = mean * mean;
    for (std::size_t m = 1; m <= l; ++m) {
      power[l] += 2 * std::norm(spectrum[spectrum_index(L, l, m)]);
    }
  }
  return power;
}

std::vector<double> evaluate_spectrum(std::span<const std::complex<double>> spectrum,
                                      std::span<const double> colatitudes,
                                      std::span<const double> longitudes) {
  if (colatitudes.size() != longitudes.size()) {
    throw Error(
        fmt::format("{} colatitudes and {} longitudes", colatitudes.size(), longitudes.size()),
        spectrum_place, "give both of every point");
  }
  const std::size_t L = degree_of_spectrum(spectrum.size());
  std::vector<double> values(colatitudes.size());
  std::vector<detail::LegendreSweep> sweeps;
  for (std::size_t m = 0; m <= L; ++m) sweeps.emplace_back(L, m);
  std::vector<long double> q(L + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long double x = std::cos(static_cast<long double>(colatitudes[i]));
    const long double sine = std::sin(static_cast<long double>(colatitudes[i]));
    const auto first = detail::sectoral_values(L, sine);
    long double sum = 0;
    for (std::size_t m = 0; m <= L; ++m) {
      sweeps[m](x, first[m], q);
      std::complex<long double> wave = 0;
      for (std::size_t l = m; l <= L; ++l) {
        wave += q[l - m] * std::complex<long double>(spectrum[spectrum_index(L, l, m)]);
      }
      const long double turn = static_cast<long double>(m) * longitudes[i];
      sum += m == 0 ? wave.real()
                    : 2 * sine * (wave.real() * std::cos(turn) - wave.imag() * std::sin(turn));
    }
    values[i] = static_cast<double>(sum);
  }
  return values;
}

}  // namespace cauchy
