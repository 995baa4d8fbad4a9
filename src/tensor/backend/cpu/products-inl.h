// Matrix products on arrays of any size, for one instruction set (Highway per-target header).
//
// Columns are points, contiguous, and never packed; the left matrix is read where it lies. All sums
// run in a fixed order: results depend on the numbers and the instruction set alone, not on where
// a column stands.
#if defined(CAUCHY_TENSOR_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_TENSOR_PRODUCTS_INL_H_
#undef CAUCHY_TENSOR_PRODUCTS_INL_H_
#else
#define CAUCHY_TENSOR_PRODUCTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "engine/backend/cpu/gemm-inl.h"
#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/backend/cpu/tails-inl.h"
#include "tensor/backend/cpu/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using cauchy::detail::MatrixProduct;

/// Rows of a tile with so many vectors of columns: 8 x 3 accumulators of 32 registers, 4 x 3 of 16.
/// With fewer rows than that a tile loads more than it multiplies.
constexpr std::size_t ProductRows(std::size_t vectors) {
#if HWY_TARGET <= HWY_AVX3
  return vectors > 0 ? 8 : 0;
#else
  return vectors > 1 ? 4 : 8;
#endif
}

/// Calls body.template operator()<n>() for pieces of 8, 4, 2, 1 that add up to `count`.
template <std::size_t kMax, class Body>
HWY_INLINE void InPieces(std::size_t count, const Body& body) {
  std::size_t at = 0;
  for (; at + kMax <= count; at += kMax) body.template operator()<kMax>(at);
  if constexpr (kMax > 1) {
    if (at < count) {
      InPieces<kMax / 2>(
          count - at, [&]<std::size_t N>(std::size_t i) { body.template operator()<N>(at + i); });
    }
  }
}

/// MR rows from m on and NR vectors of columns from n on, whose first row of B is at b; kTail: the
/// one vector has `tail` columns.
template <std::size_t MR, std::size_t NR, bool kByColumns, bool kTail, class D,
          class T = hn::TFromD<D>>
HWY_INLINE void ProductTile(D d, const MatrixProduct<T>& p, const T* HWY_RESTRICT b,
                            std::size_t b_stride, std::size_t m, std::size_t n, std::size_t tail) {
  static_assert(!kTail || NR == 1);
  using V = hn::Vec<D>;
  const std::size_t L = hn::Lanes(d);
  V acc[MR][NR];
  for (std::size_t i = 0; i < MR; ++i) {
    const V first = p.bias == nullptr ? hn::Zero(d) : hn::Set(d, p.bias[m + i]);
    for (std::size_t j = 0; j < NR; ++j) {
      acc[i][j] = first;
      if (p.d != nullptr) {
        const T* at = p.d + (m + i) * p.d_stride + n + j * L;
        acc[i][j] = hn::Add(first, kTail ? LoadSome(d, at, tail) : hn::LoadU(d, at));
      }
    }
  }
  const T* HWY_RESTRICT a = kByColumns ? p.a + m : p.a + m * p.a_stride;
  const std::size_t inner = p.inner, a_stride = p.a_stride;
  for (std::size_t k = 0; k < inner; ++k) {
    V x[NR];
    for (std::size_t j = 0; j < NR; ++j) {
      x[j] = kTail ? LoadSome(d, b, tail) : hn::LoadU(d, b + j * L);
    }
    b += b_stride;
    for (std::size_t i = 0; i < MR; ++i) {
      const V w = hn::Set(d, kByColumns ? a[i] : a[i * a_stride]);
      for (std::size_t j = 0; j < NR; ++j) acc[i][j] = hn::MulAdd(w, x[j], acc[i][j]);
    }
    a += kByColumns ? a_stride : 1;
  }
  for (std::size_t i = 0; i < MR; ++i) {
    T* c = p.c + (m + i) * p.c_stride + n;
    for (std::size_t j = 0; j < NR; ++j) {
      if (kTail) {
        StoreSome(d, acc[i][j], tail, c);
      } else {
        hn::StoreU(acc[i][j], d, c + j * L);
      }
    }
  }
}

