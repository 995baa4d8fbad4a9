#include "tensor/backend/cpu/real_transform.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <utility>

namespace cauchy::detail {
namespace {

/// cos and sin of 2 pi k j / n, the angle reduced to one turn: exact where waves repeat.
double turn(std::size_t k, std::size_t j, std::size_t n) {
  return 2 * std::numbers::pi * static_cast<double>(k * j % n) / static_cast<double>(n);
}

std::size_t number(int n) { return static_cast<std::size_t>(n); }

/// How much faster products do an operation than a fast transform; measured for 64 to 1024 points.
constexpr double product_advantage = 7;

}  // namespace

template <class T>
RealTransform<T>::RealTransform(std::vector<AxisModes> axes, bool backward)
    : grid_(std::move(axes)), backward_(backward) {
  for (const AxisModes& a : grid_) {
    points_ *= number(a.n);
    modes_ *= number(a.count);
  }
  // Multiply-adds of the products, axis by axis from the first, against 2.5 N log2 N operations.
  double products = 0, outer = 1, inner = static_cast<double>(points_);
  for (const AxisModes& a : grid_) {
    inner /= a.n;
    const double rows = a.last ? 2 * a.count : a.count + 1;
    products += outer * rows * a.n * inner;
    outer *= rows;
  }
  const auto n = static_cast<double>(points_);
  if (products > product_advantage * 2.5 * n * std::log2(n)) {
    make_fft(backward);
  } else {
    make_axes(backward);
  }
}

template <class T>
std::size_t RealTransform<T>::block_of(const Axis& axis, std::size_t columns) const {
  constexpr std::size_t cache = 16 * 1024;  // half of the first level
  const std::size_t L = product_.lanes;
  return std::min(columns, std::max(cache / sizeof(T) / axis.n / L * L, 2 * L));
}

template <class T>
void RealTransform<T>::make_axes(bool backward) {
  std::size_t work = 0, inner = points_;
  for (std::size_t a = 0; a + 1 < grid_.size(); ++a) {
    const std::size_t n = number(grid_[a].n), m = number(grid_[a].count) / 2;
    Axis axis{n, m, n / 2 + 1, (n - 1) / 2, {}, {}, backward && grid_[a].weight(int(m)) == 0};
    for (std::size_t k = 0; k <= m; ++k) {
      for (std::size_t j = 0; j < axis.evens; ++j) {
        axis.cosines.push_back(static_cast<T>(std::cos(turn(k, j, n))));
      }
      for (std::size_t j = 1; k > 0 && j <= axis.odds; ++j) {
        axis.sines.push_back(static_cast<T>(std::sin(turn(k, j, n))));
      }
    }
    inner /= n;
    rows_ *= axis.rows();
    work = std::max(work, (n + 1) * block_of(axis, inner));
    axes_.push_back(std::move(axis));
  }
  const AxisModes& end = grid_.back();
  const std::size_t n = number(end.n), m = number(end.count), L = product_.lanes;
  const auto full = [L](std::size_t count) { return (count + L - 1) / L * L; };
  last_ = {.n = n,
           .m = m,
           .evens = n / 2 + 1,
           .odds = (n - 1) / 2,
           .even_stride = full(n / 2 + 1) + L,  // a power of two would fill few cache sets
           .odd_stride = full(n / 2 + 1) + L,
           .full_m = full(m),
           .full_evens = full(n / 2 + 1),
           .full_odds = full((n - 1) / 2),
           .cosines = {},
           .sines = {},
           .cosine_rows = {},
           .sine_rows = {}};
  last_.cosines.resize(m * last_.full_evens);
  last_.sines.resize(m * last_.full_odds);
  last_.cosine_rows.resize(last_.evens * last_.full_m);
  last_.sine_rows.resize(last_.odds * last_.full_m);
  for (std::size_t k = 0; k < m; ++k) {
    const double w = backward ? end.weight(int(k)) : 1 / static_cast<double>(points_);
    for (std::size_t j = 0; j < last_.evens; ++j) {
      const auto c = static_cast<T>(w * std::cos(turn(k, j, n)));
      last_.cosines[k * last_.full_evens + j] = c;
      last_.cosine_rows[j * last_.full_m + k] = c;
    }
    for (std::size_t j = 1; j <= last_.odds; ++j) {
      const auto c = static_cast<T>(-w * std::sin(turn(k, j, n)));
      last_.sines[k * last_.full_odds + j - 1] = c;
      last_.sine_rows[(j - 1) * last_.full_m + k] = c;
    }
  }
  constexpr std::size_t few = 16;  // rows that a product needs to be fast
  group_ = (few + rows_ - 1) / rows_;
  work = std::max(work, group_ * rows_ * (last_.even_stride + last_.odd_stride));
  // Two arrays on the way: [rows so far][points left] of a channel, or the sums of all rows.
  std::size_t rows = 1, left = points_;
  area_ = group_ * rows_ * std::max(n, 2 * last_.full_m);
  for (const Axis& axis : axes_) {
    rows *= axis.rows();
    left /= axis.n;
    area_ = std::max(area_, rows * left);
  }
  scratch_ = 2 * area_ + work;
}

// --- products -----------------------------------------------------------------------------------

/// C_k and S_k, (2 m + 1) x columns, of n x columns numbers.
template <class T>
void RealTransform<T>::sum_axis(const Axis& axis, std::size_t columns, const T* x, T* out,
                                T* work) const {
  const std::size_t block = block_of(axis, columns);
  for (std::size_t p = 0; p < columns; p += block) {
    const std::size_t count = std::min(block, columns - p);
    T *even = work, *odd = work + axis.evens * count;
    element_.fold_rows({axis.n, count, x + p, columns}, even, odd);
    product_.product({.rows = axis.m + 1,
                      .columns = count,
                      .inner = axis.evens,
                      .a = axis.cosines.data(),
                      .a_stride = axis.evens,
                      .b = even,
                      .b_stride = count,
                      .c = out + p,
                      .c_stride = columns});
    product_.product({.rows = axis.m,
                      .columns = count,
                      .inner = axis.odds,
                      .a = axis.sines.data(),
                      .a_stride = axis.odds,
                      .b = odd,
                      .b_stride = count,
                      .c = out + (axis.m + 1) * columns + p,
                      .c_stride = columns});
  }
}

template <class T>
void RealTransform<T>::spread_axis(const Axis& axis, std::size_t columns, const T* rows, bool add,
                                   T* x, T* work) const {
  const std::size_t block = block_of(axis, columns);
  for (std::size_t p = 0; p < columns; p += block) {
    const std::size_t count = std::min(block, columns - p);
    T *even = work, *odd = work + axis.evens * count;
    product_.product({.rows = axis.evens,
                      .columns = count,
                      .inner = axis.m + 1,
                      .a = axis.cosines.data(),
                      .a_stride = axis.evens,
                      .a_by_columns = true,
                      .b = rows + p,
                      .b_stride = columns,
                      .c = even,
                      .c_stride = count});
    product_.product({.rows = axis.odds,
                      .columns = count,
                      .inner = axis.m,
                      .a = axis.sines.data(),
                      .a_stride = axis.odds,
                      .a_by_columns = true,
                      .b = rows + (axis.m + 1) * columns + p,
                      .b_stride = columns,
                      .c = odd,
                      .c_stride = count});
    element_.unfold_rows(even, odd, add, {axis.n, count, x + p, columns});
  }
}

/// Real and imaginary parts of the modes of every row, 2 full_m numbers.
template <class T>
void RealTransform<T>::sum_last(std::size_t rows, const T* x, T* z, T* work) const {
  T *even = work, *odd = work + rows * last_.even_stride;
  element_.fold_columns({rows, last_.n, x, last_.n}, even, last_.even_stride, odd,
                        last_.odd_stride);
  product_.product({.rows = rows,
                    .columns = last_.full_m,
                    .inner = last_.evens,
                    .a = even,
                    .a_stride = last_.even_stride,
                    .b = last_.cosine_rows.data(),
                    .b_stride = last_.full_m,
                    .c = z,
                    .c_stride = 2 * last_.full_m});
  product_.product({.rows = rows,
                    .columns = last_.full_m,
                    .inner = last_.odds,
                    .a = odd,
                    .a_stride = last_.odd_stride,
                    .b = last_.sine_rows.data(),
                    .b_stride = last_.full_m,
                    .c = z + last_.full_m,
                    .c_stride = 2 * last_.full_m});
}

template <class T>
void RealTransform<T>::spread_last(std::size_t rows, const T* z, LastSums at, bool add, T* x,
                                   T* work) const {
  T *even = work, *odd = work + rows * last_.even_stride;
  product_.product({.rows = rows,
                    .columns = last_.full_evens,
                    .inner = last_.m,
                    .a = z,
                    .a_stride = at.stride,
                    .b = last_.cosines.data(),
                    .b_stride = last_.full_evens,
                    .c = even,
                    .c_stride = last_.even_stride});
  product_.product({.rows = rows,
                    .columns = last_.full_odds,
                    .inner = last_.m,
                    .a = z + at.im,
                    .a_stride = at.stride,
                    .b = last_.sines.data(),
                    .b_stride = last_.full_odds,
                    .c = odd,
                    .c_stride = last_.odd_stride});
  element_.unfold_columns(even, last_.even_stride, odd, last_.odd_stride, add,
                          {rows, last_.n, x, last_.n});
}

template <class T>
void RealTransform<T>::to_modes(std::size_t channels, const T* x, bool add, T* c,
                                T* scratch) const {
  if (fft_) {
    for (std::size_t i = 0; i < channels; ++i) {
      fast_to_modes(x + i * points_, add, c + 2 * i * modes_, scratch);
    }
    return;
  }
  T *first = scratch, *second = scratch + area_, *work = scratch + 2 * area_;
  const LastSums sums{2 * last_.full_m, last_.full_m};
  for (std::size_t begin = 0; begin < channels; begin += group_) {
    const std::size_t count = std::min(group_, channels - begin);
    const T* from = x + begin * points_;
    // All axes but the last: one for two axes, two for three.
    if (axes_.size() == 1) {
      for (std::size_t i = 0; i < count; ++i) {
        sum_axis(axes_[0], last_.n, from + i * points_, first + i * rows_ * last_.n, work);
      }
      from = first;
    } else if (axes_.size() == 2) {
      const std::size_t inner = points_ / axes_[0].n;
      for (std::size_t i = 0; i < count; ++i) {
        sum_axis(axes_[0], inner, from + i * points_, second, work);
        for (std::size_t r = 0; r < axes_[0].rows(); ++r) {
          sum_axis(axes_[1], last_.n, second + r * inner,
                   first + (i * axes_[0].rows() + r) * axes_[1].rows() * last_.n, work);
        }
      }
      from = first;
    }
    sum_last(count * rows_, from, second, work);
    for (std::size_t i = 0; i < count; ++i) {
      const T* z = second + i * rows_ * sums.stride;
      T* re = c + 2 * (begin + i) * modes_;
      if (axes_.empty()) {
        for (std::size_t part = 0; part < 2; ++part) {
          const T* numbers = z + part * sums.im;
          T* to = re + part * modes_;
          if (add) {
            element_.add(modes_, numbers, to);
          } else {
            std::copy_n(numbers, modes_, to);
          }
        }
      } else if (axes_.size() == 1) {
        element_.join_modes({axes_[0].m, last_.m, z, sums.stride, sums.im, axes_[0].without_last},
                            add, re, re + modes_);
      } else {
        const std::size_t plane = 2 * axes_[1].m * last_.m;
        for (std::size_t r = 0; r < axes_[0].rows(); ++r) {
          T* joined = first + r * 2 * plane;
          element_.join_modes({axes_[1].m, last_.m, z + r * axes_[1].rows() * sums.stride,
                               sums.stride, sums.im, axes_[1].without_last},
                              false, joined, joined + plane);
        }
        element_.join_modes({axes_[0].m, plane, first, 2 * plane, plane, axes_[0].without_last},
                            add, re, re + modes_);
      }
    }
  }
}

template <class T>
void RealTransform<T>::to_points(std::size_t channels, const T* c, bool add, T* x,
                                 T* scratch) const {
  if (fft_) {
    for (std::size_t i = 0; i < channels; ++i) {
      fast_to_points(c + 2 * i * modes_, add, x + i * points_, scratch);
    }
    return;
  }
  T *first = scratch, *second = scratch + area_, *work = scratch + 2 * area_;
  const LastSums sums{2 * last_.full_m, last_.full_m};
  for (std::size_t begin = 0; begin < channels; begin += group_) {
    const std::size_t count = std::min(group_, channels - begin);
    T* to = x + begin * points_;
    const T* z = c + 2 * begin * modes_;
    LastSums at{2 * modes_, modes_};
    if (!axes_.empty()) {
      for (std::size_t i = 0; i < count; ++i) {
        const T* re = c + 2 * (begin + i) * modes_;
        T* of_channel = second + i * rows_ * sums.stride;
        if (axes_.size() == 1) {
          element_.split_modes(
              re, re + modes_,
              {axes_[0].m, last_.m, of_channel, sums.stride, sums.im, axes_[0].without_last});
          continue;
        }
        const std::size_t plane = 2 * axes_[1].m * last_.m;
        element_.split_modes(re, re + modes_,
                             {axes_[0].m, plane, first, 2 * plane, plane, axes_[0].without_last});
        for (std::size_t r = 0; r < axes_[0].rows(); ++r) {
          const T* joined = first + r * 2 * plane;
          element_.split_modes(joined, joined + plane,
                               {axes_[1].m, last_.m, of_channel + r * axes_[1].rows() * sums.stride,
                                sums.stride, sums.im, axes_[1].without_last});
        }
      }
      z = second;
      at = sums;
    }
    spread_last(count * rows_, z, at, axes_.empty() && add, axes_.empty() ? to : first, work);
    if (axes_.size() == 1) {
      for (std::size_t i = 0; i < count; ++i) {
        spread_axis(axes_[0], last_.n, first + i * rows_ * last_.n, add, to + i * points_, work);
      }
    } else if (axes_.size() == 2) {
      const std::size_t inner = points_ / axes_[0].n;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t r = 0; r < axes_[0].rows(); ++r) {
          spread_axis(axes_[1], last_.n,
                      first + (i * axes_[0].rows() + r) * axes_[1].rows() * last_.n, false,
                      second + r * inner, work);
        }
        spread_axis(axes_[0], inner, second, add, to + i * points_, work);
      }
    }
  }
}

