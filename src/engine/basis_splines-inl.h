// B-splines and their derivatives on SIMD vectors; included once per target, after highway.h.
//
// On the interval s of its argument a lane has degree + 1 functions that are not zero, computed by
// the triangle of Cox and de Boor from the knots around s; then every lane writes them to the rows
// of its own functions.

#if defined(CAUCHY_ENGINE_BASIS_SPLINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_ENGINE_BASIS_SPLINES_INL_H_
#undef CAUCHY_ENGINE_BASIS_SPLINES_INL_H_
#else
#define CAUCHY_ENGINE_BASIS_SPLINES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "engine/basis_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The first `count` lanes of a vector.
template <class D, class V, class T>
HWY_INLINE void StoreFirst(D d, V v, T* to, std::size_t count) {
  if (HWY_LIKELY(count == hn::Lanes(d))) {
    hn::StoreU(v, d, to);
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(d)];
    hn::Store(v, d, buffer);
    std::memcpy(to, buffer, count * sizeof(T));
  }
}

/// body(x, i, count) for vectors of arguments i ... i + count - 1; the last one may be padded, so
/// that every argument sees the same operations.
template <class D, class T, class Body>
HWY_INLINE void ForEachVector(D d, const detail::BasisBlock<T>& b, const Body& body) {
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= b.n; i += lanes) body(hn::LoadU(d, b.x + i), i, lanes);
  if (i == b.n) return;
  HWY_ALIGN T buffer[hn::MaxLanes(d)] = {};
  std::memcpy(buffer, b.x + i, (b.n - i) * sizeof(T));
  body(hn::Load(d, buffer), i, b.n - i);
}

/// The interval s of arguments within the knots, as numbers of type T.
template <bool kUniform, class D, class V, class T>
HWY_INLINE V FindSpan(D d, const detail::Splines<T>& f, V x) {
  const V one = hn::Set(d, T(1)), zero = hn::Zero(d);
  const V last = hn::Set(d, static_cast<T>(f.last_span));
  const T* t = f.knots();
  if constexpr (kUniform) {
    const hn::RebindToSigned<D> di;
    const V guess = hn::Floor(hn::Mul(hn::Sub(x, hn::Set(d, t[0])), hn::Set(d, f.inverse_width)));
    V s = hn::Min(hn::Max(guess, zero), last);
    // Rounding may have gone past a knot; the knots decide.
    const auto index = hn::ConvertTo(di, s);
    const V below = hn::GatherIndex(d, t, index), above = hn::GatherIndex(d, t + 1, index);
    s = hn::Add(s, hn::IfThenElseZero(hn::Ge(x, above), one));
    s = hn::Sub(s, hn::IfThenElseZero(hn::Lt(x, below), one));
    return hn::Min(hn::Max(s, zero), last);
  }
  V s = hn::Set(d, T(-1));
  for (int m = 0; m < f.n_knots; ++m) {
    s = hn::Add(s, hn::IfThenElseZero(hn::Ge(x, hn::Set(d, t[m])), one));
  }
  return hn::Min(s, last);
}

template <int P>
inline constexpr int kSplineColumns = P < 0 ? 16 : P + 1;

/// rows[k * columns + j] = derivative k of the local function j at x in the interval s, for k <
/// n_rows. P: the degree at compile time, or -1. Of the functions of degree q - 1, number j lives
/// on [t_{s+1+j-q}, t_{s+1+j}].
template <int P, bool kUniform, class D, class V, class T>
HWY_INLINE void LocalSplines(D d, const detail::Splines<T>& f, V x, V s, int n_rows, V* rows) {
  constexpr int kColumns = kSplineColumns<P>;
  const int degree = P < 0 ? f.degree : P;
  const hn::RebindToSigned<D> di;
  const auto index = hn::ConvertTo(di, s);
  V right[kColumns], left[kColumns];  // t_{s+1+m} and t_{s-m}
  left[0] = hn::GatherIndex(d, f.knots(), index);
  for (int m = 0; m < degree && !kUniform; ++m) {
    right[m] = hn::GatherIndex(d, f.knots() + 1 + m, index);
    left[m] = hn::GatherIndex(d, f.knots() - m, index);
  }
  const V width = hn::Set(d, f.inverse_width);
  const V u = hn::Mul(hn::Sub(x, left[0]), width);  // place in an interval of equal ones, 0 to 1

  // The triangle up to the degree; derivatives k begin with the functions of degree - k.
  V inverse[kColumns * kColumns];  // 1 / (right - left), in units of the width when uniform
  V now[kColumns];
  now[0] = hn::Set(d, T(1));
  if (degree < n_rows) rows[degree * kColumns] = now[0];
  for (int q = 1; q <= degree; ++q) {
    V carried = hn::Zero(d);
    for (int j = 0; j < q; ++j) {
      V to_right, to_left;
      V& scale = inverse[(q - 1) * kColumns + j];
      if constexpr (kUniform) {
        to_right = hn::Sub(hn::Set(d, static_cast<T>(j + 1)), u);
        to_left = hn::Add(hn::Set(d, static_cast<T>(q - 1 - j)), u);
        scale = hn::Set(d, T(1) / static_cast<T>(q));
      } else {
        to_right = hn::Sub(right[j], x);
        to_left = hn::Sub(x, left[q - 1 - j]);
        scale = hn::Div(hn::Set(d, T(1)), hn::Sub(right[j], left[q - 1 - j]));
      }
      const V share = hn::Mul(now[j], scale);
      now[j] = hn::MulAdd(to_right, share, carried);
      carried = hn::Mul(to_left, share);
    }
    now[q] = carried;
    if (degree - q < n_rows) {
      for (int j = 0; j <= q; ++j) rows[(degree - q) * kColumns + j] = now[j];
    }
  }
  // N'_{j,q} = q (N_{j-1,q-1} / (right - left) - N_{j,q-1} / (...)), k times.
  for (int k = 1; k < n_rows; ++k) {
    V* row = rows + k * kColumns;
    for (int q = degree - k + 1; q <= degree; ++q) {
      V carried = hn::Zero(d);
      for (int j = 0; j < q; ++j) {
        const V factor =
            kUniform ? width
                     : hn::Mul(hn::Set(d, static_cast<T>(q)), inverse[(q - 1) * kColumns + j]);
        const V slope = hn::Mul(factor, row[j]);
        row[j] = hn::Sub(carried, slope);
        carried = slope;
      }
      row[q] = carried;
    }
  }
}

