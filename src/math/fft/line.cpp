#include "math/fft/line.hpp"

#include <algorithm>
#include <utility>

#include "math/fft/roots.hpp"

namespace cauchy::detail {
namespace {

using std::size_t;

// Radices in the order of the passes. Fours come first: a first pass over one row vectorises best
// with them, and it makes the following passes long enough for whole vectors.
std::vector<size_t> radices_of(size_t n) {
  std::vector<size_t> radices;
  size_t twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  if (twos == 1 || twos == 3) radices.push_back(2), --twos;
  if (twos >= 2) radices.push_back(4), twos -= 2;
  while (twos >= 3 && twos != 4) radices.push_back(8), twos -= 3;
  for (; twos >= 2; twos -= 2) radices.push_back(4);
  for (size_t p = 3; n > 1; p += 2) {
    for (; n % p == 0; n /= p) radices.push_back(p);
  }
  return radices;
}

bool is_prime(size_t n) {
  for (size_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return false;
  }
  return n > 1;
}

// Smallest length >= n that has no factor above 7 and is a multiple of 4.
size_t convolution_length(size_t n) {
  size_t m = (n + 3) / 4 * 4;
  while (!fft_is_smooth(m, 7)) m += 4;
  return m;
}

// A plain loop: rows are often one number long, too short for a call of memmove.
template <class T>
inline void copy_row(const T* from, T* to, size_t lanes) {
  if (lanes == 1) {
    *to = *from;
  } else {
    for (size_t lane = 0; lane < lanes; ++lane) to[lane] = from[lane];
  }
}

}  // namespace

bool fft_is_smooth(size_t n, size_t bound) {
  for (size_t p = 2; p <= bound; ++p) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

bool fft_uses_rader(size_t n) {
  return n > fft_max_radix && fft_is_smooth(n - 1, 13) && is_prime(n);
}

std::vector<size_t> fft_generator_powers(size_t n) {
  std::vector<size_t> powers(n - 1);
  for (size_t g = 2;; ++g) {
    size_t value = 1, q = 0;
    do {
      powers[q++] = value;
      value = value * g % n;
    } while (value != 1);
    if (q == n - 1) return powers;
  }
}

template <class T>
FftLine<T>::FftLine(size_t n) : n_(n) {
  if (fft_is_smooth(n, fft_max_radix)) {
    plan_stockham();
  } else if (fft_uses_rader(n)) {
    method_ = Method::rader;
    plan_rader();
  } else {
    method_ = Method::bluestein;
    plan_bluestein();
  }
}

template <class T>
void FftLine<T>::plan_stockham() {
  const auto append = [this](std::complex<long double> w) {
    table_re_.push_back(static_cast<T>(w.real()));
    table_im_.push_back(static_cast<T>(w.imag()));
  };
  const std::vector<size_t> radices = radices_of(n_);
  size_t su = 1;
  for (const size_t radix : radices) {
    const size_t length = n_ / su, m = length / radix;
    for (size_t k = 1; k < radix && m > 1; ++k) {
      for (size_t p = 0; p < m; ++p) append(unit_root(p * k, length));
    }
    for (size_t j = 0; j < radix && radix % 2 == 1; ++j) append(std::conj(unit_root(j, radix)));
    su *= radix;
  }
  size_t offset = 0;
  su = 1;
  for (const size_t radix : radices) {
    const size_t m = n_ / (su * radix), n_twiddles = m > 1 ? (radix - 1) * m : 0;
    const T* const re = table_re_.data() + offset;
    const T* const im = table_im_.data() + offset;
    stages_.push_back({radix, m, su, re, im, re + n_twiddles, im + n_twiddles});
    offset += n_twiddles + (radix % 2 == 1 ? radix : 0);
    su *= radix;
  }
}

// The spectrum is computed in double for float plans too: its error enters every output.
template <class T>
void FftLine<T>::set_kernel(std::vector<double> re, std::vector<double> im) {
  const size_t n = re.size();
  const FftLine<double> line(n);
  std::vector<double> work(line.work_size(1));
  const FftRows<double> rows{.re = re.data(), .im = im.data()};
  line.run(rows, rows, 1, 1.0, work.data());
  const auto length = static_cast<double>(n);
  for (size_t k = 0; k < n; ++k) {
    kernel_re_.push_back(static_cast<T>(re[k] / length));
    kernel_im_.push_back(static_cast<T>(im[k] / length));
  }
  inner_ = std::make_unique<FftLine>(n);
}

// X[g^-q] = x[0] + sum_j x[g^j] exp(-2 pi i g^(j-q) / n): a cyclic convolution over the exponents.
template <class T>
void FftLine<T>::plan_rader() {
  gather_ = fft_generator_powers(n_);
  scatter_ = gather_;
  std::reverse(scatter_.begin() + 1, scatter_.end());
  std::vector<double> re, im;
  for (const size_t j : scatter_) {
    const auto w = unit_root(j, n_);
    re.push_back(static_cast<double>(w.real()));
    im.push_back(static_cast<double>(w.imag()));
  }
  set_kernel(std::move(re), std::move(im));
}

// jk = (j^2 + k^2 - (k-j)^2) / 2 turns the transform into a convolution with a chirp.
template <class T>
void FftLine<T>::plan_bluestein() {
  const size_t length = convolution_length(2 * n_ - 1);
  std::vector<double> re(length, 0.0), im(length, 0.0);
  size_t square = 0;  // j^2 mod 2n
  for (size_t j = 0; j < n_; ++j) {
    const auto w = unit_root(square, 2 * n_);
    chirp_re_.push_back(static_cast<T>(w.real()));
    chirp_im_.push_back(static_cast<T>(w.imag()));
    re[j] = static_cast<double>(w.real());
    im[j] = -static_cast<double>(w.imag());
    if (j > 0) re[length - j] = re[j], im[length - j] = im[j];
    square = (square + 2 * j + 1) % (2 * n_);
  }
  set_kernel(std::move(re), std::move(im));
}

template <class T>
size_t FftLine<T>::work_size(size_t lanes) const {
  if (method_ == Method::stockham) return 4 * fft_padded(n_ * lanes);
  const size_t length = inner_->size();
  return 2 * fft_padded(n_ * lanes) + 2 * fft_padded(length * lanes) + inner_->work_size(lanes);
}

template <class T>
void FftLine<T>::run(const FftRows<T>& in, const FftRows<T>& out, size_t lanes, T scale,
                     T* work) const {
  if (method_ == Method::stockham) {
    run_stockham(in, out, lanes, scale, work);
  } else if (method_ == Method::rader) {
    run_rader(in, out, lanes, scale, work);
  } else {
    run_bluestein(in, out, lanes, scale, work);
  }
}

template <class T>
void FftLine<T>::copy_rows(const FftRows<T>& in, const FftRows<T>& out, size_t lanes,
                           T scale) const {
  fft_pass(FftStage<T>{.su = n_}, in, out, lanes, scale);
}

template <class T>
void FftLine<T>::run_stockham(const FftRows<T>& in, const FftRows<T>& out, size_t lanes, T scale,
                              T* work) const {
  const size_t step = fft_padded(n_ * lanes);
  const FftRows<T> a{.re = work, .im = work + step, .stride = lanes};
  const FftRows<T> b{.re = work + 2 * step, .im = work + 3 * step, .stride = lanes};
  const FftRows<T>* source = &in;
  const FftRows<T>* target = &a;
  if (stages_.size() < 2) {  // a pass must not run in place
    copy_rows(in, a, lanes, T(1));
    source = &a;
    target = &b;
  }
  if (stages_.empty()) return copy_rows(*source, out, lanes, scale);
  for (const FftStage<T>& stage : stages_) {
    if (&stage == &stages_.back()) target = &out;
    fft_pass(stage, *source, *target, lanes, scale);
    source = target;
    target = source == &a ? &b : &a;
  }
}

// x <- x (*) kernel: the inverse transform is a forward one with real and imaginary part swapped.
// With x0 (Rader): x0 is added to every result and then becomes x0 + sum of x, read off the
// spectrum.
template <class T>
void FftLine<T>::convolve(T* re, T* im, size_t lanes, T* work, T* x0_re, T* x0_im) const {
  const FftRows<T> rows{.re = re, .im = im, .stride = lanes};
  const FftRows<T> swapped{.re = im, .im = re, .stride = lanes};
  inner_->run(rows, rows, lanes, T(1), work);
  for (size_t lane = 0; x0_re != nullptr && lane < lanes; ++lane) {
    const T sum_re = re[lane], sum_im = im[lane];
    fft_multiply(re + lane, im + lane, kernel_re_.data(), kernel_im_.data(), 1, 1);
    re[lane] += x0_re[lane];
    im[lane] += x0_im[lane];
    x0_re[lane] += sum_re;
    x0_im[lane] += sum_im;
  }
  const size_t first = x0_re != nullptr ? 1 : 0;
  fft_multiply(re + first * lanes, im + first * lanes, kernel_re_.data() + first,
               kernel_im_.data() + first, inner_->size() - first, lanes);
  inner_->run(swapped, swapped, lanes, T(1), work);
}

template <class T>
void FftLine<T>::run_rader(const FftRows<T>& in, const FftRows<T>& out, size_t lanes, T scale,
                           T* work) const {
  const size_t x_step = fft_padded(n_ * lanes), a_step = fft_padded((n_ - 1) * lanes);
  T* const xr = work;
  T* const xi = xr + x_step;
  T* const ar = xi + x_step;
  T* const ai = ar + a_step;
  const FftRows<T> x{.re = xr, .im = xi, .stride = lanes};
  copy_rows(in, x, lanes, T(1));
  for (size_t q = 0; q + 1 < n_; ++q) {
    copy_row(xr + gather_[q] * lanes, ar + q * lanes, lanes);
    copy_row(xi + gather_[q] * lanes, ai + q * lanes, lanes);
  }
  convolve(ar, ai, lanes, ai + a_step, xr, xi);
  for (size_t q = 0; q + 1 < n_; ++q) {
    copy_row(ar + q * lanes, xr + scatter_[q] * lanes, lanes);
    copy_row(ai + q * lanes, xi + scatter_[q] * lanes, lanes);
  }
  copy_rows(x, out, lanes, scale);
}

template <class T>
void FftLine<T>::run_bluestein(const FftRows<T>& in, const FftRows<T>& out, size_t lanes, T scale,
                               T* work) const {
  const size_t length = inner_->size(), step = fft_padded(length * lanes);
  T* const re = work + 2 * fft_padded(n_ * lanes);
  T* const im = re + step;
  const FftRows<T> rows{.re = re, .im = im, .stride = lanes};
  copy_rows(in, rows, lanes, T(1));
  fft_multiply(re, im, chirp_re_.data(), chirp_im_.data(), n_, lanes);
  std::fill(re + n_ * lanes, re + length * lanes, T(0));
  std::fill(im + n_ * lanes, im + length * lanes, T(0));
  convolve(re, im, lanes, im + step);
  fft_multiply(re, im, chirp_re_.data(), chirp_im_.data(), n_, lanes);
  copy_rows(rows, out, lanes, scale);
}

template class FftLine<float>;
template class FftLine<double>;

}  // namespace cauchy::detail
