#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "math/fft/kernels.hpp"

namespace cauchy::detail {

/// One-dimensional complex transform of length n >= 1 over `lanes` columns at once.
///   prime factors <= 31            Stockham passes, O(n sum of radices)
///   n prime, n - 1 13-smooth       Rader: a cyclic convolution of length n - 1
///   everything else                Bluestein: a convolution of length >= 2n - 1
/// The plan is immutable; run() writes only to out and work.
template <class T>
class FftLine final {
 public:
  explicit FftLine(std::size_t n);

  [[nodiscard]] std::size_t size() const { return n_; }
  /// Numbers of T that run() needs as work space.
  [[nodiscard]] std::size_t work_size(std::size_t lanes) const;
  /// out = scale * DFT(in). in and out are the same rows or disjoint. Split rows must have
  /// stride = lanes, and scale = 1 when out is split.
  void run(const FftRows<T>& in, const FftRows<T>& out, std::size_t lanes, T scale, T* work) const;

 private:
  enum class Method { stockham, rader, bluestein };

  void plan_stockham();
  void plan_rader();
  void plan_bluestein();
  void run_stockham(const FftRows<T>& in, const FftRows<T>& out, std::size_t lanes, T scale,
                    T* work) const;
  void run_rader(const FftRows<T>& in, const FftRows<T>& out, std::size_t lanes, T scale,
                 T* work) const;
  void run_bluestein(const FftRows<T>& in, const FftRows<T>& out, std::size_t lanes, T scale,
                     T* work) const;
  void set_kernel(std::vector<double> re, std::vector<double> im);
  void convolve(T* re, T* im, std::size_t lanes, T* work, T* x0_re = nullptr,
                T* x0_im = nullptr) const;
  void copy_rows(const FftRows<T>& in, const FftRows<T>& out, std::size_t lanes, T scale) const;

  std::size_t n_;
  Method method_ = Method::stockham;
  std::vector<FftStage<T>> stages_;
  std::vector<T> table_re_, table_im_;    // twiddles and roots of the stages
  std::unique_ptr<FftLine> inner_;        // of the convolution
  std::vector<T> kernel_re_, kernel_im_;  // spectrum of the convolution kernel / its length
  std::vector<T> chirp_re_, chirp_im_;    // Bluestein: exp(-pi i j^2 / n)
  std::vector<std::size_t> gather_;       // Rader: g^q mod n
  std::vector<std::size_t> scatter_;      // Rader: g^-q mod n
};

/// Space for a split array of n numbers, padded so that equal arrays do not share cache sets.
[[nodiscard]] constexpr std::size_t fft_padded(std::size_t n) { return n + 32; }

/// True when no prime factor of n exceeds `bound`.
[[nodiscard]] bool fft_is_smooth(std::size_t n, std::size_t bound);

/// g^q mod n for q < n - 1, with g the smallest primitive root of the odd prime n.
[[nodiscard]] std::vector<std::size_t> fft_generator_powers(std::size_t n);

/// True when the line of length n is best done by Rader's convolution.
[[nodiscard]] bool fft_uses_rader(std::size_t n);

}  // namespace cauchy::detail