/// Every row of a block becomes 0. Plain stores: blocks are a few kilobytes, for which the memset
/// of the C library takes twice as long.
template <class T>
HWY_INLINE void ClearRows(const detail::BasisBlock<T>& b, std::size_t n_rows) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const bool together = b.stride == b.n;
  const std::size_t length = together ? n_rows * b.n : b.n;
  for (std::size_t row = 0; row < (together ? 1 : n_rows); ++row) {
    T* out = b.out + row * b.stride;
    std::size_t i = 0;
    // Two stores at a time: a loop of one becomes the memset that it is to avoid.
    for (; i + 2 * lanes <= length; i += 2 * lanes) {
      hn::StoreU(hn::Zero(d), d, out + i);
      hn::StoreU(hn::Zero(d), d, out + i + lanes);
    }
    for (; i < length; ++i) out[i] = T(0);
  }
}

template <int P, bool kUniform, class T>
void SplinesOfDegree(const detail::Splines<T>& f, const detail::BasisBlock<T>& b) {
  constexpr int kColumns = kSplineColumns<P>;
  constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(T);
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using V = hn::Vec<decltype(d)>;
  const int degree = P < 0 ? f.degree : P, n_functions = f.n_functions();
  const int n_rows = std::min(b.order, degree) + 1;
  const auto size = static_cast<std::size_t>(n_functions);
  const std::size_t next_order = size * b.stride;
  const V lower = hn::Set(d, f.knots()[0]), upper = hn::Set(d, f.knots()[f.n_knots - 1]);
  HWY_ALIGN hwy::MakeSigned<T> first[kLanes] = {};
  HWY_ALIGN T local[kColumns * kColumns * kLanes];
  ClearRows(b, static_cast<std::size_t>(b.order + 1) * size);
  ForEachVector(d, b, [&](V given, std::size_t i, std::size_t count) {
    const auto inside = hn::And(hn::Ge(given, lower), hn::Le(given, upper));
    const V x = hn::IfThenElse(inside, given, lower);
    const V s = FindSpan<kUniform>(d, f, x);
    V rows[kColumns * kColumns];
    LocalSplines<P, kUniform>(d, f, x, s, n_rows, rows);
    // Lanes outside the knots begin far below the first function: nothing of theirs is written.
    const V far = hn::Set(d, T(-1000));
    hn::Store(hn::ConvertTo(di, hn::IfThenElse(inside, s, far)), di, first);
    for (int k = 0; k < n_rows; ++k) {
      for (int j = 0; j <= degree; ++j) {
        const auto at = static_cast<std::size_t>(k * kColumns + j);
        hn::Store(rows[at], d, local + at * kLanes);
      }
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
      const int begin = static_cast<int>(first[lane]) - degree;
      const T* from = local + lane;
      T* to = b.out + i + lane;
      if (HWY_LIKELY(begin >= 0 && begin + degree < n_functions)) {
        to += static_cast<std::size_t>(begin) * b.stride;
        for (int k = 0; k < n_rows; ++k, to += next_order, from += kColumns * kLanes) {
          for (int j = 0; j <= degree; ++j) {
            to[static_cast<std::size_t>(j) * b.stride] = from[static_cast<std::size_t>(j) * kLanes];
          }
        }
        continue;
      }
      for (int k = 0; k < n_rows; ++k, to += next_order, from += kColumns * kLanes) {
        for (int j = std::max(0, -begin); j <= degree && begin + j < n_functions; ++j) {
          to[static_cast<std::size_t>(begin + j) * b.stride] =
              from[static_cast<std::size_t>(j) * kLanes];
        }
      }
    }
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(given)))) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        const T value = b.x[i + lane];
        if (value == value) continue;
        for (std::size_t row = 0; row < static_cast<std::size_t>(b.order + 1) * size; ++row) {
          b.out[row * b.stride + i + lane] = value;
        }
      }
    }
  });
}

template <int P, class T>
void SplinesOfSpacing(const detail::Splines<T>& family, const detail::BasisBlock<T>& block) {
  if (family.inverse_width > 0) {
    SplinesOfDegree<P, true>(family, block);
  } else {
    SplinesOfDegree<P, false>(family, block);
  }
}

template <class T>
void SplineFunctions(const detail::Splines<T>& family, const detail::BasisBlock<T>& block) {
#ifndef __SANITIZE_ADDRESS__  // instrumented, the unrolled versions take minutes to compile
  if (family.degree == 2) return SplinesOfSpacing<2>(family, block);
  if (family.degree == 3) return SplinesOfSpacing<3>(family, block);
#endif
  SplinesOfSpacing<-1>(family, block);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
