// Rows into columns, for one instruction set (Highway per-target header): as many rows as a vector
// has lanes are turned in registers where the instructions are there, else number by number.
#if defined(CAUCHY_TENSOR_TURNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_TENSOR_TURNS_INL_H_
#undef CAUCHY_TENSOR_TURNS_INL_H_
#else
#define CAUCHY_TENSOR_TURNS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "tensor/backend/cpu/field_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using cauchy::detail::TurnedRows;

/// Whether a square of numbers can be turned in registers.
template <class T>
constexpr bool TurnsInRegisters() {
#if HWY_TARGET <= HWY_AVX3
  return true;
#elif HWY_TARGET == HWY_AVX2
  return sizeof(T) == 4;
#else
  return false;
#endif
}

#if HWY_TARGET <= HWY_AVX2

/// Vectors that begin with the first, or (kUpper) the second half of the numbers of x and y, in
/// turns, within every block of 128 bits: pairs of numbers of 4 bytes count as one.
template <bool kUpper, class D, class V = hn::Vec<D>>
HWY_INLINE V MixPairs(D d, V x, V y) {
  const hn::Repartition<double, D> pairs;
  const auto u = hn::BitCast(pairs, x), v = hn::BitCast(pairs, y);
  if constexpr (kUpper) {
    return hn::BitCast(d, hn::InterleaveUpper(pairs, u, v));
  } else {
    return hn::BitCast(d, hn::InterleaveLower(pairs, u, v));
  }
}

/// B rows from load(j), B the numbers of a block: in block b of mixed[i] is number B b + i of every
/// row.
template <class D, class Load, class V = hn::Vec<D>>
HWY_INLINE void MixRows(D d, const Load& load, std::size_t j, V* mixed) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const V a = load(j), b = load(j + 1);
    mixed[0] = hn::InterleaveLower(d, a, b);
    mixed[1] = hn::InterleaveUpper(d, a, b);
  } else {
    const V a = load(j), b = load(j + 1), c = load(j + 2), e = load(j + 3);
    const V low = hn::InterleaveLower(d, a, b), high = hn::InterleaveUpper(d, a, b);
    const V low2 = hn::InterleaveLower(d, c, e), high2 = hn::InterleaveUpper(d, c, e);
    mixed[0] = MixPairs<false>(d, low, low2);
    mixed[1] = MixPairs<true>(d, low, low2);
    mixed[2] = MixPairs<false>(d, high, high2);
    mixed[3] = MixPairs<true>(d, high, high2);
  }
}

/// turned[k] = column k of a square with the rows load(0), load(1), ...
template <class D, class Load, class V = hn::Vec<D>>
HWY_INLINE void TurnSquare(D d, const Load& load, V* turned) {
  constexpr std::size_t B = 16 / sizeof(hn::TFromD<D>), blocks = hn::MaxLanes(d) / B;
  V mixed[blocks][B];
  for (std::size_t q = 0; q < blocks; ++q) MixRows(d, load, q * B, mixed[q]);
  for (std::size_t i = 0; i < B; ++i) {
#if HWY_TARGET <= HWY_AVX3
    // Blocks 0 and 2, 1 and 3 of neighbours, then halves of these.
    const auto evens = [&](V x, V y) { return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y), x); };
    const auto odds = [&](V x, V y) { return hn::OddEvenBlocks(y, hn::SwapAdjacentBlocks(x)); };
    const V p = evens(mixed[0][i], mixed[1][i]), r = evens(mixed[2][i], mixed[3][i]);
    const V q = odds(mixed[0][i], mixed[1][i]), s = odds(mixed[2][i], mixed[3][i]);
    turned[i] = hn::ConcatLowerLower(d, r, p);
    turned[B + i] = hn::ConcatLowerLower(d, s, q);
    turned[2 * B + i] = hn::ConcatUpperUpper(d, r, p);
    turned[3 * B + i] = hn::ConcatUpperUpper(d, s, q);
