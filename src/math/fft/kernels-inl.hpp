// Body of kernels.cpp, included once per instruction set; no #pragma once for that reason.
#if defined(CAUCHY_FFT_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_FFT_KERNELS_INL
#undef CAUCHY_FFT_KERNELS_INL
#else
#define CAUCHY_FFT_KERNELS_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <type_traits>

#include "math/fft/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cauchy::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using std::size_t;

// The arguments of fft_pass.
template <class T>
struct Pass {
  const FftStage<T>& stage;
  const FftRows<T>& in;
  const FftRows<T>& out;
  size_t lanes;
  T scale;
};

// a * b for complex vectors; plain products and sums, so that no instruction set fuses them.
#define CAUCHY_CMUL(ar, ai, br, bi, re, im)                  \
  const auto re = hn::Sub(hn::Mul(ar, br), hn::Mul(ai, bi)); \
  const auto im = hn::Add(hn::Mul(ar, bi), hn::Mul(ai, br))

template <class D, class T, class V>
HWY_INLINE void load_pair(D d, const T* p, V& a, V& b) {
  if constexpr (D::kPrivateN == 1) {
    a = hn::Set(d, p[0]);
    b = hn::Set(d, p[1]);
  } else {
    hn::LoadInterleaved2(d, p, a, b);
  }
}

template <class D, class T, class V>
HWY_INLINE void store_pair(D d, V a, V b, T* p) {
  if constexpr (D::kPrivateN == 1) {
    p[0] = hn::GetLane(a);
    p[1] = hn::GetLane(b);
  } else {
    hn::StoreInterleaved2(a, b, d, p);
  }
}

template <bool Interleaved, class D, class T, class V>
HWY_INLINE void load(D d, const FftRows<T>& x, size_t i, V& re, V& im) {
  if constexpr (Interleaved) {
    if (x.swap) {
      load_pair(d, x.re + 2 * i, im, re);
    } else {
      load_pair(d, x.re + 2 * i, re, im);
    }
  } else {
    re = hn::LoadU(d, x.re + i);
    im = hn::LoadU(d, x.im + i);
  }
}

template <bool Interleaved, class D, class T, class V>
HWY_INLINE void store(D d, const FftRows<T>& x, size_t i, V re, V im, T scale) {
  if constexpr (Interleaved) {
    const V factor = hn::Set(d, scale);
    re = hn::Mul(re, factor);
    im = hn::Mul(im, factor);
    if (x.swap) {
      store_pair(d, im, re, x.re + 2 * i);
    } else {
      store_pair(d, re, im, x.re + 2 * i);
    }
  } else {
    hn::StoreU(re, d, x.re + i);
    hn::StoreU(im, d, x.im + i);
  }
}

// y = DFT_4(x)
template <class V>
HWY_INLINE void dft4(const V* xr, const V* xi, V* yr, V* yi) {
  const V ar = hn::Add(xr[0], xr[2]), ai = hn::Add(xi[0], xi[2]);
  const V br = hn::Sub(xr[0], xr[2]), bi = hn::Sub(xi[0], xi[2]);
  const V cr = hn::Add(xr[1], xr[3]), ci = hn::Add(xi[1], xi[3]);
  const V er = hn::Sub(xr[1], xr[3]), ei = hn::Sub(xi[1], xi[3]);
  yr[0] = hn::Add(ar, cr), yi[0] = hn::Add(ai, ci);
  yr[2] = hn::Sub(ar, cr), yi[2] = hn::Sub(ai, ci);
  yr[1] = hn::Add(br, ei), yi[1] = hn::Sub(bi, er);
  yr[3] = hn::Sub(br, ei), yi[3] = hn::Add(bi, er);
}

