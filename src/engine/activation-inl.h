// Activations and their derivatives on SIMD vectors; included once per target.
//
//   Derivatives<A>(d, x, order, out)   out[k] = s^(k)(x), k = 0..order (at most 12)
//   Derivatives<A, K>(d, x, out)       the same with a compile-time order: fully unrolled
//   SinCosDerivatives(d, x, order, sines, cosines), WaveletDerivatives(d, x, a, b, order, out)
//
// Include after hwy/foreach_target.h and hwy/highway.h. Accuracy: <cauchy/engine/activation.hpp>.

#if defined(CAUCHY_ENGINE_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_ENGINE_ACTIVATION_INL_H_
#undef CAUCHY_ENGINE_ACTIVATION_INL_H_
#else
#define CAUCHY_ENGINE_ACTIVATION_INL_H_
#endif

#include <hwy/highway.h>

#include <cauchy/engine/activation.hpp>

#include "engine/activation_tables.hpp"
#include "math/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

using cauchy::detail::ActivationLimits;
using cauchy::detail::kSigmoidTable;
using cauchy::detail::kTanhTable;
using cauchy::detail::TanhTable;

/// out[k] for k = 1..order from y and the first derivative v, see TanhTable.
template <class D, class V>
HWY_INLINE void TanhRows(D d, const TanhTable<hn::TFromD<D>>& table, V y, V v, int order, V* out) {
  const V z = hn::Mul(y, y);
  const V vy = hn::Mul(v, y);
  if (order >= 1) out[1] = v;
  for (int k = 2; k <= order; ++k) {
    const auto& c = table[static_cast<size_t>(k)];
    int j = (k + 1) / 2 - 1;
    V p = hn::Set(d, c[static_cast<size_t>(j)]);
    for (--j; j >= 0; --j) p = hn::MulAdd(p, z, hn::Set(d, c[static_cast<size_t>(j)]));
    out[k] = hn::Mul(p, k % 2 == 1 ? v : vy);
  }
}

/// out[k] = sigmoid^(k)(x), k = 0..order; returns exp(-|x|).
template <class D, class V>
HWY_INLINE V SigmoidRows(D d, V x, int order, V* out) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V z = ExpNonPositive(d, hn::Neg(hn::Abs(x)));
  const V w = hn::Div(one, hn::Add(one, z));
  const V zw = hn::Mul(z, w);
  out[0] = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), zw, w);
  if (order >= 1) {
    const V y = hn::CopySign(hn::Mul(hn::Sub(one, z), w), x);  // tanh(x / 2)
    TanhRows(d, kSigmoidTable<T>, y, hn::Mul(zw, w), order, out);
  }
  return z;
}

/// Derivatives of exp(-p x^2 / 2) / c: g' = -p x g, so g^(k+1) = -p (x g^(k) + k g^(k-1)).
/// g0 is the value; out[k] for k = 0..order. |x| must be clamped.
template <class D, class V>
HWY_INLINE void HermiteRows(D d, V x, V g0, hn::TFromD<D> p, int order, V* out) {
  using T = hn::TFromD<D>;
  const V px = hn::Mul(hn::Set(d, -p), x);
  out[0] = g0;
  if (order >= 1) out[1] = hn::Mul(px, g0);
  for (int k = 2; k <= order; ++k) {
    const V factor = hn::Set(d, -p * static_cast<T>(k - 1));
    out[k] = hn::MulAdd(px, out[k - 1], hn::Mul(factor, out[k - 2]));
  }
}

template <class D, class V>
HWY_INLINE void GeluRows(D d, V x, int order, V* out) {
  using T = hn::TFromD<D>;
  constexpr T kLimit = ActivationLimits<T>::gelu;
  const V one = hn::Set(d, T(1));
  const V left = AtLeast(d, x, -kLimit);
  const V xc = AtMost(d, left, kLimit);
  const V half = hn::Set(d, T(0.5));
  const V e = ExpNonPositive(d, hn::Mul(hn::Mul(hn::Neg(half), xc), xc));
  const V scaled = ErfcScaled(d, hn::Mul(hn::Abs(xc), hn::Set(d, T(0.70710678118654752440))));
  const V tail = hn::Mul(hn::Mul(half, e), scaled);  // Phi(-|x|)
  const V phi = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail));
  out[0] = hn::Mul(left, phi);
  if (order < 1) return;
  // With the normal density f: (x Phi)' = Phi + x f, (x Phi)^(k) = f^(k-2) - f^(k), k >= 2.
  V previous = hn::Mul(e, hn::Set(d, T(0.39894228040143267794)));  // f^(k-2)
  const V minus_x = hn::Neg(xc);
  V current = hn::Mul(minus_x, previous);  // f^(k-1)
  out[1] = hn::Sub(phi, current);
  for (int k = 2; k <= order; ++k) {
    const V factor = hn::Set(d, static_cast<T>(1 - k));
    const V next = hn::MulAdd(minus_x, current, hn::Mul(factor, previous));
    out[k] = hn::Sub(previous, next);
    previous = current;
    current = next;
  }
}

template <class D, class V>
HWY_INLINE void EluRows(D d, V x, int order, V* out) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V negative = AtMost(d, AtLeast(d, x, MathConstants<T>::exp_normal_low), T(0));
  const ExpParts<V> parts = SplitExp(d, negative);
  const V scale = PowerOfTwo(d, parts.shifted, 0);
  const auto right = hn::Gt(x, hn::Zero(d));
  const V value = hn::MulAdd(scale, parts.q, hn::Sub(scale, one));
  out[0] = hn::IfThenElse(right, x, value);
  const V slope = hn::MulAdd(scale, parts.q, scale);
  if (order >= 1) out[1] = hn::IfThenElse(right, one, slope);
  for (int k = 2; k <= order; ++k) out[k] = hn::IfThenZeroElse(right, slope);
}