/// Numbers of a tile of columns that is copied: half of a first-level cache.
template <class T>
constexpr std::size_t kMostPacked = 24 * 1024 / sizeof(T);

/// Rows of channels on a grid are often a power of two apart: then a tile of columns falls into few
/// sets of the first-level cache and does not stay there while all rows of the other matrix pass.
template <class T>
HWY_INLINE bool SharesSets(const MatrixProduct<T>& p) {
  return p.b_stride * sizeof(T) % 1024 == 0 && p.inner > 8 && p.rows > 8;
}

/// to: the rows of N vectors of columns next to each other.
template <std::size_t N, class D, class T = hn::TFromD<D>>
HWY_INLINE void PackColumns(D d, std::size_t rows, const T* HWY_RESTRICT from, std::size_t stride,
                            T* HWY_RESTRICT to) {
  const std::size_t L = hn::Lanes(d);
  for (std::size_t k = 0; k < rows; ++k, from += stride, to += N * L) {
    for (std::size_t j = 0; j < N; ++j) hn::Store(hn::LoadU(d, from + j * L), d, to + j * L);
  }
}

template <bool kByColumns, class T>
HWY_INLINE void ProductOf(const MatrixProduct<T>& p) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  HWY_ALIGN T packed[kMostPacked<T>];
  const bool packs = SharesSets(p);
  // One tile of columns stays in the first-level cache while all rows pass.
  for (std::size_t n = 0; n < p.columns;) {
    const std::size_t left = (p.columns - n) / L;
    if (left == 0) {
      InPieces<ProductRows(1)>(p.rows, [&]<std::size_t MR>(std::size_t m) {
        ProductTile<MR, 1, kByColumns, true>(d, p, p.b + n, p.b_stride, m, n, p.columns - n);
      });
      return;
    }
    const std::size_t vectors = left == kTileVectors + 1 ? (left + 1) / 2  // not 3 + 1
                                                         : std::min(kTileVectors, left);
    WithCount<kTileVectors>(vectors, [&]<std::size_t NR>() {
      const T* b = p.b + n;
      std::size_t b_stride = p.b_stride;
      if (packs && p.inner * NR * L <= kMostPacked<T>) {
        PackColumns<NR>(d, p.inner, b, b_stride, packed);
        b = packed;
        b_stride = NR * L;
      }
      // Tiles of like size: one of a single row waits for its own sums.
      constexpr std::size_t most = ProductRows(NR);
      const std::size_t tiles = (p.rows + most - 1) / most;
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t m = p.rows * t / tiles;
        WithCount<most>(p.rows * (t + 1) / tiles - m, [&]<std::size_t MR>() {
          ProductTile<MR, NR, kByColumns, false>(d, p, b, b_stride, m, n, 0);
        });
      }
    });
    n += vectors * L;
  }
}

template <class T>
void Product(const MatrixProduct<T>& p) {
  if (p.a_by_columns) {
    ProductOf<true>(p);
  } else {
    ProductOf<false>(p);
  }
}