// In-place DFT of R complex vectors; R = 0 is any odd size r <= fft_max_radix.
// Odd sizes pair x[j] with x[R-j]: y[k], y[R-k] = (x0 + sum c t) -+ i (sum s d).
template <int R, class D, class V, class T>
HWY_INLINE void butterfly(D d, V* xr, V* xi, [[maybe_unused]] size_t r,
                          [[maybe_unused]] const T* cs, [[maybe_unused]] const T* sn) {
  if constexpr (R == 1) {
  } else if constexpr (R == 2) {
    const V ar = xr[0], ai = xi[0];
    xr[0] = hn::Add(ar, xr[1]), xi[0] = hn::Add(ai, xi[1]);
    xr[1] = hn::Sub(ar, xr[1]), xi[1] = hn::Sub(ai, xi[1]);
  } else if constexpr (R == 4) {
    dft4(xr, xi, xr, xi);
  } else if constexpr (R == 8) {
    const V half = hn::Set(d, T(0.70710678118654752440L));
    V er[4] = {xr[0], xr[2], xr[4], xr[6]}, ei[4] = {xi[0], xi[2], xi[4], xi[6]};
    V orr[4] = {xr[1], xr[3], xr[5], xr[7]}, oi[4] = {xi[1], xi[3], xi[5], xi[7]};
    dft4(er, ei, er, ei);
    dft4(orr, oi, orr, oi);
    // Times exp(-i pi k / 4): (1 - i) / sqrt 2, -i, (-1 - i) / sqrt 2.
    const V ar = hn::Mul(half, hn::Add(orr[1], oi[1])), ai = hn::Mul(half, hn::Sub(oi[1], orr[1]));
    const V br = hn::Mul(half, hn::Sub(oi[3], orr[3])), bi = hn::Mul(half, hn::Add(orr[3], oi[3]));
    xr[0] = hn::Add(er[0], orr[0]), xi[0] = hn::Add(ei[0], oi[0]);
    xr[4] = hn::Sub(er[0], orr[0]), xi[4] = hn::Sub(ei[0], oi[0]);
    xr[1] = hn::Add(er[1], ar), xi[1] = hn::Add(ei[1], ai);
    xr[5] = hn::Sub(er[1], ar), xi[5] = hn::Sub(ei[1], ai);
    xr[2] = hn::Add(er[2], oi[2]), xi[2] = hn::Sub(ei[2], orr[2]);
    xr[6] = hn::Sub(er[2], oi[2]), xi[6] = hn::Add(ei[2], orr[2]);
    xr[3] = hn::Add(er[3], br), xi[3] = hn::Sub(ei[3], bi);
    xr[7] = hn::Sub(er[3], br), xi[7] = hn::Add(ei[3], bi);
  } else {
    constexpr size_t kMax = R ? size_t{R} : fft_max_radix;
    constexpr size_t kHalf = (kMax + 1) / 2;
    const size_t n = R ? size_t{R} : r, h = (n + 1) / 2;
    V tr[kHalf], ti[kHalf], dr[kHalf], di[kHalf];
    const V x0r = xr[0], x0i = xi[0];
    V sr = x0r, si = x0i;
#pragma GCC unroll 8
    for (size_t j = 1; j < h; ++j) {
      tr[j] = hn::Add(xr[j], xr[n - j]), ti[j] = hn::Add(xi[j], xi[n - j]);
      dr[j] = hn::Sub(xr[j], xr[n - j]), di[j] = hn::Sub(xi[j], xi[n - j]);
      sr = hn::Add(sr, tr[j]), si = hn::Add(si, ti[j]);
    }
#pragma GCC unroll 8
    for (size_t k = 1; k < h; ++k) {
      V ar = x0r, ai = x0i;
      V br = hn::Zero(d), bi = hn::Zero(d);
#pragma GCC unroll 8
      for (size_t j = 1; j < h; ++j) {
        const size_t t = j * k % n;
        const V c = hn::Set(d, cs[t]), s = hn::Set(d, sn[t]);
        ar = hn::Add(ar, hn::Mul(c, tr[j])), ai = hn::Add(ai, hn::Mul(c, ti[j]));
        br = j == 1 ? hn::Mul(s, dr[j]) : hn::Add(br, hn::Mul(s, dr[j]));
        bi = j == 1 ? hn::Mul(s, di[j]) : hn::Add(bi, hn::Mul(s, di[j]));
      }
      xr[k] = hn::Add(ar, bi), xi[k] = hn::Sub(ai, br);
      xr[n - k] = hn::Sub(ar, bi), xi[n - k] = hn::Add(ai, br);
    }
    xr[0] = sr, xi[0] = si;
  }
}

