// One complex matrix per mode, for one instruction set (Highway per-target header).
//
// A vector holds one part, real or imaginary, of neighbouring modes, so that products of complex
// numbers are four multiply-adds and no shuffles. Parameters, which lie as [out][in][mode][2], are
// put into the order of the loops once per step:
//   weights  [vector of modes][out][in][2][lanes], the last vector with the modes that are left
//   kept     [vector of modes][sample][in, then out][2][lanes]
#if defined(CAUCHY_TENSOR_MODE_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_TENSOR_MODE_PRODUCTS_INL_H_
#undef CAUCHY_TENSOR_MODE_PRODUCTS_INL_H_
#else
#define CAUCHY_TENSOR_MODE_PRODUCTS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "engine/backend/cpu/gemm-inl.h"
#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/backend/cpu/tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using cauchy::detail::ModeProduct;
using cauchy::detail::ModeSizes;

#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kModeRows = 4;  // 4 x 3 x 2 accumulators of 32 registers
constexpr std::size_t kModeSamples = 3;
#else
constexpr std::size_t kModeRows = 2;
constexpr std::size_t kModeSamples = 2;
#endif

/// Modes of vector v, and where its numbers begin among `per_mode` complex ones for every mode.
struct ModePiece {
  std::size_t width, begin;
};
template <class T>
HWY_INLINE ModePiece PieceOf(std::size_t modes, std::size_t v, std::size_t per_mode) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>());
  return {std::min(L, modes - v * L), v * L * 2 * per_mode};
}

template <class T>
std::size_t ModePieces(std::size_t modes) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>());
  return (modes + L - 1) / L;
}

template <class T>
void ModePack(const ModeSizes& m, std::size_t v, const double* from, T* to) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>());
  const ModePiece piece = PieceOf<T>(m.modes, v, m.in * m.out);
  to += piece.begin;
  from += 2 * v * L;
  for (std::size_t oi = 0; oi < m.in * m.out; ++oi, from += 2 * m.modes, to += 2 * piece.width) {
    for (std::size_t k = 0; k < piece.width; ++k) {
      to[k] = static_cast<T>(from[2 * k]);
      to[piece.width + k] = static_cast<T>(from[2 * k + 1]);
    }
  }
}

/// R channels of S samples of one vector of modes: the sum over `terms` channels of W times x, or
/// (kAdjoint) of conj(W) times x.
///   w        the weights of the first row and term; rows and terms are row, term apart
///   x, z     real parts of the first channel and sample; channels are 2 modes apart
///   ahead    from these weights to those that are needed after all of this vector
template <bool kAdjoint, bool kTail, std::size_t R, std::size_t S, class T>
HWY_INLINE void ModeTile(std::size_t terms, std::size_t width, std::size_t modes,
                         const T* HWY_RESTRICT w, std::size_t row, std::size_t term,
                         std::size_t ahead, const T* HWY_RESTRICT x, std::size_t x_sample, bool add,
                         T* z, std::size_t z_sample) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto load = [&](const T* p) { return kTail ? LoadSome(d, p, width) : hn::LoadU(d, p); };
  V re[R][S], im[R][S];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t s = 0; s < S; ++s) re[r][s] = im[r][s] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < terms; ++k) {
    V u[S], v[S];
    for (std::size_t s = 0; s < S; ++s) {
      u[s] = InRegister(load(x + s * x_sample));
      v[s] = InRegister(load(x + s * x_sample + modes));
    }
    for (std::size_t r = 0; r < R; ++r) {
      const T* at = w + r * row;
      if constexpr (!kTail) {
        hwy::Prefetch(at + ahead);
        hwy::Prefetch(at + ahead + width);
      }
      const V a = load(at), b = load(at + width);
      for (std::size_t s = 0; s < S; ++s) {
        re[r][s] = hn::MulAdd(a, u[s], re[r][s]);
        im[r][s] = hn::MulAdd(a, v[s], im[r][s]);
        if constexpr (kAdjoint) {
          re[r][s] = hn::MulAdd(b, v[s], re[r][s]);
          im[r][s] = hn::NegMulAdd(b, u[s], im[r][s]);
        } else {
          re[r][s] = hn::NegMulAdd(b, v[s], re[r][s]);
          im[r][s] = hn::MulAdd(b, u[s], im[r][s]);
        }
      }
    }
    w += term;
    x += 2 * modes;
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t s = 0; s < S; ++s) {
      T* at = z + s * z_sample + 2 * r * modes;
      const auto store = [&](V v, T* p) {
        if (add) v = hn::Add(v, load(p));
        if (kTail) {
          StoreSome(d, v, width, p);
        } else {
          hn::StoreU(v, d, p);
        }
      };
      store(re[r][s], at);
      store(im[r][s], at + modes);
    }
  }
}

