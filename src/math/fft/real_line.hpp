#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "math/fft/line.hpp"

namespace cauchy::detail {

/// One row of n >= 1 real numbers to its n/2 + 1 complex coefficients (interleaved) and back.
///   n even                     a complex transform of length n/2 and one sweep
///   n prime, n - 1 13-smooth   Rader with real convolutions of length n - 1
///   other odd n                the complex transform of length n with imaginary part zero
template <class T>
class FftRealLine final {
 public:
  explicit FftRealLine(std::size_t n);

  [[nodiscard]] std::size_t work_size() const;
  void forward(const T* in, T* out, T* work) const;
  /// Scaled by 1/n. Imaginary parts of out[0], and of out[n/2] for even n, are ignored.
  void inverse(const T* in, T* out, T* work) const;

 private:
  /// a <- a (*) kernel with the given spectrum; returns the sum of a before.
  T convolve(T* a, const std::vector<T>& kernel, T* work) const;

  std::size_t n_;
  std::unique_ptr<FftLine<T>> line_;  // n even: length n/2; n odd: length n
  std::vector<T> twiddle_re_, twiddle_im_;
  std::unique_ptr<FftRealLine> inner_;  // Rader only
  std::vector<T> forward_kernel_, inverse_kernel_;
  std::vector<std::size_t> gather_, scatter_;
};

}  // namespace cauchy::detail