// Vectors run over the columns (and over u where rows are adjacent); twiddles are broadcast.
template <int R, bool In, bool Out, class D, class T>
void pass_columns(D d, const Pass<T>& a) {
  using V = hn::Vec<D>;
  constexpr size_t kMax = R ? size_t{R} : fft_max_radix;
  const size_t r = R ? size_t{R} : a.stage.radix, n_lanes = hn::Lanes(d);
  const bool merge = a.in.stride == a.lanes && a.out.stride == a.lanes;
  const size_t n_u = merge ? 1 : a.stage.su, count = merge ? a.stage.su * a.lanes : a.lanes;
  const size_t in_step = a.stage.su * a.stage.m * a.in.stride, out_step = a.stage.su * a.out.stride;
  for (size_t p = 0; p < a.stage.m; ++p) {
    // The rule must not depend on the path: the other one always multiplies when su = 1.
    const bool twiddle = a.stage.m > 1 && (p > 0 || a.stage.su == 1);
    for (size_t u = 0; u < n_u; ++u) {
      const size_t in0 = (u + a.stage.su * p) * a.in.stride;
      const size_t out0 = (u + a.stage.su * r * p) * a.out.stride;
      // The last vector may overlap the one before it: the same numbers are stored twice.
      for (size_t begin = 0; begin < count; begin += n_lanes) {
        const size_t q = HWY_MIN(begin, count - n_lanes);
        V xr[kMax], xi[kMax];
        load<In>(d, a.in, in0 + q, xr[0], xi[0]);
#pragma GCC unroll 16
        for (size_t k = 1; k < r; ++k) load<In>(d, a.in, in0 + k * in_step + q, xr[k], xi[k]);
        butterfly<R>(d, xr, xi, r, a.stage.root_re, a.stage.root_im);
        if constexpr (!Out) {  // a last pass has m = 1
          if (twiddle) {
#pragma GCC unroll 16
            for (size_t k = 1; k < r; ++k) {
              const V wr = hn::Set(d, a.stage.twiddle_re[(k - 1) * a.stage.m + p]);
              const V wi = hn::Set(d, a.stage.twiddle_im[(k - 1) * a.stage.m + p]);
              CAUCHY_CMUL(xr[k], xi[k], wr, wi, yr, yi);
              xr[k] = yr, xi[k] = yi;
            }
          }
        }
#pragma GCC unroll 16
        for (size_t k = 0; k < r; ++k)
          store<Out>(d, a.out, out0 + k * out_step + q, xr[k], xi[k], a.scale);
      }
    }
  }
}

// First pass of a single row (su = lanes = 1): vectors run over p, results are interleaved.
template <int R, bool In, class D, class T>
void pass_first(D d, const Pass<T>& a) {
  using V = hn::Vec<D>;
  constexpr size_t n_lanes = D::kPrivateN;
  const auto body = [&](size_t p) HWY_ATTR {
    V xr[R], xi[R];
#pragma GCC unroll 16
    for (size_t k = 0; k < R; ++k) load<In>(d, a.in, p + k * a.stage.m, xr[k], xi[k]);
    butterfly<R>(d, xr, xi, R, a.stage.root_re, a.stage.root_im);
#pragma GCC unroll 16
    for (size_t k = 1; k < R; ++k) {
      const V wr = hn::LoadU(d, a.stage.twiddle_re + (k - 1) * a.stage.m + p);
      const V wi = hn::LoadU(d, a.stage.twiddle_im + (k - 1) * a.stage.m + p);
      CAUCHY_CMUL(xr[k], xi[k], wr, wi, yr, yi);
      xr[k] = yr, xi[k] = yi;
    }
    T* re = a.out.re + R * p;
    T* im = a.out.im + R * p;
    if constexpr (R == 2) {
      hn::StoreInterleaved2(xr[0], xr[1], d, re);
      hn::StoreInterleaved2(xi[0], xi[1], d, im);
    } else if constexpr (R == 3) {
      hn::StoreInterleaved3(xr[0], xr[1], xr[2], d, re);
      hn::StoreInterleaved3(xi[0], xi[1], xi[2], d, im);
    } else if constexpr (R == 4) {
      hn::StoreInterleaved4(xr[0], xr[1], xr[2], xr[3], d, re);
      hn::StoreInterleaved4(xi[0], xi[1], xi[2], xi[3], d, im);
    } else {
      HWY_ALIGN T buffer[2 * R * n_lanes];
      for (size_t k = 0; k < R; ++k) {
        hn::Store(xr[k], d, buffer + k * n_lanes);
        hn::Store(xi[k], d, buffer + (R + k) * n_lanes);
      }
      for (size_t lane = 0; lane < n_lanes; ++lane) {
        for (size_t k = 0; k < R; ++k) {
          re[lane * R + k] = buffer[k * n_lanes + lane];
          im[lane * R + k] = buffer[(R + k) * n_lanes + lane];
        }
      }
    }
  };
  for (size_t p = 0; p < a.stage.m; p += n_lanes) body(HWY_MIN(p, a.stage.m - n_lanes));
}

