// One complex matrix per mode, for one instruction set (Highway per-target header).
//
// Parameters lie as [out][in][mode][2], so a vector holds pairs (re, im) of neighbouring modes. It
// is multiplied as it is by vectors (re, re) and (im, im) of x, in two sums that are joined at the
// end: no shuffles in the loop. These vectors are laid out once, in the order of the loop:
//   panels   [vector of modes][channel][sample][2][lanes]
#if defined(CAUCHY_TENSOR_MODE_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_TENSOR_MODE_PRODUCTS_INL_H_
#undef CAUCHY_TENSOR_MODE_PRODUCTS_INL_H_
#else
#define CAUCHY_TENSOR_MODE_PRODUCTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/backend/cpu/gemm-inl.h"
#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/backend/cpu/tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using cauchy::detail::ModeProduct;

#if HWY_TARGET == HWY_SCALAR  // has no neighbours

template <class T>
std::size_t ModeWork(std::size_t, std::size_t, std::size_t, std::size_t) {
  return 0;
}

template <class T>
void ModeForward(const ModeProduct<T>& p, const T* x, T* y) {
  std::fill_n(y, p.n * p.out * 2 * p.modes, T(0));
  for (std::size_t s = 0; s < p.n; ++s) {
    for (std::size_t o = 0; o < p.out; ++o) {
      for (std::size_t i = 0; i < p.in; ++i) {
        const T* w = p.weights + (o * p.in + i) * 2 * p.modes;
        const T* u = x + (s * p.in + i) * 2 * p.modes;
        T* v = y + (s * p.out + o) * 2 * p.modes;
        for (std::size_t k = 0; k < p.modes; ++k) {
          const T re = u[k], im = u[p.modes + k];
          v[k] += w[2 * k] * re - w[2 * k + 1] * im;
          v[p.modes + k] += w[2 * k] * im + w[2 * k + 1] * re;
        }
      }
    }
  }
}

template <class T>
void ModeBackward(const ModeProduct<T>& p, const T* x, const T* y_bar, T* x_bar, T* w_bar) {
  for (std::size_t s = 0; s < p.n; ++s) {
    for (std::size_t o = 0; o < p.out; ++o) {
      const T* g = y_bar + (s * p.out + o) * 2 * p.modes;
      for (std::size_t i = 0; i < p.in; ++i) {
        const std::size_t at_w = (o * p.in + i) * 2 * p.modes, at_x = (s * p.in + i) * 2 * p.modes;
        for (std::size_t k = 0; k < p.modes; ++k) {
          const T re = g[k], im = g[p.modes + k];
          if (x_bar != nullptr) {
            const T* w = p.weights + at_w + 2 * k;
            x_bar[at_x + k] += w[0] * re + w[1] * im;
            x_bar[at_x + p.modes + k] += w[0] * im - w[1] * re;
          }
          if (w_bar != nullptr) {
            const T u = x[at_x + k], v = x[at_x + p.modes + k];
            w_bar[at_w + 2 * k] += re * u + im * v;
            w_bar[at_w + 2 * k + 1] += im * u - re * v;
          }
        }
      }
    }
  }
}

#else

#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kModeRows = 4;  // 4 x 3 x 2 accumulators of 32 registers
constexpr std::size_t kModeSamples = 3;
#else
constexpr std::size_t kModeRows = 2;
constexpr std::size_t kModeSamples = 2;
#endif

template <class T>
std::size_t ModeVectors(std::size_t modes) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>());
  return (2 * modes + L - 1) / L;
}

template <class T>
std::size_t ModeWork(std::size_t n, std::size_t in, std::size_t out, std::size_t modes) {
  return 2 * n * (in + 2 * out) * ModeVectors<T>(modes) * hn::Lanes(hn::ScalableTag<T>());
}

/// Panels of x [sample][channel][2][mode]; zero behind the last mode. kConjugate: in place of
/// (re, re), (im, im) the vectors (re, im), (im, -re).
template <bool kConjugate, class T>
void ModePanels(std::size_t n, std::size_t channels, std::size_t modes, const T* x, T* panels) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d), step = n * channels * 2 * L, vectors = ModeVectors<T>(modes);
  HWY_ALIGN T first[2 * hn::MaxLanes(d)], second[2 * hn::MaxLanes(d)];
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t s = 0; s < n; ++s) {
      const T *of_re = x + (s * channels + c) * 2 * modes, *of_im = of_re + modes;
      T* panel = panels + (c * n + s) * 2 * L;
      for (std::size_t k = 0; k < modes; k += L) {  // fills two vectors of pairs
        const bool full = k + L <= modes;
        const auto re = full ? hn::LoadU(d, of_re + k) : LoadSome(d, of_re + k, modes - k);
        const auto im = full ? hn::LoadU(d, of_im + k) : LoadSome(d, of_im + k, modes - k);
        hn::StoreInterleaved2(re, kConjugate ? im : re, d, first);
        hn::StoreInterleaved2(im, kConjugate ? hn::Neg(re) : im, d, second);
        for (std::size_t half = 0; half < 2 && 2 * k / L + half < vectors; ++half, panel += step) {
          hn::StoreU(hn::Load(d, first + half * L), d, panel);
          hn::StoreU(hn::Load(d, second + half * L), d, panel + L);
        }
      }
    }
  }
}

