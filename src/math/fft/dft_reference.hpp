#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "math/fft/roots.hpp"

namespace cauchy::detail {

/// X[k] = sum_j x[j] exp(-2 pi i j k / n) by the definition, in long double: the plain O(n^2)
/// reference of the FFT. sign = +1 gives the inverse without its factor 1/n.
template <class T>
std::vector<std::complex<long double>> dft_reference(std::span<const std::complex<T>> x,
                                                     int sign = -1) {
  const std::size_t n = x.size();
  std::vector<std::complex<long double>> root(n), result(n);
  for (std::size_t j = 0; j < n; ++j) {
    root[j] = sign < 0 ? unit_root(j, n) : std::conj(unit_root(j, n));
  }
  for (std::size_t k = 0; k < n; ++k) {
    long double re = 0, im = 0;
    for (std::size_t j = 0, t = 0; j < n; ++j, t = (t + k) % n) {
      const long double a = x[j].real(), b = x[j].imag();
      re += a * root[t].real() - b * root[t].imag();
      im += a * root[t].imag() + b * root[t].real();
    }
    result[k] = {re, im};
  }
  return result;
}

}  // namespace cauchy::detail