// Calls f with the widest vector type that has at most `count` lanes.
template <class T, class F>
HWY_INLINE void with_lanes(size_t count, const F& f) {
  const hn::CappedTag<T, 64 / sizeof(T)> widest;
  constexpr size_t n = hn::MaxLanes(widest);
  if (count >= n) {
    f(widest);
  } else if (n > 8 && count >= 8) {
    f(hn::CappedTag<T, 8>());
  } else if (n > 4 && count >= 4) {
    f(hn::CappedTag<T, 4>());
  } else if (n > 2 && count >= 2) {
    f(hn::CappedTag<T, 2>());
  } else {
    f(hn::CappedTag<T, 1>());
  }
}

template <int R, class T>
void pass_radix(const Pass<T>& a) {
  if constexpr (R != 0 && R != 1 && HWY_TARGET != HWY_SCALAR) {
    if (a.lanes == 1 && a.stage.su == 1 && a.stage.m >= 4 && a.in.stride == 1 &&
        !a.out.interleaved) {
      with_lanes<T>(a.stage.m, [&](auto d) HWY_ATTR {
        if constexpr (decltype(d)::kPrivateN > 1) {
          a.in.interleaved ? pass_first<R, true>(d, a) : pass_first<R, false>(d, a);
        }
      });
      return;
    }
  }
  const bool merge = a.in.stride == a.lanes && a.out.stride == a.lanes;
  with_lanes<T>(merge ? a.stage.su * a.lanes : a.lanes, [&](auto d) HWY_ATTR {
    if (a.in.interleaved) {
      if constexpr (R == 1) {
        a.out.interleaved ? pass_columns<R, true, true>(d, a) : pass_columns<R, true, false>(d, a);
      } else {
        pass_columns<R, true, false>(d, a);
      }
    } else if (a.out.interleaved) {
      pass_columns<R, false, true>(d, a);
    } else {
      pass_columns<R, false, false>(d, a);
    }
  });
}

template <class T>
HWY_INLINE void pass_any(const Pass<T>& a) {
  switch (a.stage.radix) {
    case 1:
      return pass_radix<1>(a);
    case 2:
      return pass_radix<2>(a);
    case 3:
      return pass_radix<3>(a);
    case 4:
      return pass_radix<4>(a);
    case 5:
      return pass_radix<5>(a);
    case 7:
      return pass_radix<7>(a);
    case 8:
      return pass_radix<8>(a);
    default:
      return pass_radix<0>(a);
  }
}

template <class T>
HWY_INLINE void multiply(T* xr, T* xi, const T* br, const T* bi, size_t n, size_t lanes) {
  const auto product = [](auto d, T* re, T* im, auto wr, auto wi) HWY_ATTR {
    const auto ar = hn::LoadU(d, re), ai = hn::LoadU(d, im);
    CAUCHY_CMUL(ar, ai, wr, wi, yr, yi);
    hn::StoreU(yr, d, re);
    hn::StoreU(yi, d, im);
  };
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> d1;
  const size_t step = hn::Lanes(d);
  if (lanes == 1) {
    size_t j = 0;
    for (; j + step <= n; j += step)
      product(d, xr + j, xi + j, hn::LoadU(d, br + j), hn::LoadU(d, bi + j));
    for (; j < n; ++j) product(d1, xr + j, xi + j, hn::Set(d1, br[j]), hn::Set(d1, bi[j]));
    return;
  }
  for (size_t j = 0; j < n; ++j) {
    T* re = xr + j * lanes;
    T* im = xi + j * lanes;
    size_t q = 0;
    for (; q + step <= lanes; q += step)
      product(d, re + q, im + q, hn::Set(d, br[j]), hn::Set(d, bi[j]));
    for (; q < lanes; ++q) product(d1, re + q, im + q, hn::Set(d1, br[j]), hn::Set(d1, bi[j]));
  }
}

template <class D, class V>
HWY_INLINE V reversed(D d, V v) {
  if constexpr (D::kPrivateN == 1) return v;
  return hn::Reverse(d, v);
}

