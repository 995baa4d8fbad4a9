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
#else
constexpr std::size_t kTileVectors = 1;  // 8 x 1 of 16: leaves room for the loads
#endif

/// Z[m..m+MR) x NR vectors = sum_k panel[k][m] * X[k]; see gemm() below.
template <std::size_t MR, std::size_t NR, class D, class T = hn::TFromD<D>>
HWY_INLINE void gemm_tile(D d, std::size_t K, const T* HWY_RESTRICT panel, const T* HWY_RESTRICT x,
                          std::size_t ldx, T* HWY_RESTRICT z, std::size_t ldz,
                          const T* HWY_RESTRICT bias, bool accumulate) {
  using V = hn::Vec<D>;
  const std::size_t L = hn::Lanes(d);
  V acc[MR][NR];
  for (std::size_t i = 0; i < MR; ++i) {
    for (std::size_t j = 0; j < NR; ++j) {
      acc[i][j] = accumulate ? hn::LoadU(d, z + i * ldz + j * L)
                             : (bias != nullptr ? hn::Set(d, bias[i]) : hn::Zero(d));
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    V b[NR];
    for (std::size_t j = 0; j < NR; ++j) b[j] = hn::LoadU(d, x + k * ldx + j * L);
    for (std::size_t i = 0; i < MR; ++i) {
      const V a = hn::Set(d, panel[k * MR + i]);
      for (std::size_t j = 0; j < NR; ++j) acc[i][j] = hn::MulAdd(a, b[j], acc[i][j]);
    }
  }
  for (std::size_t i = 0; i < MR; ++i) {
    for (std::size_t j = 0; j < NR; ++j) hn::StoreU(acc[i][j], d, z + i * ldz + j * L);
  }
}

template <std::size_t NR, class D, class T = hn::TFromD<D>>
HWY_INLINE void gemm_rows(D d, std::size_t rows, std::size_t K, const T* panel, const T* x,
                          std::size_t ldx, T* z, std::size_t ldz, const T* bias, bool accumulate) {
  switch (rows) {
    case 1:
      return gemm_tile<1, NR>(d, K, panel, x, ldx, z, ldz, bias, accumulate);
    case 2:
      return gemm_tile<2, NR>(d, K, panel, x, ldx, z, ldz, bias, accumulate);
    case 3:
      return gemm_tile<3, NR>(d, K, panel, x, ldx, z, ldz, bias, accumulate);
    case 4:
      return gemm_tile<4, NR>(d, K, panel, x, ldx, z, ldz, bias, accumulate);
    case 5:
      return gemm_tile<5, NR>(d, K, panel, x, ldx, z, ldz, bias, accumulate);
    case 6:
      return gemm_tile<6, NR>(d, K, panel, x, ldx, z, ldz, bias, accumulate);
    case 7:
      return gemm_tile<7, NR>(d, K, panel, x, ldx, z, ldz, bias, accumulate);
    default:
      return gemm_tile<8, NR>(d, K, panel, x, ldx, z, ldz, bias, accumulate);
  }
}

/// Z (M x N) = A X (+ bias on the first n_bias columns), or Z += A X.
///   A  packed by pack_panels; X (K x N) and Z row-major; N and n_bias are multiples of the vector
template <class T>
void gemm(std::size_t M, std::size_t N, std::size_t K, const T* packed, const T* x, std::size_t ldx,
          T* z, std::size_t ldz, const T* bias, std::size_t n_bias, bool accumulate) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  const std::size_t n_panels = panel_count(M);
  // One X tile of kTileVectors columns stays in the first-level cache while all panels pass.
  const auto columns = [&](std::size_t begin, std::size_t end, const T* b) {
    std::size_t n = begin;
    for (; n + kTileVectors * L <= end; n += kTileVectors * L) {
      for (std::size_t p = 0; p < n_panels; ++p) {
        const std::size_t m = panel_begin(M, p);
        gemm_rows<kTileVectors>(d, panel_begin(M, p + 1) - m, K, packed + m * K, x + n, ldx,
                                z + m * ldz + n, ldz, b ? b + m : nullptr, accumulate);
      }
    }
    for (; n < end; n += L) {
      for (std::size_t p = 0; p < n_panels; ++p) {
        const std::size_t m = panel_begin(M, p);
        gemm_rows<1>(d, panel_begin(M, p + 1) - m, K, packed + m * K, x + n, ldx, z + m * ldz + n,
                     ldz, b ? b + m : nullptr, accumulate);
      }
    }
  };
  const std::size_t split = bias != nullptr ? std::min(n_bias, N) : 0;
  columns(0, split, bias);
  columns(split, N, nullptr);
}

