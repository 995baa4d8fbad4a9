#include "math/fft/real_line.hpp"

#include <algorithm>

#include "math/fft/roots.hpp"

namespace cauchy::detail {
namespace {

using std::size_t;

// The passes only read through these rows.
template <class T>
FftRows<T> interleaved(const T* x, bool swap = false) {
  return {.re = const_cast<T*>(x), .im = nullptr, .stride = 1, .interleaved = true, .swap = swap};
}

// Interleaved spectrum of a real row, computed in double for float plans too.
template <class T>
std::vector<T> spectrum(const std::vector<double>& row) {
  const FftRealLine<double> line(row.size());
  std::vector<double> work(line.work_size()), result(row.size() + 2);
  line.forward(row.data(), result.data(), work.data());
  return {result.begin(), result.end()};
}

}  // namespace

template <class T>
FftRealLine<T>::FftRealLine(size_t n) : n_(n) {
  if (n % 2 == 0) {
    line_ = std::make_unique<FftLine<T>>(n / 2);
    for (size_t k = 0; k < n / 2; ++k) {
      const auto w = unit_root(k, n);
      twiddle_re_.push_back(static_cast<T>(w.real()));
      twiddle_im_.push_back(static_cast<T>(w.imag()));
    }
  } else if (fft_uses_rader(n)) {
    gather_ = fft_generator_powers(n);
    scatter_ = gather_;
    std::reverse(scatter_.begin() + 1, scatter_.end());
    std::vector<double> minus, plus;  // cos - sin and cos + sin of 2 pi g^-q / n
    for (const size_t j : scatter_) {
      const auto w = unit_root(j, n);
      minus.push_back(static_cast<double>(w.real() + w.imag()));
      plus.push_back(static_cast<double>(w.real() - w.imag()));
    }
    forward_kernel_ = spectrum<T>(minus);
    inverse_kernel_ = spectrum<T>(plus);
    inner_ = std::make_unique<FftRealLine>(n - 1);
  } else {
    line_ = std::make_unique<FftLine<T>>(n);
  }
}

template <class T>
size_t FftRealLine<T>::work_size() const {
  if (inner_) return fft_padded(n_) + fft_padded(n_ + 1) + inner_->work_size();
  return 2 * fft_padded(line_->size()) + line_->work_size(1);
}

template <class T>
T FftRealLine<T>::convolve(T* a, const std::vector<T>& kernel, T* work) const {
  T* const c = work;
  T* const inner_work = c + fft_padded(n_ + 1);
  inner_->forward(a, c, inner_work);
  const T sum = c[0];
  for (size_t k = 0; k <= (n_ - 1) / 2; ++k) {
    const T re = c[2 * k], im = c[2 * k + 1];
    c[2 * k] = re * kernel[2 * k] - im * kernel[2 * k + 1];
    c[2 * k + 1] = re * kernel[2 * k + 1] + im * kernel[2 * k];
  }
  inner_->inverse(c, a, inner_work);
  return sum;
}

template <class T>
void FftRealLine<T>::forward(const T* in, T* out, T* work) const {
  if (inner_) {
    // With h = (n-1)/2: cos(2 pi g^-q / n) has period h in q and sin flips its sign, so one real
    // convolution d with cos - sin holds both parts: Re = (d[q] + d[q+h])/2, Im = (d[q] -
    // d[q+h])/2.
    T* const a = work;
    const size_t h = (n_ - 1) / 2;
    const T x0 = in[0];
    for (size_t q = 0; q < n_ - 1; ++q) a[q] = in[gather_[q]];
    const T sum = convolve(a, forward_kernel_, work + fft_padded(n_));
    out[0] = x0 + sum;
    out[1] = T(0);
    for (size_t q = 0; q < h; ++q) {
      const T re = x0 + T(0.5) * (a[q] + a[q + h]), im = T(0.5) * (a[q] - a[q + h]);
      const size_t k = scatter_[q];
      const bool upper = k > h;  // X[n-k] = conj X[k]
      out[2 * (upper ? n_ - k : k)] = re;
      out[2 * (upper ? n_ - k : k) + 1] = upper ? -im : im;
    }
    return;
  }
  const size_t length = line_->size();
  T* const zr = work;
  T* const zi = zr + fft_padded(length);
  T* const line_work = zi + fft_padded(length);
  const FftRows<T> z{.re = zr, .im = zi};
  if (n_ % 2 == 0) {
    line_->run(interleaved(in), z, 1, T(1), line_work);
    fft_real_split(zr, zi, length, twiddle_re_.data(), twiddle_im_.data(), out);
  } else {
    std::copy_n(in, n_, zr);
    std::fill_n(zi, n_, T(0));
    line_->run(z, z, 1, T(1), line_work);
    for (size_t k = 0; k <= n_ / 2; ++k) {
      out[2 * k] = zr[k];
      out[2 * k + 1] = zi[k];
    }
    out[1] = T(0);
  }
}

template <class T>
void FftRealLine<T>::inverse(const T* in, T* out, T* work) const {
  const T scale = T(1) / static_cast<T>(n_);
  if (inner_) {
    // x[j] = (X0 + sum_k H[k] cas(2 pi j k / n)) / n with H = Re X - Im X, cas = cos + sin.
    T* const a = work;
    const size_t h = (n_ - 1) / 2;
    const T x0 = in[0];
    for (size_t q = 0; q < n_ - 1; ++q) {
      const size_t k = gather_[q];
      a[q] = k > h ? in[2 * (n_ - k)] + in[2 * (n_ - k) + 1] : in[2 * k] - in[2 * k + 1];
    }
    const T sum = convolve(a, inverse_kernel_, work + fft_padded(n_));
    out[0] = (x0 + sum) * scale;
    for (size_t q = 0; q < n_ - 1; ++q) out[scatter_[q]] = (x0 + a[q]) * scale;
    return;
  }
  const size_t length = line_->size();
  T* const zr = work;
  T* const zi = zr + fft_padded(length);
  T* const line_work = zi + fft_padded(length);
  const FftRows<T> swapped{.re = zi, .im = zr};
  if (n_ % 2 == 0) {
    fft_real_merge(in, length, twiddle_re_.data(), twiddle_im_.data(), zr, zi);
    line_->run(swapped, interleaved(out, true), 1, T(1) / static_cast<T>(length), line_work);
  } else {
    zr[0] = in[0];
    zi[0] = T(0);
    for (size_t k = 1; k <= n_ / 2; ++k) {
      zr[k] = zr[n_ - k] = in[2 * k];
      zi[k] = in[2 * k + 1];
      zi[n_ - k] = -in[2 * k + 1];
    }
    line_->run(swapped, swapped, 1, T(1), line_work);
    for (size_t j = 0; j < n_; ++j) out[j] = zr[j] * scale;
  }
}

template class FftRealLine<float>;
template class FftRealLine<double>;

}  // namespace cauchy::detail