#else
    turned[i] = hn::ConcatLowerLower(d, mixed[1][i], mixed[0][i]);
    turned[B + i] = hn::ConcatUpperUpper(d, mixed[1][i], mixed[0][i]);
#endif
  }
}

#endif

/// to[k][j] = from[j][k] of as many rows as a vector has lanes, with n numbers.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void TurnRows(D d, std::size_t n, const T* HWY_RESTRICT from, std::size_t from_stride,
                         T* HWY_RESTRICT to, std::size_t to_stride) {
  constexpr std::size_t L = hn::MaxLanes(d);
  std::size_t k = 0;
#if HWY_TARGET <= HWY_AVX2
  if constexpr (TurnsInRegisters<T>()) {
    for (; k + L <= n; k += L) {
      hn::Vec<D> turned[L];
      TurnSquare(
          d, [&](std::size_t j) { return hn::LoadU(d, from + j * from_stride + k); }, turned);
      for (std::size_t i = 0; i < L; ++i) hn::StoreU(turned[i], d, to + (k + i) * to_stride);
    }
  }
#endif
  for (; k < n; ++k) {
    for (std::size_t j = 0; j < L; ++j) to[k * to_stride + j] = from[j * from_stride + k];
  }
}

#if HWY_TARGET <= HWY_AVX2

/// A square of the rows and columns from r and k on, or what is left of one (kTail).
template <bool kTail, class D, class T = hn::TFromD<D>>
HWY_INLINE void TurnPiece(D d, const TurnedRows<T>& p, std::size_t r, std::size_t k) {
  using V = hn::Vec<D>;
  constexpr std::size_t L = hn::MaxLanes(d);
  const std::size_t rows = kTail ? std::min(L, p.rows - r) : L;
  const std::size_t columns = kTail ? std::min(L, p.columns - k) : L;
  const T* from = p.from + r * p.from_stride + k;
  const auto known = hn::FirstN(d, columns), wanted = hn::FirstN(d, rows);
  V turned[L];
  TurnSquare(
      d,
      [&](std::size_t j) {
        if (!kTail) return hn::LoadU(d, from + j * p.from_stride);
        return j < rows ? hn::MaskedLoad(known, d, from + j * p.from_stride) : hn::Zero(d);
      },
      turned);
  for (std::size_t i = 0; i < columns; ++i) {
    T* to = p.to + (k + i) * p.to_stride + r;
    V v = turned[i];
    if (p.first != nullptr) v = hn::Add(v, hn::Set(d, p.first[k + i]));
    if (p.add) v = hn::Add(v, kTail ? hn::MaskedLoad(wanted, d, to) : hn::LoadU(d, to));
    if (kTail) {
      hn::BlendedStore(v, wanted, d, to);
    } else {
      hn::StoreU(v, d, to);
    }
  }
}

#endif

/// See ElementKernels::turn.
template <class T>
void Turn(const TurnedRows<T>& p) {
#if HWY_TARGET <= HWY_AVX2
  if constexpr (TurnsInRegisters<T>()) {
    const hn::ScalableTag<T> d;
    constexpr std::size_t L = hn::MaxLanes(d);
    for (std::size_t r = 0; r < p.rows; r += L) {
      for (std::size_t k = 0; k < p.columns; k += L) {
        if (r + L <= p.rows && k + L <= p.columns) {
          TurnPiece<false>(d, p, r, k);
        } else {
          TurnPiece<true>(d, p, r, k);
        }
      }
    }
    return;
  }
#endif
  for (std::size_t k = 0; k < p.columns; ++k) {
    T* to = p.to + k * p.to_stride;
    const T first = p.first == nullptr ? T(0) : p.first[k];
    for (std::size_t j = 0; j < p.rows; ++j) {
      const T v = p.from[j * p.from_stride + k] + first;
      to[j] = p.add ? to[j] + v : v;
    }
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