// a = z[k], b = conj z[h-k]: X[k] = (a + b)/2 + w[k] (a - b)/(2i).
template <class T>
HWY_INLINE void real_split(const T* zr, const T* zi, size_t h, const T* wr, const T* wi, T* out) {
  const auto body = [&](auto d, size_t k) HWY_ATTR {
    const size_t mirror = h - k + 1 - hn::Lanes(d);
    const auto half = hn::Set(d, T(0.5));
    const auto ar = hn::LoadU(d, zr + k), ai = hn::LoadU(d, zi + k);
    const auto br = reversed(d, hn::LoadU(d, zr + mirror));
    const auto bi = reversed(d, hn::LoadU(d, zi + mirror));
    const auto er = hn::Mul(half, hn::Add(ar, br)), ei = hn::Mul(half, hn::Sub(ai, bi));
    const auto odd_r = hn::Mul(half, hn::Add(ai, bi)), odd_i = hn::Mul(half, hn::Sub(br, ar));
    const auto cr = hn::LoadU(d, wr + k), ci = hn::LoadU(d, wi + k);
    CAUCHY_CMUL(odd_r, odd_i, cr, ci, tr, ti);
    store_pair(d, hn::Add(er, tr), hn::Add(ei, ti), out + 2 * k);
  };
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> d1;
  size_t k = 1;
  for (; k + hn::Lanes(d) <= h; k += hn::Lanes(d)) body(d, k);
  for (; k < h; ++k) body(d1, k);
  out[0] = zr[0] + zi[0];
  out[1] = T(0);
  out[2 * h] = zr[0] - zi[0];
  out[2 * h + 1] = T(0);
}

// a = X[k], b = conj X[h-k]: z[k] = (a + b)/2 + i conj(w[k]) (a - b)/2.
template <class T>
HWY_INLINE void real_merge(const T* in, size_t h, const T* wr, const T* wi, T* zr, T* zi) {
  const auto body = [&](auto d, size_t k) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    const size_t mirror = h - k + 1 - hn::Lanes(d);
    const auto half = hn::Set(d, T(0.5));
    V ar, ai, br, bi;
    load_pair(d, in + 2 * k, ar, ai);
    load_pair(d, in + 2 * mirror, br, bi);
    br = reversed(d, br), bi = reversed(d, bi);
    const V er = hn::Mul(half, hn::Add(ar, br)), ei = hn::Mul(half, hn::Sub(ai, bi));
    const V dr = hn::Mul(half, hn::Sub(ar, br)), di = hn::Mul(half, hn::Add(ai, bi));
    const V cr = hn::LoadU(d, wr + k), ci = hn::LoadU(d, wi + k);
    // (dr + i di) (cr - i ci), then times i
    const V pr = hn::Add(hn::Mul(dr, cr), hn::Mul(di, ci));
    const V pi = hn::Sub(hn::Mul(di, cr), hn::Mul(dr, ci));
    hn::StoreU(hn::Sub(er, pi), d, zr + k);
    hn::StoreU(hn::Add(ei, pr), d, zi + k);
  };
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> d1;
  size_t k = 1;
  for (; k + hn::Lanes(d) <= h; k += hn::Lanes(d)) body(d, k);
  for (; k < h; ++k) body(d1, k);
  zr[0] = T(0.5) * (in[0] + in[2 * h]);
  zi[0] = T(0.5) * (in[0] - in[2 * h]);
}

void pass_float(const FftStage<float>& stage, const FftRows<float>& in, const FftRows<float>& out,
                size_t lanes, float scale) {
  pass_any(Pass<float>{stage, in, out, lanes, scale});
}
void pass_double(const FftStage<double>& stage, const FftRows<double>& in,
                 const FftRows<double>& out, size_t lanes, double scale) {
  pass_any(Pass<double>{stage, in, out, lanes, scale});
}
void multiply_float(float* xr, float* xi, const float* br, const float* bi, size_t n, size_t l) {
  multiply(xr, xi, br, bi, n, l);
}
void multiply_double(double* xr, double* xi, const double* br, const double* bi, size_t n,
                     size_t l) {
  multiply(xr, xi, br, bi, n, l);
}
void real_split_float(const float* zr, const float* zi, size_t h, const float* wr, const float* wi,
                      float* out) {
  real_split(zr, zi, h, wr, wi, out);
}
void real_split_double(const double* zr, const double* zi, size_t h, const double* wr,
                       const double* wi, double* out) {
  real_split(zr, zi, h, wr, wi, out);
}
void real_merge_float(const float* in, size_t h, const float* wr, const float* wi, float* zr,
                      float* zi) {
  real_merge(in, h, wr, wi, zr, zi);
}
void real_merge_double(const double* in, size_t h, const double* wr, const double* wi, double* zr,
                       double* zi) {
  real_merge(in, h, wr, wi, zr, zi);
}

#undef CAUCHY_CMUL

}  // namespace HWY_NAMESPACE
}  // namespace cauchy::detail
HWY_AFTER_NAMESPACE();
#endif