// --- fast transforms ----------------------------------------------------------------------------

template <class T>
void RealTransform<T>::make_fft(bool backward) {
  std::vector<std::size_t> shape;
  for (const AxisModes& a : grid_) shape.push_back(number(a.n));
  fft_.emplace(std::span<const std::size_t>(shape));
  const AxisModes& end = grid_.back();
  for (int k = 0; k < end.count; ++k) {
    fft_weights_.push_back(backward ? static_cast<T>(end.weight(k))
                                    : static_cast<T>(1 / static_cast<double>(points_)));
  }
  area_ = 2 * fft_->complex_size();
  scratch_ = area_ + points_ + fft_->work_size();
}

/// body(first mode, first number of the half spectrum) for every line of kept modes along the last
/// axis.
template <class T>
template <class Body>
void RealTransform<T>::for_each_line(Body body) const {
  const std::size_t d = grid_.size(), m = number(grid_.back().count);
  const std::size_t half = number(grid_.back().n) / 2 + 1;
  for (std::size_t line = 0; line < modes_ / m; ++line) {
    std::size_t rest = line, at = 0, stride = half;
    bool counts = true;
    for (std::size_t a = d - 1; a-- > 0;) {
      const AxisModes& axis = grid_[a];
      const int i = static_cast<int>(rest % number(axis.count)), k = axis.frequency(i);
      rest /= number(axis.count);
      at += stride * number(k < 0 ? k + axis.n : k);
      stride *= number(axis.n);
      counts = counts && !(backward_ && axis.weight(i) == 0);
    }
    if (counts) body(line * m, at);
  }
}

