// Loops down the columns of arrays, a vector of columns at a time, for one instruction set (Highway
// per-target header): normalisation over channels, softmax over keys, folded Fourier transforms.
#if defined(CAUCHY_TENSOR_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_TENSOR_COLUMNS_INL_H_
#undef CAUCHY_TENSOR_COLUMNS_INL_H_
#else
#define CAUCHY_TENSOR_COLUMNS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "math/vector_math-inl.h"
#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/backend/cpu/tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using cauchy::detail::ModeRows;
using cauchy::detail::RowsOf;

template <class T>
void NormalizeColumns(const RowsOf<const T>& x, T epsilon, T* y, T* factors) {
  const hn::ScalableTag<T> d;
  const auto part = hn::Set(d, T(1) / static_cast<T>(x.rows)), least = hn::Set(d, epsilon);
  ForEachVector<T>(x.columns, [&](auto load, auto store) {
    auto mean = hn::Zero(d), squares = hn::Zero(d);
    for (std::size_t r = 0; r < x.rows; ++r) {
      mean = hn::Add(mean, load(x.numbers + r * x.stride));
    }
    mean = hn::Mul(mean, part);
    for (std::size_t r = 0; r < x.rows; ++r) {
      const auto u = hn::Sub(load(x.numbers + r * x.stride), mean);
      squares = hn::MulAdd(u, u, squares);
    }
    const auto variance = hn::MulAdd(squares, part, least);
    const auto factor = hn::Div(hn::Set(d, T(1)), hn::Sqrt(variance));
    for (std::size_t r = 0; r < x.rows; ++r) {
      store(hn::Mul(hn::Sub(load(x.numbers + r * x.stride), mean), factor), y + r * x.stride);
    }
    store(factor, factors);
  });
}

template <class T>
void NormalizeColumnsBackward(const RowsOf<const T>& y, const T* factors, const T* y_bar, bool add,
                              T* x_bar) {
  const hn::ScalableTag<T> d;
  const auto part = hn::Set(d, T(1) / static_cast<T>(y.rows));
  ForEachVector<T>(y.columns, [&](auto load, auto store) {
    auto mean = hn::Zero(d), along = hn::Zero(d);
    for (std::size_t r = 0; r < y.rows; ++r) {
      const auto g = load(y_bar + r * y.stride);
      mean = hn::Add(mean, g);
      along = hn::MulAdd(g, load(y.numbers + r * y.stride), along);
    }
    mean = hn::Mul(mean, part);
    along = hn::Mul(along, part);
    const auto factor = load(factors);
    for (std::size_t r = 0; r < y.rows; ++r) {
      const std::size_t at = r * y.stride;
      const auto u = hn::NegMulAdd(along, load(y.numbers + at), hn::Sub(load(y_bar + at), mean));
      store(add ? hn::MulAdd(factor, u, load(x_bar + at)) : hn::Mul(factor, u), x_bar + at);
    }
  });
}

template <class T>
void Softmax(const RowsOf<T>& s, const T* w, T* inverse_sums, T* logs) {
  const hn::ScalableTag<T> d;
  ForEachVector<T>(s.columns, [&](auto load, auto store) {
    auto largest = load(s.numbers);
    for (std::size_t r = 1; r < s.rows; ++r) {
      largest = hn::Max(largest, load(s.numbers + r * s.stride));
    }
    auto sum = hn::Zero(d);
    for (std::size_t r = 0; r < s.rows; ++r) {
      auto p = Exp(d, hn::Sub(load(s.numbers + r * s.stride), largest));
      if (w != nullptr) p = hn::Mul(p, hn::Set(d, w[r]));
      sum = hn::Add(sum, p);
      store(p, s.numbers + r * s.stride);
    }
    store(hn::Div(hn::Set(d, T(1)), sum), inverse_sums);
    store(hn::Add(largest, Log(d, sum)), logs);
  });
}

template <class T>
void SoftmaxAgain(const RowsOf<T>& s, const T* w, const T* logs) {
  const hn::ScalableTag<T> d;
  ForEachVector<T>(s.columns, [&](auto load, auto store) {
    const auto log = load(logs);
    for (std::size_t r = 0; r < s.rows; ++r) {
      auto p = Exp(d, hn::Sub(load(s.numbers + r * s.stride), log));
      if (w != nullptr) p = hn::Mul(p, hn::Set(d, w[r]));
      store(p, s.numbers + r * s.stride);
    }
  });
}

