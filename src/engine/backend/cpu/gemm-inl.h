// Small matrix products of the engine, for one instruction set (Highway per-target header).
//
// A block array has one row per feature and contiguous columns (components x points), so none of
// the kernels packs it; only the weights are packed, once per evaluation. All sums run in a fixed
// order: results depend on the shapes and the instruction set alone.
#if defined(CAUCHY_ENGINE_GEMM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_ENGINE_GEMM_INL_H_
#undef CAUCHY_ENGINE_GEMM_INL_H_
#else
#define CAUCHY_ENGINE_GEMM_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "engine/backend/cpu/packing.hpp"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kTileVectors = 3;  // 8 x 3 accumulators of 32 registers
constexpr std::size_t kDotRows = 3;      // 3 x 8
constexpr std::size_t kDotColumns = 8;
#else
constexpr std::size_t kTileVectors = 3;  // 4 x 3 of 16: fewer columns would load more than multiply
constexpr std::size_t kDotRows = 3;      // 3 x 4: with fewer rows the loads would take longer
constexpr std::size_t kDotColumns = 4;
#endif

/// Makes the compiler keep a loaded vector in a register: folded into several multiply-adds as a
/// memory operand it would be loaded once for each of them.
template <class V>
HWY_INLINE V InRegister(V v) {
#if HWY_TARGET <= HWY_AVX3 && HWY_COMPILER_GCC && !HWY_COMPILER_CLANG
  asm("" : "+v"(v.raw));
#endif
  return v;
}

/// Calls body.template operator()<n>() for a number n from 1 to kMax.
template <std::size_t kMax, class Body>
HWY_INLINE void WithCount(std::size_t n, const Body& body) {
  if constexpr (kMax > 1) {
    if (n < kMax) return WithCount<kMax - 1>(n, body);
  }
  body.template operator()<kMax>();
}

/// MR rows x NR vectors of Z = sum_k panel[k][i] * X[k], with `rows` numbers from panel[k] to the
/// next; the first `biased` vectors get the bias.
template <std::size_t MR, std::size_t NR, class D, class T = hn::TFromD<D>>
HWY_INLINE void GemmTile(D d, std::size_t K, const T* HWY_RESTRICT panel, std::size_t rows,
                         const T* HWY_RESTRICT x, std::size_t ldx, T* HWY_RESTRICT z,
                         std::size_t ldz, const T* HWY_RESTRICT bias, std::size_t biased,
                         bool accumulate) {
  using V = hn::Vec<D>;
  const std::size_t L = hn::Lanes(d);
  V acc[MR][NR];
  for (std::size_t i = 0; i < MR; ++i) {
    for (std::size_t j = 0; j < NR; ++j) {
      acc[i][j] = accumulate ? hn::LoadU(d, z + i * ldz + j * L)
                             : (j < biased ? hn::Set(d, bias[i]) : hn::Zero(d));
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    V b[NR];
    for (std::size_t j = 0; j < NR; ++j) b[j] = hn::LoadU(d, x + k * ldx + j * L);
    for (std::size_t i = 0; i < MR; ++i) {
      const V a = hn::Set(d, panel[k * rows + i]);
      for (std::size_t j = 0; j < NR; ++j) acc[i][j] = hn::MulAdd(a, b[j], acc[i][j]);
    }
  }
  for (std::size_t i = 0; i < MR; ++i) {
    for (std::size_t j = 0; j < NR; ++j) hn::StoreU(acc[i][j], d, z + i * ldz + j * L);
  }
}

/// Z (M x N) = A X (+ bias on the first n_bias columns), or Z += A X.
///   A  packed by pack_panels; X (K x N) and Z row-major; N and n_bias are multiples of the vector
template <class T>
void Gemm(std::size_t M, std::size_t N, std::size_t K, const T* packed, const T* x, std::size_t ldx,
          T* z, std::size_t ldz, const T* bias, std::size_t n_bias, bool accumulate) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  const std::size_t n_panels = panel_count(M);
  if (bias == nullptr) n_bias = 0;
  // One tile of X columns stays in the first-level cache while all panels pass.
  for (std::size_t n = 0; n < N;) {
    const std::size_t vectors = std::min(kTileVectors, (N - n) / L);
    const std::size_t biased = n < n_bias ? (n_bias - n) / L : 0;
    WithCount<kTileVectors>(vectors, [&]<std::size_t NR>() {
      for (std::size_t p = 0; p < n_panels; ++p) {
        const std::size_t m = panel_begin(M, p), rows = panel_begin(M, p + 1) - m;
        const auto tile = [&]<std::size_t MR>(std::size_t r) {
          GemmTile<MR, NR>(d, K, packed + m * K + r, rows, x + n, ldx, z + (m + r) * ldz + n, ldz,
                           bias == nullptr ? bias : bias + m + r, biased, accumulate);
        };
#if HWY_TARGET <= HWY_AVX3
        WithCount<panel_rows>(rows, [&]<std::size_t MR>() { tile.template operator()<MR>(0); });
#else
        std::size_t r = 0;
        for (; r + 4 <= rows; r += 4) tile.template operator()<4>(r);
        if (r < rows) WithCount<3>(rows - r, [&]<std::size_t MR>() { tile.template operator()<MR>(r); });
#endif
      }
    });
    n += vectors * L;
  }
}