/// sines[k] = sin^(k)(x) and cosines[k] = cos^(k)(x), k = 0..order.
template <class D, class V>
HWY_INLINE void SinCosDerivatives(D d, V x, int order, V* sines, V* cosines) {
  SinCos(d, x, sines[0], cosines[0]);
  for (int k = 1; k <= order; ++k) {
    sines[k] = cosines[k - 1];
    cosines[k] = hn::Neg(sines[k - 1]);
  }
}

/// out[k] = a sin^(k)(x) + b cos^(k)(x).
template <class D, class V>
HWY_INLINE void WaveletDerivatives(D d, V x, V a, V b, int order, V* out) {
  V sine, cosine;
  SinCos(d, x, sine, cosine);
  out[0] = hn::MulAdd(a, sine, hn::Mul(b, cosine));
  if (order >= 1) out[1] = hn::NegMulAdd(b, sine, hn::Mul(a, cosine));
  for (int k = 2; k <= order; ++k) out[k] = hn::Neg(out[k - 2]);
}

template <Activation A, class D, class V>
HWY_INLINE void Derivatives(D d, V x, int order, V* out) {
  using T = hn::TFromD<D>;
  const V zero = hn::Zero(d);
  if constexpr (A == Activation::identity) {
    out[0] = x;
    if (order >= 1) out[1] = hn::Set(d, T(1));
    for (int k = 2; k <= order; ++k) out[k] = zero;
  } else if constexpr (A == Activation::tanh) {
    const V y = Tanh(d, x);
    out[0] = y;
    if (order >= 1) {
      TanhRows(d, kTanhTable<T>, y, hn::NegMulAdd(y, y, hn::Set(d, T(1))), order, out);
    }
  } else if constexpr (A == Activation::sin || A == Activation::cos) {
    V sine, cosine;
    SinCos(d, x, sine, cosine);
    out[0] = A == Activation::sin ? sine : cosine;
    if (order >= 1) out[1] = A == Activation::sin ? cosine : hn::Neg(sine);
    for (int k = 2; k <= order; ++k) out[k] = hn::Neg(out[k - 2]);
  } else if constexpr (A == Activation::sigmoid) {
    SigmoidRows(d, x, order, out);
  } else if constexpr (A == Activation::silu) {
    // (x g)^(k) = x g^(k) + k g^(k-1)
    constexpr T kLimit = ActivationLimits<T>::silu;
    const V left = AtLeast(d, x, -kLimit);
    const V xc = AtMost(d, left, kLimit);
    SigmoidRows(d, x, order, out);
    for (int k = order; k >= 1; --k) {
      out[k] = hn::MulAdd(xc, out[k], hn::Mul(hn::Set(d, static_cast<T>(k)), out[k - 1]));
    }
    out[0] = hn::Mul(left, out[0]);
  } else if constexpr (A == Activation::gelu) {
    GeluRows(d, x, order, out);
  } else if constexpr (A == Activation::softplus) {
    V z;
    if (order >= 1) {
      z = SigmoidRows(d, x, order - 1, out + 1);
    } else {
      z = ExpNonPositive(d, hn::Neg(hn::Abs(x)));
    }
    out[0] = hn::Add(hn::IfThenZeroElse(hn::Lt(x, zero), x), Log1pUnit(d, z));
  } else if constexpr (A == Activation::elu) {
    EluRows(d, x, order, out);
  } else if constexpr (A == Activation::relu) {
    const auto left = hn::Le(x, zero);
    out[0] = hn::IfThenZeroElse(left, x);
    if (order >= 1) out[1] = hn::IfThenZeroElse(left, hn::Set(d, T(1)));
    for (int k = 2; k <= order; ++k) out[k] = zero;
  } else if constexpr (A == Activation::relu3) {
    const auto left = hn::Le(x, zero);
    const V r = hn::IfThenZeroElse(left, x);
    const V square = hn::Mul(r, r);
    out[0] = hn::Mul(square, r);
    if (order >= 1) out[1] = hn::Mul(hn::Set(d, T(3)), square);
    if (order >= 2) out[2] = hn::Mul(hn::Set(d, T(6)), r);
    if (order >= 3) out[3] = hn::IfThenZeroElse(left, hn::Set(d, T(6)));
    for (int k = 4; k <= order; ++k) out[k] = zero;
  } else if constexpr (A == Activation::exp) {
    const V y = Exp(d, x);
    for (int k = 0; k <= order; ++k) out[k] = y;
  } else if constexpr (A == Activation::sqrt) {
    // s' = 1 / (2 s), s^(k+1) = s^(k) (1/2 - k) / x
    out[0] = hn::Sqrt(x);
    if (order >= 1) out[1] = hn::Div(hn::Set(d, T(0.5)), out[0]);
    for (int k = 2; k <= order; ++k) {
      out[k] = hn::Mul(out[k - 1], hn::Div(hn::Set(d, T(1.5) - static_cast<T>(k)), x));
    }
  } else {
    static_assert(A == Activation::gaussian, "wavelet has parameters: use WaveletDerivatives");
    constexpr T kLimit = ActivationLimits<T>::gaussian;
    const V xc = AtMost(d, AtLeast(d, x, -kLimit), kLimit);
    HermiteRows(d, xc, ExpNonPositive(d, hn::Neg(hn::Mul(xc, xc))), T(2), order, out);
  }
}

template <Activation A, int K, class D, class V>
HWY_INLINE void Derivatives(D d, V x, V* out) {
  Derivatives<A>(d, x, K, out);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
