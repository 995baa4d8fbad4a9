// Transforms of Winograd's convolution F(4 x 4, 3 x 3), for one instruction set (Highway per-target
// header). Four outputs of a kernel of three points along an axis are
//   y = A' [(G g) * (B' d)],
// six products in place of twelve. Along two axes a matrix acts from both sides. Channels run along
// the vectors, so that no lanes are mixed.
#if defined(CAUCHY_TENSOR_WINOGRAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_TENSOR_WINOGRAD_INL_H_
#undef CAUCHY_TENSOR_WINOGRAD_INL_H_
#else
#define CAUCHY_TENSOR_WINOGRAD_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <utility>

#include "tensor/backend/cpu/field_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using cauchy::detail::WinogradMatrix;
using cauchy::detail::WinogradTiles;

// The points of the interpolation behind it are 0, 1, -1, 2, -2 and infinity.
constexpr double kWinogradB[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0},
                                     {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0},
                                     {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};  // transposed
constexpr double kWinogradA[4][6] = {
    {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
constexpr double kWinogradG[6][3] = {{1.0 / 4, 0, 0},
                                     {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                     {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                     {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                     {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                     {0, 0, 1}};

template <WinogradMatrix kMatrix>
constexpr std::size_t WinogradRows() {
  return kMatrix == WinogradMatrix::output ? 4 : kMatrix == WinogradMatrix::weights_back ? 3 : 6;
}
template <WinogradMatrix kMatrix>
constexpr std::size_t WinogradColumns() {
  return kMatrix == WinogradMatrix::output_back ? 4 : kMatrix == WinogradMatrix::weights ? 3 : 6;
}
template <WinogradMatrix kMatrix>
constexpr double WinogradNumber(std::size_t r, std::size_t c) {
  switch (kMatrix) {
    case WinogradMatrix::input:
      return kWinogradB[r][c];
    case WinogradMatrix::input_back:
      return kWinogradB[c][r];
    case WinogradMatrix::output:
      return kWinogradA[r][c];
    case WinogradMatrix::output_back:
      return kWinogradA[c][r];
    case WinogradMatrix::weights:
      return kWinogradG[r][c];
    case WinogradMatrix::weights_back:
      return kWinogradG[c][r];
  }
}

/// body<0>() ... body<N - 1>(): arrays of vectors with a variable index would live in memory.
template <std::size_t N, class Body>
HWY_INLINE void ForIndices(const Body& body) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (body.template operator()<I>(), ...); }
  (std::make_index_sequence<N>());
}

/// The first number of a row that is not 0.
template <WinogradMatrix kMatrix>
constexpr std::size_t WinogradFirst(std::size_t r) {
  std::size_t c = 0;
  while (WinogradNumber<kMatrix>(r, c) == 0) ++c;
  return c;
}

/// Row R of the matrix times the numbers at x.
template <WinogradMatrix kMatrix, std::size_t R, class D, class V>
HWY_INLINE V WinogradSum(D d, const V* x) {
  V sum = hn::Zero(d);
  ForIndices<WinogradColumns<kMatrix>()>([&]<std::size_t C>() {
    constexpr double m = WinogradNumber<kMatrix>(R, C);
    constexpr bool first = C == WinogradFirst<kMatrix>(R);
    if constexpr (m == 1) {
      sum = first ? x[C] : hn::Add(sum, x[C]);
    } else if constexpr (m == -1) {
      sum = first ? hn::Neg(x[C]) : hn::Sub(sum, x[C]);
    } else if constexpr (m != 0) {
      const auto factor = hn::Set(d, static_cast<hn::TFromD<D>>(m));
      sum = first ? hn::Mul(factor, x[C]) : hn::MulAdd(factor, x[C], sum);
    }
  });
  return sum;
}

/// M x M' of every tile and channel.
template <WinogradMatrix kMatrix, class T>
void WinogradBy(const WinogradTiles<T>& p) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t R = WinogradRows<kMatrix>(), C = WinogradColumns<kMatrix>();
  const std::size_t L = hn::Lanes(d);
  for (std::size_t tile = 0; tile < p.tiles; ++tile) {
    for (std::size_t n = 0; n < p.channels; n += L) {
      const T* from = p.from + tile * p.from_tile + n;
      T* to = p.to + tile * p.to_tile + n;
      V half[R * C];
      ForIndices<C>([&]<std::size_t c>() {
        V x[C];
        ForIndices<C>([&]<std::size_t r>() {
          x[r] = hn::LoadU(d, from + r * p.from_row + c * p.from_column);
        });
        ForIndices<R>([&]<std::size_t r>() { half[r * C + c] = WinogradSum<kMatrix, r>(d, x); });
      });
      ForIndices<R>([&]<std::size_t r>() {
        ForIndices<R>([&]<std::size_t s>() {
          const V v = WinogradSum<kMatrix, s>(d, half + r * C);
          T* at = to + r * p.to_row + s * p.to_column;
          hn::StoreU(p.add ? hn::Add(hn::LoadU(d, at), v) : v, d, at);
        });
      });
    }
  }
}

template <class T>
void Winograd(WinogradMatrix matrix, const WinogradTiles<T>& p) {
  switch (matrix) {
    case WinogradMatrix::input:
      return WinogradBy<WinogradMatrix::input>(p);
    case WinogradMatrix::input_back:
      return WinogradBy<WinogradMatrix::input_back>(p);
    case WinogradMatrix::output:
      return WinogradBy<WinogradMatrix::output>(p);
    case WinogradMatrix::output_back:
      return WinogradBy<WinogradMatrix::output_back>(p);
    case WinogradMatrix::weights:
      return WinogradBy<WinogradMatrix::weights>(p);
    case WinogradMatrix::weights_back:
      return WinogradBy<WinogradMatrix::weights_back>(p);
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
