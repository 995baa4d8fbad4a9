#include <cauchy/base/work.hpp>
#include <cauchy/math/fft.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/fft/axes.hpp"
#include "math/fft/real_line.hpp"

namespace cauchy {

using detail::fft_check_overlap;
using detail::fft_check_span;
using detail::fft_check_work;
using detail::fft_checked_size;
using std::size_t;

namespace {

constexpr const char* complex_place = "[math.fft]";
constexpr const char* real_place = "[math.real_fft]";

/// 5 n log2 n flops of a transform of n numbers, for each of them, half as fast as those of a
/// product; a call takes as long as some numbers more.
void fft_count_work(std::size_t numbers, std::size_t of_one) {
  constexpr double of_call = 100, slower = 2;
  const double n = static_cast<double>(numbers) + of_call;
  count_work(WorkKind::dense, slower * 5 * n * std::log2(static_cast<double>(of_one) + 1));
}

// std::complex<T> is layout-compatible with T[2].
template <class T>
const T* numbers(std::span<const std::complex<T>> x) {
  return reinterpret_cast<const T*>(x.data());
}
template <class T>
T* numbers(std::span<std::complex<T>> x) {
  return reinterpret_cast<T*>(x.data());
}

}  // namespace

template <class T>
struct Fft<T>::Impl {
  std::vector<size_t> shape;
  size_t batch, size;
  detail::FftAxes<T> axes;
  mutable detail::FftWorkPool<T> pool;

  Impl(std::span<const size_t> lengths, size_t count)
      : shape(lengths.begin(), lengths.end()),
        batch(count),
        size(fft_checked_size(lengths, count, complex_place)),
        axes(lengths, lengths.size()),
        pool(axes.work_size()) {}

  void check(std::span<const Complex> in, std::span<Complex> out) const {
    fft_check_span("in", in.size(), size, complex_place);
    fft_check_span("out", out.size(), size, complex_place);
    fft_check_overlap(std::as_bytes(in), std::as_bytes(out), true, complex_place);
  }

  void run(std::span<const Complex> in, std::span<Complex> out, bool inverse, T* work) const {
    const size_t step = 2 * (size / batch);
    for (size_t b = 0; b < batch; ++b) {
      const T* source = numbers(in) + b * step;
      T* target = numbers(out) + b * step;
      const T* result = axes.run(source, target, inverse, work);
      if (result != target) std::copy_n(result, step, target);
    }
  }
};

template <class T>
Fft<T>::Fft(std::span<const size_t> shape, size_t batch)
    : impl_(std::make_shared<const Impl>(shape, batch)) {}

template <class T>
Fft<T>::Fft(std::initializer_list<size_t> shape, size_t batch)
    : Fft(std::span<const size_t>(shape.begin(), shape.size()), batch) {}

template <class T>
const std::vector<size_t>& Fft<T>::shape() const noexcept {
  return impl_->shape;
}

template <class T>
size_t Fft<T>::batch() const noexcept {
  return impl_->batch;
}

template <class T>
size_t Fft<T>::size() const noexcept {
  return impl_->size;
}

template <class T>
size_t Fft<T>::work_size() const noexcept {
  return impl_->axes.work_size();
}

template <class T>
void Fft<T>::forward(std::span<const Complex> in, std::span<Complex> out) const {
  impl_->check(in, out);
  typename detail::FftWorkPool<T>::Loan work(impl_->pool);
  fft_count_work(in.size(), size());
  impl_->run(in, out, false, work.data());
}

template <class T>
void Fft<T>::inverse(std::span<const Complex> in, std::span<Complex> out) const {
  impl_->check(in, out);
  typename detail::FftWorkPool<T>::Loan work(impl_->pool);
  fft_count_work(in.size(), size());
  impl_->run(in, out, true, work.data());
}

template <class T>
void Fft<T>::forward(std::span<const Complex> in, std::span<Complex> out, std::span<T> work) const {
  impl_->check(in, out);
  fft_check_work(work.size(), work_size(), complex_place);
  fft_count_work(in.size(), size());
  impl_->run(in, out, false, work.data());
}

template <class T>
void Fft<T>::inverse(std::span<const Complex> in, std::span<Complex> out, std::span<T> work) const {
  impl_->check(in, out);
  fft_check_work(work.size(), work_size(), complex_place);
  fft_count_work(in.size(), size());
  impl_->run(in, out, true, work.data());
}

template <class T>
struct RealFft<T>::Impl {
  std::vector<size_t> shape;
  size_t batch, real_size;
  std::vector<size_t> half_shape;
  size_t half_size;  // complex numbers of one transform
  detail::FftAxes<T> axes;
  detail::FftRealLine<T> line;
  mutable detail::FftWorkPool<T> pool;