template <class T>
void SoftmaxBackward(const RowsOf<const T>& p, T* p_bar) {
  const hn::ScalableTag<T> d;
  ForEachVector<T>(p.columns, [&](auto load, auto store) {
    auto mean = hn::Zero(d);
    for (std::size_t r = 0; r < p.rows; ++r) {
      mean = hn::MulAdd(load(p.numbers + r * p.stride), load(p_bar + r * p.stride), mean);
    }
    for (std::size_t r = 0; r < p.rows; ++r) {
      T* at = p_bar + r * p.stride;
      store(hn::Mul(load(p.numbers + r * p.stride), hn::Sub(load(at), mean)), at);
    }
  });
}

template <class T>
void FoldRows(const RowsOf<const T>& x, T* even, T* odd) {
  const std::size_t n = x.rows, columns = x.columns;
  for (std::size_t j = 0; 2 * j <= n; ++j) {
    const T *u = x.numbers + j * x.stride, *v = x.numbers + (n - j) * x.stride;
    if (j == 0 || 2 * j == n) {
      ForEachVector<T>(columns, [&](auto load, auto store) { store(load(u), even + j * columns); });
    } else {
      ForEachVector<T>(columns, [&](auto load, auto store) {
        const auto a = load(u), b = load(v);
        store(hn::Add(a, b), even + j * columns);
        store(hn::Sub(a, b), odd + (j - 1) * columns);
      });
    }
  }
}

template <bool kAdd, class T>
void UnfoldRowsBy(const T* even, const T* odd, const RowsOf<T>& x) {
  const std::size_t n = x.rows, columns = x.columns;
  for (std::size_t j = 0; 2 * j <= n; ++j) {
    T *u = x.numbers + j * x.stride, *v = x.numbers + (n - j) * x.stride;
    if (j == 0 || 2 * j == n) {
      ForEachVector<T>(columns, [&](auto load, auto store) {
        const auto a = load(even + j * columns);
        store(kAdd ? hn::Add(load(u), a) : a, u);
      });
    } else {
      ForEachVector<T>(columns, [&](auto load, auto store) {
        const auto a = load(even + j * columns), b = load(odd + (j - 1) * columns);
        const auto plus = hn::Add(a, b), minus = hn::Sub(a, b);
        store(kAdd ? hn::Add(load(u), plus) : plus, u);
        store(kAdd ? hn::Add(load(v), minus) : minus, v);
      });
    }
  }
}

template <class T>
void UnfoldRows(const T* even, const T* odd, bool add, const RowsOf<T>& x) {
  if (add) {
    UnfoldRowsBy<true>(even, odd, x);
  } else {
    UnfoldRowsBy<false>(even, odd, x);
  }
}

template <class T>
void FoldColumns(const RowsOf<const T>& x, T* even, std::size_t even_stride, T* odd,
                 std::size_t odd_stride) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d), n = x.columns;
  for (std::size_t r = 0; r < x.rows; ++r) {
    const T* u = x.numbers + r * x.stride;
    T *e = even + r * even_stride, *o = odd + r * odd_stride - 1;
    e[0] = u[0];
    std::size_t j = 1;
    for (; 2 * (j + L - 1) < n; j += L) {
      const auto a = hn::LoadU(d, u + j), b = hn::Reverse(d, hn::LoadU(d, u + n - j - L + 1));
      hn::StoreU(hn::Add(a, b), d, e + j);
      hn::StoreU(hn::Sub(a, b), d, o + j);
    }
    for (; 2 * j < n; ++j) {
      e[j] = u[j] + u[n - j];
      o[j] = u[j] - u[n - j];
    }
    if (2 * j == n) e[j] = u[j];
  }
}