/// The pairs of `z` to (or added to) real and imaginary parts, `count` of them.
template <bool kAdd, class D, class V, class T = hn::TFromD<D> >
HWY_INLINE void StorePairs(D d, V z, std::size_t count, T* re, T* im) {
  const std::size_t L = hn::Lanes(d);
  if (count == L / 2) {
    const hn::Half<D> half;
    auto a = hn::LowerHalf(half, hn::ConcatEven(d, z, z));
    auto b = hn::LowerHalf(half, hn::ConcatOdd(d, z, z));
    if constexpr (kAdd) {
      a = hn::Add(a, hn::LoadU(half, re));
      b = hn::Add(b, hn::LoadU(half, im));
    }
    hn::StoreU(a, half, re);
    hn::StoreU(b, half, im);
    return;
  }
  HWY_ALIGN T pairs[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(z, d, pairs);
  for (std::size_t k = 0; k < count; ++k) {
    re[k] = kAdd ? re[k] + pairs[2 * k] : pairs[2 * k];
    im[k] = kAdd ? im[k] + pairs[2 * k + 1] : pairs[2 * k + 1];
  }
}

/// R channels of S samples of one vector of modes: the sum over `terms` channels of W times panel,
/// or (kAdjoint) of conj(W) times panel, added to.
///   w        the weights of the first row and term; rows and terms are row, term apart
///   z        real parts of the first row and sample; samples and rows are apart
template <bool kAdjoint, std::size_t R, std::size_t S, class T>
HWY_INLINE void ModeTile(std::size_t terms, const T* HWY_RESTRICT w, std::size_t row,
                         std::size_t term, std::size_t width, const T* HWY_RESTRICT panel,
                         std::size_t panel_step, std::size_t modes, std::size_t sample, T* z) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d);
  V by_re[R][S], by_im[R][S];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t s = 0; s < S; ++s) by_re[r][s] = by_im[r][s] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < terms; ++k) {
    V a[R];
    for (std::size_t r = 0; r < R; ++r) {
      const T* at = w + r * row + k * term;
      a[r] = InRegister(width == L ? hn::LoadU(d, at) : LoadSome(d, at, width));
    }
    for (std::size_t s = 0; s < S; ++s) {
      const V re = InRegister(hn::LoadU(d, panel + 2 * s * L));
      const V im = InRegister(hn::LoadU(d, panel + (2 * s + 1) * L));
      for (std::size_t r = 0; r < R; ++r) {
        by_re[r][s] = hn::MulAdd(a[r], re, by_re[r][s]);
        by_im[r][s] = hn::MulAdd(a[r], im, by_im[r][s]);
      }
    }
    panel += panel_step;
  }
  // Numbered at compile time: an array with a variable index would live in memory.
  const auto store = [&]<std::size_t I>() {
    constexpr std::size_t r = I / S, s = I % S;
    const V turned = hn::Reverse2(d, by_im[r][s]);
    const V plus = hn::Add(turned, by_re[r][s]);
    T* re = z + s * sample + 2 * r * modes;
    if constexpr (kAdjoint) {  // (a_re + b_im, b_re - a_im)
      const V minus = hn::Sub(turned, by_re[r][s]);
      StorePairs<true>(d, hn::OddEven(minus, plus), width / 2, re, re + modes);
    } else {  // (a_re - b_im, a_im + b_re)
      const V minus = hn::Sub(by_re[r][s], turned);
      StorePairs<false>(d, hn::OddEven(plus, minus), width / 2, re, re + modes);
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (store.template operator()<I>(), ...); }
  (std::make_index_sequence<R * S>());
}