#if HWY_TARGET != HWY_SCALAR
/// Sums of neighbouring lanes, first those of a, then those of b.
template <class D, class V>
HWY_INLINE V PairSums(D d, V a, V b) {
  return hn::Add(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
}
#endif

/// out[j] += sum of the lanes of the j-th vector, j < N. By value: an array whose address is taken
/// would live in memory, also in the loop that fills it.
template <std::size_t N, class D, class V, class T = hn::TFromD<D>>
HWY_INLINE void AddSumsOf8(D d, V a0, V a1, V a2, V a3, V a4, V a5, V a6, V a7, T* out) {
#if HWY_TARGET == HWY_SCALAR  // has no operations across lanes, and needs none
  const T sums[8] = {hn::GetLane(a0), hn::GetLane(a1), hn::GetLane(a2), hn::GetLane(a3),
                     hn::GetLane(a4), hn::GetLane(a5), hn::GetLane(a6), hn::GetLane(a7)};
  (void)d;
#else
  constexpr std::size_t L = hn::MaxLanes(d);
  HWY_ALIGN T sums[L < 8 ? 8 : L];
  const V b0 = PairSums(d, a0, a1), b1 = PairSums(d, a2, a3);
  const V b2 = PairSums(d, a4, a5), b3 = PairSums(d, a6, a7);
  if constexpr (L >= 8) {
    V s = PairSums(d, PairSums(d, b0, b1), PairSums(d, b2, b3));
    if constexpr (L == 16) s = PairSums(d, s, s);
    hn::Store(s, d, sums);
  } else if constexpr (L == 4) {
    hn::Store(PairSums(d, b0, b1), d, sums);
    hn::Store(PairSums(d, b2, b3), d, sums + 4);
  } else {
    hn::Store(b0, d, sums);
    hn::Store(b1, d, sums + 2);
    hn::Store(b2, d, sums + 4);
    hn::Store(b3, d, sums + 6);
  }
#endif
  for (std::size_t j = 0; j < N; ++j) out[j] += sums[j];
}

/// The same for four vectors.
template <std::size_t N, class D, class V, class T = hn::TFromD<D>>
HWY_INLINE void AddSumsOf4(D d, V a0, V a1, V a2, V a3, T* out) {
#if HWY_TARGET == HWY_SCALAR
  const T sums[4] = {hn::GetLane(a0), hn::GetLane(a1), hn::GetLane(a2), hn::GetLane(a3)};
  (void)d;
#else
  constexpr std::size_t L = hn::MaxLanes(d);
  HWY_ALIGN T sums[L < 4 ? 4 : L];
  const V b0 = PairSums(d, a0, a1), b1 = PairSums(d, a2, a3);
  if constexpr (L >= 4) {
    V s = PairSums(d, b0, b1);
    if constexpr (L >= 8) s = PairSums(d, s, s);
    if constexpr (L == 16) s = PairSums(d, s, s);
    hn::Store(s, d, sums);
  } else {
    hn::Store(b0, d, sums);
    hn::Store(b1, d, sums + 2);
  }
#endif
  for (std::size_t j = 0; j < N; ++j) out[j] += sums[j];
}

/// G[MR x NR] += A[MR rows] . B[NR rows], inner products over N columns.
template <std::size_t MR, std::size_t NR, class D, class T = hn::TFromD<D>>
HWY_INLINE void DotTile(D d, std::size_t N, const T* HWY_RESTRICT a, std::size_t lda,
                        const T* HWY_RESTRICT b, std::size_t ldb, T* HWY_RESTRICT g,
                        std::size_t ldg) {
  using V = hn::Vec<D>;
  const std::size_t L = hn::Lanes(d);
  V acc[MR][kDotColumns];  // beyond NR they stay zero and take no register
  for (std::size_t i = 0; i < MR; ++i) {
    for (std::size_t j = 0; j < kDotColumns; ++j) acc[i][j] = hn::Zero(d);
  }
  for (std::size_t n = 0; n < N; n += L) {
    V x[MR];
    for (std::size_t i = 0; i < MR; ++i) x[i] = hn::LoadU(d, a + i * lda + n);
    for (std::size_t j = 0; j < NR; ++j) {
      const V y = InRegister(hn::LoadU(d, b + j * ldb + n));
      for (std::size_t i = 0; i < MR; ++i) acc[i][j] = hn::MulAdd(x[i], y, acc[i][j]);
    }
  }
  for (std::size_t i = 0; i < MR; ++i) {
#if HWY_TARGET <= HWY_AVX3
    AddSumsOf8<NR>(d, acc[i][0], acc[i][1], acc[i][2], acc[i][3], acc[i][4], acc[i][5], acc[i][6],
                   acc[i][7], g + i * ldg);
#else
    AddSumsOf4<NR>(d, acc[i][0], acc[i][1], acc[i][2], acc[i][3], g + i * ldg);
#endif
  }
}

/// G (M x K, leading dimension ldg) += A B', with A (M x N) and B (K x N) row-major.
template <class T>
void GemmDot(std::size_t M, std::size_t K, std::size_t N, const T* a, std::size_t lda, const T* b,
             std::size_t ldb, T* g, std::size_t ldg) {
  const hn::ScalableTag<T> d;
  const std::size_t row_tiles = (M + kDotRows - 1) / kDotRows;
  const std::size_t column_tiles = (K + kDotColumns - 1) / kDotColumns;
  for (std::size_t c = 0; c < column_tiles; ++c) {
    const std::size_t k = K * c / column_tiles, columns = K * (c + 1) / column_tiles - k;
    WithCount<kDotColumns>(columns, [&]<std::size_t NR>() {
      for (std::size_t r = 0; r < row_tiles; ++r) {
        const std::size_t m = M * r / row_tiles;
        WithCount<kDotRows>(M * (r + 1) / row_tiles - m, [&]<std::size_t MR>() {
          DotTile<MR, NR>(d, N, a + m * lda, lda, b + k * ldb, ldb, g + m * ldg + k, ldg);
        });
      }
    });
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