#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kDotRows = 4, kDotColumns = 6;
#else
constexpr std::size_t kDotRows = 3, kDotColumns = 4;
#endif

/// G[MR x NR] += A[MR rows] . B[NR rows], inner products over N columns.
template <std::size_t MR, std::size_t NR, class D, class T = hn::TFromD<D>>
HWY_INLINE void dot_tile(D d, std::size_t N, const T* HWY_RESTRICT a, std::size_t lda,
                         const T* HWY_RESTRICT b, std::size_t ldb, T* HWY_RESTRICT g,
                         std::size_t ldg) {
  using V = hn::Vec<D>;
  const std::size_t L = hn::Lanes(d);
  V acc[MR][NR];
  for (std::size_t i = 0; i < MR; ++i) {
    for (std::size_t j = 0; j < NR; ++j) acc[i][j] = hn::Zero(d);
  }
  for (std::size_t n = 0; n < N; n += L) {
    V x[MR];
    for (std::size_t i = 0; i < MR; ++i) x[i] = hn::LoadU(d, a + i * lda + n);
    for (std::size_t j = 0; j < NR; ++j) {
      const V y = hn::LoadU(d, b + j * ldb + n);
      for (std::size_t i = 0; i < MR; ++i) acc[i][j] = hn::MulAdd(x[i], y, acc[i][j]);
    }
  }
  for (std::size_t i = 0; i < MR; ++i) {
    for (std::size_t j = 0; j < NR; ++j)
      g[i * ldg + j] += hn::GetLane(hn::SumOfLanes(d, acc[i][j]));
  }
}

template <std::size_t MR, class D, class T = hn::TFromD<D>>
HWY_INLINE void dot_columns(D d, std::size_t columns, std::size_t N, const T* a, std::size_t lda,
                            const T* b, std::size_t ldb, T* g, std::size_t ldg) {
  switch (columns) {
    case 1:
      return dot_tile<MR, 1>(d, N, a, lda, b, ldb, g, ldg);
    case 2:
      return dot_tile<MR, 2>(d, N, a, lda, b, ldb, g, ldg);
    case 3:
      return dot_tile<MR, 3>(d, N, a, lda, b, ldb, g, ldg);
    case 4:
      return dot_tile<MR, 4>(d, N, a, lda, b, ldb, g, ldg);
    case 5:
      return dot_tile<MR, 5>(d, N, a, lda, b, ldb, g, ldg);
    default:
      return dot_tile<MR, 6>(d, N, a, lda, b, ldb, g, ldg);
  }
}

/// G (M x K, leading dimension ldg) += A B', with A (M x N) and B (K x N) row-major.
template <class T>
void gemm_dot(std::size_t M, std::size_t K, std::size_t N, const T* a, std::size_t lda, const T* b,
              std::size_t ldb, T* g, std::size_t ldg) {
  const hn::ScalableTag<T> d;
  const std::size_t n_row_tiles = (M + kDotRows - 1) / kDotRows;
  const std::size_t n_column_tiles = (K + kDotColumns - 1) / kDotColumns;
  for (std::size_t r = 0; r < n_row_tiles; ++r) {
    const std::size_t m = M * r / n_row_tiles, rows = M * (r + 1) / n_row_tiles - m;
    for (std::size_t c = 0; c < n_column_tiles; ++c) {
      const std::size_t k = K * c / n_column_tiles, columns = K * (c + 1) / n_column_tiles - k;
      const T* left = a + m * lda;
      const T* right = b + k * ldb;
      T* out = g + m * ldg + k;
      switch (rows) {
        case 1:
          dot_columns<1>(d, columns, N, left, lda, right, ldb, out, ldg);
          break;
        case 2:
          dot_columns<2>(d, columns, N, left, lda, right, ldb, out, ldg);
          break;
        case 3:
          dot_columns<3>(d, columns, N, left, lda, right, ldb, out, ldg);
          break;
        default:
          dot_columns<4>(d, columns, N, left, lda, right, ldb, out, ldg);
          break;
      }
    }
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