/// z = W x, or (kAdjoint) z = conj(W)' x; or added to z.
template <bool kAdjoint, class T>
void ModeSums(const ModeProduct<T>& p, const T* x, bool add, T* z) {
  const ModeSizes& m = p.sizes;
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>());
  const std::size_t rows = kAdjoint ? m.in : m.out, terms = kAdjoint ? m.out : m.in;
  for (std::size_t v = 0; v < ModePieces<T>(m.modes); ++v) {
    const ModePiece piece = PieceOf<T>(m.modes, v, m.in * m.out);
    const std::size_t one = 2 * piece.width, many = one * m.in;
    const std::size_t row = kAdjoint ? one : many, term = kAdjoint ? many : one;
    const T* w = p.weights + piece.begin;
    // The next vector's weights, as many numbers behind these.
    const std::size_t ahead = m.modes >= (v + 2) * L ? many * m.out : 0;
    for (std::size_t s = 0; s < p.n; s += kModeSamples) {
      WithCount<kModeSamples>(std::min(kModeSamples, p.n - s), [&]<std::size_t S>() {
        for (std::size_t r = 0; r < rows; r += kModeRows) {
          WithCount<kModeRows>(std::min(kModeRows, rows - r), [&]<std::size_t R>() {
            const T* from = x + s * terms * 2 * m.modes + v * L;
            T* to = z + (s * rows + r) * 2 * m.modes + v * L;
            const auto tile = [&]<bool kTail>() {
              ModeTile<kAdjoint, kTail, R, S>(terms, piece.width, m.modes, w + r * row, row, term,
                                              ahead, from, terms * 2 * m.modes, add, to,
                                              rows * 2 * m.modes);
            };
            if (piece.width == L) {
              tile.template operator()<false>();
            } else {
              tile.template operator()<true>();
            }
          });
        }
      });
    }
  }
}

template <class T>
void ModeForward(const ModeProduct<T>& p, const T* x, T* y) {
  ModeSums<false>(p, x, false, y);
}

template <class T>
void ModeBackward(const ModeProduct<T>& p, const T* y_bar, bool add, T* x_bar) {
  ModeSums<true>(p, y_bar, add, x_bar);
}

template <class T>
void ModeKeep(const ModeSizes& m, std::size_t n, const T* x, const T* y_bar, std::size_t first,
              std::size_t batch, T* kept) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>()), channels = m.in + m.out;
  for (std::size_t v = 0; v < ModePieces<T>(m.modes); ++v) {
    const ModePiece piece = PieceOf<T>(m.modes, v, channels * batch);
    T* to = kept + piece.begin + first * channels * 2 * piece.width;
    for (std::size_t s = 0; s < n; ++s) {
      const auto take = [&](std::size_t parts, const T* from) {
        from += s * parts * m.modes + v * L;
        for (std::size_t c = 0; c < parts; ++c, from += m.modes, to += piece.width) {
          std::copy_n(from, piece.width, to);
        }
      };
      take(2 * m.in, x);
      take(2 * m.out, y_bar);
    }
  }
}

/// O x I numbers of the gradient for the modes of one piece: sums of y_bar conj(x) over n samples.
template <bool kTail, std::size_t O, std::size_t I, class T>
HWY_INLINE void ModeGradientTile(std::size_t n, std::size_t width, std::size_t sample,
                                 const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, bool add,
                                 double* g, std::size_t row, std::size_t one) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto load = [&](const T* p) { return kTail ? LoadSome(d, p, width) : hn::LoadU(d, p); };
  V re[O][I], im[O][I];
  for (std::size_t o = 0; o < O; ++o) {
    for (std::size_t i = 0; i < I; ++i) re[o][i] = im[o][i] = hn::Zero(d);
  }
  for (std::size_t s = 0; s < n; ++s) {
    V u[I], v[I];
    for (std::size_t i = 0; i < I; ++i) {
      u[i] = InRegister(load(x + 2 * i * width));
      v[i] = InRegister(load(x + (2 * i + 1) * width));
    }
    for (std::size_t o = 0; o < O; ++o) {
      const V a = load(y + 2 * o * width), b = load(y + (2 * o + 1) * width);
      for (std::size_t i = 0; i < I; ++i) {
        re[o][i] = hn::MulAdd(b, v[i], hn::MulAdd(a, u[i], re[o][i]));
        im[o][i] = hn::NegMulAdd(a, v[i], hn::MulAdd(b, u[i], im[o][i]));
      }
    }
    x += sample;
    y += sample;
  }
  HWY_ALIGN T parts[2][HWY_MAX_BYTES / sizeof(T)];
  for (std::size_t o = 0; o < O; ++o) {
    for (std::size_t i = 0; i < I; ++i) {
      hn::Store(re[o][i], d, parts[0]);
      hn::Store(im[o][i], d, parts[1]);
      double* at = g + o * row + i * one;
      for (std::size_t k = 0; k < width; ++k) {
        at[2 * k] = (add ? at[2 * k] : 0) + static_cast<double>(parts[0][k]);
        at[2 * k + 1] = (add ? at[2 * k + 1] : 0) + static_cast<double>(parts[1][k]);
      }
    }
  }
}

template <class T>
void ModeGradient(const ModeSizes& m, std::size_t v, std::size_t batch, const T* kept, bool add,
                  double* gradient) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>()), one = 2 * m.modes;
  const ModePiece piece = PieceOf<T>(m.modes, v, (m.in + m.out) * batch);
  const T *x = kept + piece.begin, *y = x + 2 * m.in * piece.width;
  const std::size_t sample = 2 * (m.in + m.out) * piece.width;
  for (std::size_t o = 0; o < m.out; o += kModeRows) {
    WithCount<kModeRows>(std::min(kModeRows, m.out - o), [&]<std::size_t O>() {
      for (std::size_t i = 0; i < m.in; i += kModeSamples) {
        WithCount<kModeSamples>(std::min(kModeSamples, m.in - i), [&]<std::size_t I>() {
          const auto tile = [&]<bool kTail>() {
            ModeGradientTile<kTail, O, I>(
                batch, piece.width, sample, x + 2 * i * piece.width, y + 2 * o * piece.width, add,
                gradient + (o * m.in + i) * one + 2 * v * L, m.in * one, one);
          };
          if (piece.width == L) {
            tile.template operator()<false>();
          } else {
            tile.template operator()<true>();
          }
        });
      }
    });
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