  static std::vector<size_t> halved(std::vector<size_t> shape) {
    shape.back() = shape.back() / 2 + 1;
    return shape;
  }

  Impl(std::span<const size_t> lengths, size_t count)
      : shape(lengths.begin(), lengths.end()),
        batch(count),
        real_size(fft_checked_size(lengths, count, real_place)),
        half_shape(halved(shape)),
        half_size(real_size / (batch * shape.back()) * half_shape.back()),
        axes(half_shape, shape.size() - 1),
        line(shape.back()),
        pool(work_size()) {}

  // The inverse of more than one axis keeps the partly transformed array in front of the work
  // space.
  [[nodiscard]] size_t copy_size() const {
    return shape.size() > 1 ? detail::fft_padded(2 * half_size) : 0;
  }
  [[nodiscard]] size_t work_size() const {
    return copy_size() + std::max(axes.work_size(), line.work_size());
  }

  void check(std::span<const T> real, std::span<const Complex> complex, bool inverse) const {
    fft_check_span(inverse ? "out" : "in", real.size(), real_size, real_place);
    fft_check_span(inverse ? "in" : "out", complex.size(), half_size * batch, real_place);
    fft_check_overlap(std::as_bytes(real), std::as_bytes(complex), false, real_place);
  }

  void forward(std::span<const T> in, std::span<Complex> out, T* work) const {
    const size_t n = shape.back(), n_half = half_shape.back(), rows = half_size / n_half;
    for (size_t b = 0; b < batch; ++b) {
      T* target = numbers(out) + 2 * b * half_size;
      for (size_t row = 0; row < rows; ++row) {
        line.forward(in.data() + (b * rows + row) * n, target + 2 * row * n_half, work);
      }
      axes.run(target, target, false, work);
    }
  }

  void inverse(std::span<const Complex> in, std::span<T> out, T* work) const {
    const size_t n = shape.back(), n_half = half_shape.back(), rows = half_size / n_half;
    for (size_t b = 0; b < batch; ++b) {
      T* const rest = work + copy_size();
      const T* source = axes.run(numbers(in) + 2 * b * half_size, work, true, rest);
      for (size_t row = 0; row < rows; ++row) {
        line.inverse(source + 2 * row * n_half, out.data() + (b * rows + row) * n, rest);
      }
    }
  }
};

template <class T>
RealFft<T>::RealFft(std::span<const size_t> shape, size_t batch)
    : impl_(std::make_shared<const Impl>(shape, batch)) {}

template <class T>
RealFft<T>::RealFft(std::initializer_list<size_t> shape, size_t batch)
    : RealFft(std::span<const size_t>(shape.begin(), shape.size()), batch) {}

template <class T>
const std::vector<size_t>& RealFft<T>::shape() const noexcept {
  return impl_->shape;
}

template <class T>
size_t RealFft<T>::batch() const noexcept {
  return impl_->batch;
}

template <class T>
size_t RealFft<T>::real_size() const noexcept {
  return impl_->real_size;
}

template <class T>
size_t RealFft<T>::complex_size() const noexcept {
  return impl_->half_size * impl_->batch;
}

template <class T>
size_t RealFft<T>::work_size() const noexcept {
  return impl_->work_size();
}

template <class T>
void RealFft<T>::forward(std::span<const T> in, std::span<Complex> out) const {
  impl_->check(in, out, false);
  typename detail::FftWorkPool<T>::Loan work(impl_->pool);
  fft_count_work(in.size() / 2, real_size());
  impl_->forward(in, out, work.data());
}

template <class T>
void RealFft<T>::inverse(std::span<const Complex> in, std::span<T> out) const {
  impl_->check(out, in, true);
  typename detail::FftWorkPool<T>::Loan work(impl_->pool);
  fft_count_work(out.size() / 2, real_size());
  impl_->inverse(in, out, work.data());
}

template <class T>
void RealFft<T>::forward(std::span<const T> in, std::span<Complex> out, std::span<T> work) const {
  impl_->check(in, out, false);
  fft_check_work(work.size(), work_size(), real_place);
  fft_count_work(in.size() / 2, real_size());
  impl_->forward(in, out, work.data());
}

template <class T>
void RealFft<T>::inverse(std::span<const Complex> in, std::span<T> out, std::span<T> work) const {
  impl_->check(out, in, true);
  fft_check_work(work.size(), work_size(), real_place);
  fft_count_work(out.size() / 2, real_size());
  impl_->inverse(in, out, work.data());
}

template class Fft<float>;
template class Fft<double>;
template class RealFft<float>;
template class RealFft<double>;

}  // namespace cauchy