/// z = W x for `rows` channels, or (kAdjoint) z += conj(W)' x.
template <bool kAdjoint, class T>
void ModeSums(const ModeProduct<T>& p, const T* panels, T* z) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>());
  const std::size_t rows = kAdjoint ? p.in : p.out, terms = kAdjoint ? p.out : p.in;
  const std::size_t one = 2 * p.modes, many = one * p.in;
  const std::size_t row = kAdjoint ? one : many, term = kAdjoint ? many : one;
  for (std::size_t v = 0; v < ModeVectors<T>(p.modes); ++v) {
    const std::size_t width = std::min(L, one - v * L);
    const T* panel = panels + v * terms * p.n * 2 * L;
    for (std::size_t s = 0; s < p.n; s += kModeSamples) {
      WithCount<kModeSamples>(std::min(kModeSamples, p.n - s), [&]<std::size_t S>() {
        for (std::size_t r = 0; r < rows; r += kModeRows) {
          WithCount<kModeRows>(std::min(kModeRows, rows - r), [&]<std::size_t R>() {
            ModeTile<kAdjoint, R, S>(terms, p.weights + r * row + v * L, row, term, width,
                                     panel + s * 2 * L, p.n * 2 * L, p.modes, rows * one,
                                     z + (s * rows + r) * one + v * L / 2);
          });
        }
      });
    }
  }
}

/// R rows of W_bar for one vector of modes: += y_bar conj(x)' of S samples.
template <std::size_t R, std::size_t S, class T>
HWY_INLINE void ModeGradientTile(std::size_t in, std::size_t width, const T* HWY_RESTRICT y,
                                 const T* HWY_RESTRICT x, std::size_t step, std::size_t one,
                                 T* HWY_RESTRICT w) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d);
  V plain[R][S], turned[R][S];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t s = 0; s < S; ++s) {
      plain[r][s] = hn::LoadU(d, y + r * step + 2 * s * L);
      turned[r][s] = hn::LoadU(d, y + r * step + (2 * s + 1) * L);
    }
  }
  for (std::size_t i = 0; i < in; ++i, x += step, w += one) {
    V sum[R];
    for (std::size_t r = 0; r < R; ++r) {
      const T* at = w + r * in * one;
      sum[r] = width == L ? hn::LoadU(d, at) : LoadSome(d, at, width);
    }
    for (std::size_t s = 0; s < S; ++s) {
      const V re = InRegister(hn::LoadU(d, x + 2 * s * L));
      const V im = InRegister(hn::LoadU(d, x + (2 * s + 1) * L));
      for (std::size_t r = 0; r < R; ++r) {
        sum[r] = hn::MulAdd(plain[r][s], re, sum[r]);
        sum[r] = hn::MulAdd(turned[r][s], im, sum[r]);
      }
    }
    for (std::size_t r = 0; r < R; ++r) {
      T* at = w + r * in * one;
      if (width == L) {
        hn::StoreU(sum[r], d, at);
      } else {
        StoreSome(d, sum[r], width, at);
      }
    }
  }
}

template <class T>
void ModeGradient(const ModeProduct<T>& p, const T* y, const T* x, T* w_bar) {
  constexpr std::size_t rows = 2;
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>()), step = p.n * 2 * L, one = 2 * p.modes;
  for (std::size_t v = 0; v < ModeVectors<T>(p.modes); ++v) {
    const std::size_t width = std::min(L, one - v * L);
    for (std::size_t s = 0; s < p.n; s += kModeSamples) {
      WithCount<kModeSamples>(std::min(kModeSamples, p.n - s), [&]<std::size_t S>() {
        for (std::size_t o = 0; o < p.out; o += rows) {
          WithCount<rows>(std::min(rows, p.out - o), [&]<std::size_t R>() {
            ModeGradientTile<R, S>(p.in, width, y + (v * p.out + o) * step + s * 2 * L,
                                   x + v * p.in * step + s * 2 * L, step, one,
                                   w_bar + o * p.in * one + v * L);
          });
        }
      });
    }
  }
}

template <class T>
void ModeForward(const ModeProduct<T>& p, const T* x, T* y) {
  ModePanels<false>(p.n, p.in, p.modes, x, p.work);
  ModeSums<false>(p, p.work, y);
}

template <class T>
void ModeBackward(const ModeProduct<T>& p, const T* x, const T* y_bar, T* x_bar, T* w_bar) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>());
  const std::size_t one = 2 * p.n * ModeVectors<T>(p.modes) * L;
  T *of_x = p.work, *of_y = of_x + one * p.in;
  if (x_bar != nullptr) {
    ModePanels<false>(p.n, p.out, p.modes, y_bar, of_y);
    ModeSums<true>(p, of_y, x_bar);
  }
  if (w_bar != nullptr) {
    ModePanels<false>(p.n, p.in, p.modes, x, of_x);
    ModePanels<true>(p.n, p.out, p.modes, y_bar, of_y);
    ModeGradient(p, of_y, of_x, w_bar);
  }
}

#endif

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