template <bool kAdd, class T>
void UnfoldColumnsBy(const T* even, std::size_t even_stride, const T* odd, std::size_t odd_stride,
                     const RowsOf<T>& x) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d), n = x.columns;
  for (std::size_t r = 0; r < x.rows; ++r) {
    T* u = x.numbers + r * x.stride;
    const T *e = even + r * even_stride, *o = odd + r * odd_stride - 1;
    u[0] = kAdd ? u[0] + e[0] : e[0];
    std::size_t j = 1;
    for (; 2 * (j + L - 1) < n; j += L) {
      const auto a = hn::LoadU(d, e + j), b = hn::LoadU(d, o + j);
      auto plus = hn::Add(a, b), minus = hn::Reverse(d, hn::Sub(a, b));
      T* v = u + n - j - L + 1;
      if constexpr (kAdd) {
        plus = hn::Add(plus, hn::LoadU(d, u + j));
        minus = hn::Add(minus, hn::LoadU(d, v));
      }
      hn::StoreU(plus, d, u + j);
      hn::StoreU(minus, d, v);
    }
    for (; 2 * j < n; ++j) {
      const T plus = e[j] + o[j], minus = e[j] - o[j];
      u[j] = kAdd ? u[j] + plus : plus;
      u[n - j] = kAdd ? u[n - j] + minus : minus;
    }
    if (2 * j == n) u[j] = kAdd ? u[j] + e[j] : e[j];
  }
}

template <class T>
void UnfoldColumns(const T* even, std::size_t even_stride, const T* odd, std::size_t odd_stride,
                   bool add, const RowsOf<T>& x) {
  if (add) {
    UnfoldColumnsBy<true>(even, even_stride, odd, odd_stride, x);
  } else {
    UnfoldColumnsBy<false>(even, even_stride, odd, odd_stride, x);
  }
}

template <bool kAdd, class T>
void JoinModesBy(const ModeRows<const T>& rows, T* re, T* im) {
  const std::size_t m = rows.m, n = rows.length;
  for (std::size_t k = 0; k <= m; ++k) {
    const T *c = rows.numbers + k * rows.stride, *s = rows.numbers + (m + k) * rows.stride;
    const std::size_t plus = k * n, minus = (2 * m - k) * n;
    ForEachVector<T>(n, [&](auto load, auto store) {
      const auto put = [&](auto v, T* at) { store(kAdd ? hn::Add(load(at), v) : v, at); };
      const auto c_re = load(c), c_im = load(c + rows.im);
      if (k == 0) {
        put(c_re, re);
        put(c_im, im);
        return;
      }
      const auto s_re = load(s), s_im = load(s + rows.im);
      if (k < m) {
        put(hn::Add(c_re, s_im), re + plus);
        put(hn::Sub(c_im, s_re), im + plus);
      }
      if (k < m || !rows.without_last) {
        put(hn::Sub(c_re, s_im), re + minus);
        put(hn::Add(c_im, s_re), im + minus);
      } else {
        put(hn::Zero(hn::ScalableTag<T>()), re + minus);
        put(hn::Zero(hn::ScalableTag<T>()), im + minus);
      }
    });
  }
}

template <class T>
void JoinModes(const ModeRows<const T>& rows, bool add, T* re, T* im) {
  if (add) {
    JoinModesBy<true>(rows, re, im);
  } else {
    JoinModesBy<false>(rows, re, im);
  }
}

/// p exp(i t) + q exp(-i t) = (p + q) cos t + i (p - q) sin t
template <class T>
void SplitModes(const T* re, const T* im, const ModeRows<T>& rows) {
  const hn::ScalableTag<T> d;
  const std::size_t m = rows.m, n = rows.length;
  for (std::size_t k = 0; k <= m; ++k) {
    T *c = rows.numbers + k * rows.stride, *s = rows.numbers + (m + k) * rows.stride;
    const std::size_t plus = k * n, minus = (2 * m - k) * n;
    ForEachVector<T>(n, [&](auto load, auto store) {
      const auto zero = hn::Zero(d);
      const bool first = k<m, second = k> 0 && (k < m || !rows.without_last);
      const auto p_re = first ? load(re + plus) : zero, p_im = first ? load(im + plus) : zero;
      const auto q_re = second ? load(re + minus) : zero, q_im = second ? load(im + minus) : zero;
      store(hn::Add(p_re, q_re), c);
      store(hn::Add(p_im, q_im), c + rows.im);
      if (k == 0) return;
      store(hn::Sub(q_im, p_im), s);
      store(hn::Sub(p_re, q_re), s + rows.im);
    });
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