/// G[MR x NR] += A[MR rows] . B[NR rows], inner products of rows of any length.
template <std::size_t MR, std::size_t NR, class D, class T = hn::TFromD<D>>
HWY_INLINE void InnerTile(D d, std::size_t n, const T* HWY_RESTRICT a, std::size_t a_stride,
                          const T* HWY_RESTRICT b, std::size_t b_stride, T* HWY_RESTRICT g,
                          std::size_t g_stride) {
  using V = hn::Vec<D>;
  const std::size_t L = hn::Lanes(d);
  V acc[MR][kDotColumns];  // beyond NR they stay zero and take no register
  for (std::size_t i = 0; i < MR; ++i) {
    for (std::size_t j = 0; j < kDotColumns; ++j) acc[i][j] = hn::Zero(d);
  }
  std::size_t k = 0;
  for (; k + L <= n; k += L) {
    V x[MR];
    for (std::size_t i = 0; i < MR; ++i) x[i] = hn::LoadU(d, a + i * a_stride + k);
    for (std::size_t j = 0; j < NR; ++j) {
      const V y = InRegister(hn::LoadU(d, b + j * b_stride + k));
      for (std::size_t i = 0; i < MR; ++i) acc[i][j] = hn::MulAdd(x[i], y, acc[i][j]);
    }
  }
  if (k < n) {
    V x[MR];
    for (std::size_t i = 0; i < MR; ++i) x[i] = LoadSome(d, a + i * a_stride + k, n - k);
    for (std::size_t j = 0; j < NR; ++j) {
      const V y = LoadSome(d, b + j * b_stride + k, n - k);
      for (std::size_t i = 0; i < MR; ++i) acc[i][j] = hn::MulAdd(x[i], y, acc[i][j]);
    }
  }
  for (std::size_t i = 0; i < MR; ++i) {
#if HWY_TARGET <= HWY_AVX3
    AddSumsOf8<NR>(d, acc[i][0], acc[i][1], acc[i][2], acc[i][3], acc[i][4], acc[i][5], acc[i][6],
                   acc[i][7], g + i * g_stride);
#else
    AddSumsOf4<NR>(d, acc[i][0], acc[i][1], acc[i][2], acc[i][3], g + i * g_stride);
#endif
  }
}

/// G (rows x columns) += A B', by inner products.
template <class T>
void InnerProducts(std::size_t rows, std::size_t columns, std::size_t inner, const T* a,
                   std::size_t a_stride, const T* b, std::size_t b_stride, T* g,
                   std::size_t g_stride) {
  const hn::ScalableTag<T> d;
  const std::size_t tiles = (rows + kDotRows - 1) / kDotRows;
  InPieces<kDotColumns>(columns, [&]<std::size_t NR>(std::size_t k) {
    for (std::size_t r = 0; r < tiles; ++r) {
      const std::size_t m = rows * r / tiles;
      WithCount<kDotRows>(rows * (r + 1) / tiles - m, [&]<std::size_t MR>() {
        InnerTile<MR, NR>(d, inner, a + m * a_stride, a_stride, b + k * b_stride, b_stride,
                          g + m * g_stride + k, g_stride);
      });
    }
  });
}

/// G (rows x columns) += A B'. Inner products must add up lanes at their end, which takes as long
/// as a hundred numbers; where rows of B can be turned into columns at little cost, a plain product
/// is faster.
template <class T>
void ProductTransposed(std::size_t rows, std::size_t columns, std::size_t inner, const T* a,
                       std::size_t a_stride, const T* b, std::size_t b_stride, T* g,
                       std::size_t g_stride) {
  std::size_t done = 0;  // columns
#if HWY_TARGET <= HWY_AVX2
  // With 32 registers inner products are fast enough unless they are short.
  constexpr bool many = HWY_TARGET <= HWY_AVX3;
  constexpr std::size_t fewest_rows = many ? 64 : 16;
  const bool turns = rows >= fewest_rows && (!many || inner <= 256);
  if constexpr (TurnsInRegisters<T>()) {
    const hn::ScalableTag<T> d;
    constexpr std::size_t L = hn::MaxLanes(d), most_terms = 128;
    HWY_ALIGN T turned[most_terms * kTileVectors * L];
    for (std::size_t n = 0; turns && columns - done >= L; done += n) {
      n = std::min(kTileVectors, (columns - done) / L) * L;
      for (std::size_t k = 0; k < inner; k += most_terms) {
        const std::size_t terms = std::min(most_terms, inner - k);
        for (std::size_t j = 0; j < n; j += L) {
          TurnRows(d, terms, b + (done + j) * b_stride + k, b_stride, turned + j, n);
        }
        ProductOf<false>(MatrixProduct<T>{.rows = rows,
                                          .columns = n,
                                          .inner = terms,
                                          .a = a + k,
                                          .a_stride = a_stride,
                                          .b = turned,
                                          .b_stride = n,
                                          .c = g + done,
                                          .c_stride = g_stride,
                                          .d = g + done,
                                          .d_stride = g_stride});
      }
    }
  }
#endif
  InnerProducts(rows, columns - done, inner, a, a_stride, b + done * b_stride, b_stride, g + done,
                g_stride);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
