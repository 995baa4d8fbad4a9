// Exponential family for one SIMD target; included once per target (see vector_math-inl.h).

#if defined(CAUCHY_MATH_VECTOR_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_MATH_VECTOR_EXP_INL_H_
#undef CAUCHY_MATH_VECTOR_EXP_INL_H_
#else
#define CAUCHY_MATH_VECTOR_EXP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "math/vector_math_support.hpp"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using cauchy::detail::MathCoefficients;
using cauchy::detail::MathConstants;

/// Polynomial with N coefficients, lowest power first, by Estrin's scheme (short dependency chain).
template <size_t N, class D, class V>
HWY_INLINE V EstrinPart(D d, V x, V x2, V x4, V x8, V x16, const hn::TFromD<D>* c) {
  if constexpr (N == 1) {
    return hn::Set(d, c[0]);
  } else if constexpr (N == 2) {
    return hn::MulAdd(hn::Set(d, c[1]), x, hn::Set(d, c[0]));
  } else {
    static_assert(N <= 32);
    constexpr size_t kLow = N > 16 ? 16 : N > 8 ? 8 : N > 4 ? 4 : 2;
    const V high = EstrinPart<N - kLow>(d, x, x2, x4, x8, x16, c + kLow);
    const V low = EstrinPart<kLow>(d, x, x2, x4, x8, x16, c);
    return hn::MulAdd(high, kLow == 16 ? x16 : kLow == 8 ? x8 : kLow == 4 ? x4 : x2, low);
  }
}

template <class D, class V, size_t N>
HWY_INLINE V Polynomial(D d, V x, const hn::TFromD<D> (&c)[N]) {
  const V x2 = hn::Mul(x, x);
  const V x4 = hn::Mul(x2, x2);
  const V x8 = hn::Mul(x4, x4);
  const V x16 = hn::Mul(x8, x8);
  return EstrinPart<N>(d, x, x2, x4, x8, x16, c);
}

/// min(x, limit) and max(x, limit) that return NaN for NaN.
template <class D, class V>
HWY_INLINE V AtMost(D d, V x, hn::TFromD<D> limit) {
  const V bound = hn::Set(d, limit);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::Min(bound, x);  // the instruction returns its second operand if either is NaN
#else
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
#endif
}
template <class D, class V>
HWY_INLINE V AtLeast(D d, V x, hn::TFromD<D> limit) {
  const V bound = hn::Set(d, limit);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::Max(bound, x);
#else
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
#endif
}

/// x = n ln 2 + r with |r| <= 0.35, and q = exp(r) - 1 with full relative accuracy.
/// `shifted` is n + 1.5 * 2^(mantissa bits): its low bits hold n as an integer.
template <class V>
struct ExpParts {
  V n, shifted, q;
};

template <class D, class V>
HWY_INLINE V Expm1Reduced(D d, V r) {
  using T = hn::TFromD<D>;
  const V p = Polynomial(d, r, MathCoefficients<T>::exp);
  return hn::MulAdd(hn::Mul(r, r), p, r);
}

/// |x| must be below about 2^20 / 2^9 (double, float): callers clamp first.
template <class D, class V>
HWY_INLINE ExpParts<V> SplitExp(D d, V x) {
  using C = MathConstants<hn::TFromD<D>>;
  const V magic = hn::Set(d, C::round_magic);
  const V shifted = hn::MulAdd(x, hn::Set(d, C::log2_e), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, hn::Set(d, C::ln2_high), x);
  r = hn::NegMulAdd(n, hn::Set(d, C::ln2_low), r);
  return {n, shifted, Expm1Reduced(d, r)};
}

/// 2^(n + offset) for a normal result; n given by the low bits of `shifted`.
template <class D, class V>
HWY_INLINE V PowerOfTwo(D d, V shifted, int offset) {
  using T = hn::TFromD<D>;
  using C = MathConstants<T>;
  const hn::RebindToSigned<D> di;
  using TI = hn::TFromD<decltype(di)>;
  const auto exponent = hn::ShiftLeft<C::mantissa_bits>(hn::BitCast(di, shifted));
  const TI one = static_cast<TI>(static_cast<TI>(C::exponent_bias + offset) << C::mantissa_bits);
  return hn::BitCast(d, hn::Add(exponent, hn::Set(di, one)));
}

/// y 2^n with correct overflow and gradual underflow, n integral, |n| < 2200 (float: 320).
template <class D, class V>
HWY_INLINE V ScaleByPowerOfTwo(D d, V y, V n) {
#if HWY_TARGET == HWY_AVX3
  (void)d;
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return V{_mm512_scalef_pd(y.raw, n.raw)};
  } else {
    return V{_mm512_scalef_ps(y.raw, n.raw)};
  }
#else
  using C = MathConstants<hn::TFromD<D>>;
  const V magic = hn::Set(d, C::round_magic);
  const V half = hn::MulAdd(n, hn::Set(d, hn::TFromD<D>(0.5)), magic);
  const V rest = hn::Add(hn::Sub(n, hn::Sub(half, magic)), magic);
  return hn::Mul(hn::Mul(y, PowerOfTwo(d, half, 0)), PowerOfTwo(d, rest, 0));
#endif
}

