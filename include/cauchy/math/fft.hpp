#pragma once

#include <complex>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace cauchy {

/// Plan of a complex discrete Fourier transform over 1 to 3 axes of any length, `batch` times.
///   forward  X[k] = sum_j x[j] exp(-2 pi i (j0 k0 / n0 + j1 k1 / n1 + ...)), no factor
///   inverse  x[j] = 1/N sum_k X[k] exp(+2 pi i ...), so that inverse(forward(x)) = x
///   layout   row-major [batch][n0][n1][n2], last axis contiguous
///   error    relative L2 below eps log2(4N) for random data, 6 times that in the worst case
///            (N = product of the shape; primes included)
///   cost     O(N log N) per transform for every length; building a plan costs a few transforms
/// A plan is immutable and cheap to copy. forward and inverse may run on one plan from several
/// threads. They take work space from the caller, or from a pool inside the plan that grows only
/// when more threads are inside than ever before: no allocation per call otherwise.
/// The bits of a result depend on the shape and the data only: not on the batch, on threads, nor on
/// the instruction set. T is float or double.
template <class T>
class Fft final {
 public:
  using Complex = std::complex<T>;

  /// Throws Error when the rank is not 1 to 3, or a length or the batch is 0 or far too large.
  explicit Fft(std::span<const std::size_t> shape, std::size_t batch = 1);
  Fft(std::initializer_list<std::size_t> shape, std::size_t batch = 1);

  [[nodiscard]] const std::vector<std::size_t>& shape() const noexcept;
  [[nodiscard]] std::size_t batch() const noexcept;
  /// Elements of in and of out: batch times the product of the shape.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Elements of the work space.
  [[nodiscard]] std::size_t work_size() const noexcept;

  /// in and out have size() elements and are the same memory or disjoint; else Error.
  void forward(std::span<const Complex> in, std::span<Complex> out) const;
  void inverse(std::span<const Complex> in, std::span<Complex> out) const;
  /// The same with work space of the caller, at least work_size() elements; never allocates.
  void forward(std::span<const Complex> in, std::span<Complex> out, std::span<T> work) const;
  void inverse(std::span<const Complex> in, std::span<Complex> out, std::span<T> work) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Plan of a real transform: the non-redundant half of the complex one, see Fft.
///   real     [batch][n0][n1][n2]
///   complex  [batch][n0][n1][n2/2 + 1] (division rounds down; the last axis is halved at any rank)
///   inverse  takes the last length from the plan, odd or even, and treats the array as the half of
///            a Hermitian one: what cannot belong to a real result (such as imaginary parts of
///            X[0] and, for even n, X[n/2] in one dimension) is ignored
/// Same conventions, error, cost and thread rules as Fft.
template <class T>
class RealFft final {
 public:
  using Complex = std::complex<T>;

  explicit RealFft(std::span<const std::size_t> shape, std::size_t batch = 1);
  RealFft(std::initializer_list<std::size_t> shape, std::size_t batch = 1);

  /// Shape of the real array.
  [[nodiscard]] const std::vector<std::size_t>& shape() const noexcept;
  [[nodiscard]] std::size_t batch() const noexcept;
  [[nodiscard]] std::size_t real_size() const noexcept;
  [[nodiscard]] std::size_t complex_size() const noexcept;
  [[nodiscard]] std::size_t work_size() const noexcept;

  /// in has real_size(), out complex_size() elements, disjoint; else Error. in is left unchanged.
  void forward(std::span<const T> in, std::span<Complex> out) const;
  void inverse(std::span<const Complex> in, std::span<T> out) const;
  void forward(std::span<const T> in, std::span<Complex> out, std::span<T> work) const;
  void inverse(std::span<const Complex> in, std::span<T> out, std::span<T> work) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

extern template class Fft<float>;
extern template class Fft<double>;
extern template class RealFft<float>;
extern template class RealFft<double>;

}  // namespace cauchy