template <class T>
void RealTransform<T>::fast_to_modes(const T* x, bool add, T* c, T* scratch) const {
  auto* half = reinterpret_cast<std::complex<T>*>(scratch);
  T* work = scratch + area_ + points_;
  fft_->forward({x, points_}, {half, fft_->complex_size()}, {work, fft_->work_size()});
  if (!add) std::fill_n(c, 2 * modes_, T(0));
  for_each_line([&](std::size_t mode, std::size_t at) {
    for (std::size_t k = 0; k < fft_weights_.size(); ++k) {
      c[mode + k] += fft_weights_[k] * half[at + k].real();
      c[modes_ + mode + k] += fft_weights_[k] * half[at + k].imag();
    }
  });
}

template <class T>
void RealTransform<T>::fast_to_points(const T* c, bool add, T* x, T* scratch) const {
  auto* half = reinterpret_cast<std::complex<T>*>(scratch);
  T *points = scratch + area_, *work = points + points_;
  std::fill_n(scratch, area_, T(0));
  const auto n = static_cast<T>(points_);  // the inverse divides by it, and counts k and -k
  const int length = grid_.back().n;
  for_each_line([&](std::size_t mode, std::size_t at) {
    for (std::size_t k = 0; k < fft_weights_.size(); ++k) {
      const bool twice = k > 0 && 2 * static_cast<int>(k) != length;
      const T w = fft_weights_[k] * (twice ? n / 2 : n);
      half[at + k] += std::complex<T>(w * c[mode + k], w * c[modes_ + mode + k]);
    }
  });
  const std::span<const std::complex<T>> from(half, fft_->complex_size());
  fft_->inverse(from, {add ? points : x, points_}, {work, fft_->work_size()});
  if (add) element_.add(points_, points, x);
}

template class RealTransform<float>;
template class RealTransform<double>;

}  // namespace cauchy::detail