/// exp(x), 1.5 ulp.
template <class D, class V>
HWY_INLINE V Exp(D d, V x) {
  using C = MathConstants<hn::TFromD<D>>;
  const V clamped = AtLeast(d, AtMost(d, x, C::exp_high), C::exp_low);
  const ExpParts<V> e = SplitExp(d, clamped);
  return ScaleByPowerOfTwo(d, hn::Add(hn::Set(d, hn::TFromD<D>(1)), e.q), e.n);
}

/// exp(x + low) for |low| below an ulp of x, 1.5 ulp. Beyond the range of exp `low` may be
/// anything.
template <class D, class V>
HWY_INLINE V ExpSum(D d, V x, V low) {
  using C = MathConstants<hn::TFromD<D>>;
  const V clamped = AtLeast(d, AtMost(d, x, C::exp_high), C::exp_low);
  const V magic = hn::Set(d, C::round_magic);
  const V n = hn::Sub(hn::MulAdd(clamped, hn::Set(d, C::log2_e), magic), magic);
  V r = hn::NegMulAdd(n, hn::Set(d, C::ln2_high), clamped);
  r = hn::NegMulAdd(n, hn::Set(d, C::ln2_low), r);
  r = hn::Add(r, hn::IfThenElseZero(hn::Eq(clamped, x), low));
  return ScaleByPowerOfTwo(d, hn::Add(hn::Set(d, hn::TFromD<D>(1)), Expm1Reduced(d, r)), n);
}

/// exp(x) for x <= 0 only, flushed to 0 below the normal range: a little faster than Exp.
template <class D, class V>
HWY_INLINE V ExpNonPositive(D d, V x) {
  using C = MathConstants<hn::TFromD<D>>;
  const V clamped = AtLeast(d, x, C::exp_normal_low);
  const ExpParts<V> e = SplitExp(d, clamped);
  const V scale = PowerOfTwo(d, e.shifted, 0);
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, C::exp_normal_low)),
                            hn::MulAdd(scale, e.q, scale));
}

/// exp(x) - 1, 2 ulp.
template <class D, class V>
HWY_INLINE V Expm1(D d, V x) {
  using T = hn::TFromD<D>;
  using C = MathConstants<T>;
  const V clamped = AtLeast(d, AtMost(d, x, C::exp_high), C::expm1_low);
  const ExpParts<V> e = SplitExp(d, clamped);
  // Half the result, so that 2^n does not overflow before the result does.
  const V scale = PowerOfTwo(d, e.shifted, -1);
  const V half = hn::MulAdd(scale, e.q, hn::Sub(scale, hn::Set(d, T(0.5))));
  return hn::CopySign(hn::Add(half, half), x);
}

/// tanh(x), 2.1 ulp: p / (p + 2) with p = exp(2|x|) - 1.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  using T = hn::TFromD<D>;
  using C = MathConstants<T>;
  const V ax = AtMost(d, hn::Abs(x), C::tanh_one);  // tanh rounds to 1 beyond
  const ExpParts<V> e = SplitExp(d, hn::Add(ax, ax));
  const V scale = PowerOfTwo(d, e.shifted, 0);
  const V p = hn::MulAdd(scale, e.q, hn::Sub(scale, hn::Set(d, T(1))));
  return hn::CopySignToAbs(hn::Div(p, hn::Add(p, hn::Set(d, T(2)))), x);
}

/// 1 / (1 + exp(-x)), 3 ulp, accurate in the left tail too.
template <class D, class V>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>(1));
  const V z = Exp(d, hn::Neg(hn::Abs(x)));
  const V numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), z, one);
  return hn::Div(numerator, hn::Add(one, z));
}

/// A quarter of exp|x| (parts of it): callers double the final result twice, so that sinh and
/// cosh overflow exactly where they should.
template <class D, class V>
HWY_INLINE V QuarterExpm1(D d, V ax, V& scale, V& q) {
  using T = hn::TFromD<D>;
  using C = MathConstants<T>;
  const ExpParts<V> e = SplitExp(d, AtMost(d, ax, C::cosh_high));
  scale = PowerOfTwo(d, e.shifted, -2);
  q = e.q;
  return hn::MulAdd(scale, q, hn::Sub(scale, hn::Set(d, T(0.25))));
}

/// sinh(x), 3 ulp: (E + E / (E + 1)) / 2 with E = exp|x| - 1.
template <class D, class V>
HWY_INLINE V Sinh(D d, V x) {
  using T = hn::TFromD<D>;
  V scale, q;
  const V quarter = QuarterExpm1(d, hn::Abs(x), scale, q);
  const V denominator = hn::MulAdd(quarter, hn::Set(d, T(4)), hn::Set(d, T(1)));
  const V half = hn::Add(quarter, hn::Div(quarter, denominator));
  return hn::CopySign(hn::Add(half, half), x);
}

/// cosh(x), 2 ulp.
template <class D, class V>
HWY_INLINE V Cosh(D d, V x) {
  using T = hn::TFromD<D>;
  V scale, q;
  (void)QuarterExpm1(d, hn::Abs(x), scale, q);
  const V quarter = hn::MulAdd(scale, q, scale);
  const V half = hn::Add(quarter, hn::Div(hn::Set(d, T(0.0625)), quarter));
  return hn::Add(half, half);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
