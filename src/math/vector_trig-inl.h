// Trigonometric functions and their inverses for one SIMD target; see vector_math-inl.h.

#if defined(CAUCHY_MATH_VECTOR_TRIG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_MATH_VECTOR_TRIG_INL_H_
#undef CAUCHY_MATH_VECTOR_TRIG_INL_H_
#else
#define CAUCHY_MATH_VECTOR_TRIG_INL_H_
#endif

#include <hwy/highway.h>

#include "math/vector_exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

/// x = n pi/2 + r, |r| <= pi/4; the low two bits of `quadrant` are n mod 4. |x| <= trig_limit.
template <class D, class V>
HWY_INLINE V ReduceByHalfPi(D d, V x, V& quadrant) {
  using C = MathConstants<hn::TFromD<D>>;
  const V magic = hn::Set(d, C::round_magic);
  quadrant = hn::MulAdd(x, hn::Set(d, C::two_over_pi), magic);
  const V n = hn::Sub(quadrant, magic);
  V r = x;
#if HWY_NATIVE_FMA
  for (const auto part : C::pio2) r = hn::NegMulAdd(n, hn::Set(d, part), r);
#else
  for (const auto part : C::pio2_split) r = hn::NegMulAdd(n, hn::Set(d, part), r);
#endif
  return r;
}

/// sin(x) and cos(x) where |x| <= trig_limit; other lanes are unspecified.
template <class D, class V>
HWY_INLINE void SinCosReduced(D d, V x, V& sine, V& cosine) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  using TI = hn::TFromD<decltype(di)>;
  constexpr int kSignShift = static_cast<int>(sizeof(T)) * 8 - 2;

  V quadrant;
  const V r = ReduceByHalfPi(d, x, quadrant);
  const V z = hn::Mul(r, r);
  const V odd_part = hn::MulAdd(hn::Mul(z, r), Polynomial(d, z, MathCoefficients<T>::sin), r);
  const V s = hn::CopySign(odd_part, r);  // keeps -0
  const V tail = hn::MulAdd(z, Polynomial(d, z, MathCoefficients<T>::cos), hn::Set(d, T(-0.5)));
  const V c = hn::MulAdd(z, tail, hn::Set(d, T(1)));

  const auto q = hn::BitCast(di, quadrant);
  const auto odd = hn::RebindMask(d, hn::TestBit(q, hn::Set(di, TI(1))));
  const auto two = hn::Set(di, TI(2));
  const auto sine_sign = hn::ShiftLeft<kSignShift>(hn::And(q, two));
  const auto cosine_sign = hn::ShiftLeft<kSignShift>(hn::And(hn::Add(q, hn::Set(di, TI(1))), two));
  sine = hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, sine_sign));
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), hn::BitCast(d, cosine_sign));
}

/// sin(x) and cos(x), 2 ulp; |x| > trig_limit (1e6, in float 8192) through the scalar library.
template <class D, class V>
HWY_INLINE void SinCos(D d, V x, V& sine, V& cosine) {
  using T = hn::TFromD<D>;
  const V limit = hn::Set(d, MathConstants<T>::trig_limit);
  SinCosReduced(d, x, sine, cosine);
  // Written so that NaN takes the fast path: it propagates by itself.
  const auto large = hn::Gt(hn::Abs(x), limit);
  if (HWY_UNLIKELY(!hn::AllFalse(d, large))) {
    HWY_ALIGN T arguments[hn::MaxLanes(d)];
    HWY_ALIGN T sines[hn::MaxLanes(d)];
    HWY_ALIGN T cosines[hn::MaxLanes(d)];
    hn::Store(x, d, arguments);
    hn::Store(sine, d, sines);
    hn::Store(cosine, d, cosines);
    cauchy::detail::sincos_lanes(arguments, sines, cosines, hn::Lanes(d),
                                 MathConstants<T>::trig_limit);
    sine = hn::Load(d, sines);
    cosine = hn::Load(d, cosines);
  }
}

template <class D, class V>
HWY_INLINE V Sin(D d, V x) {
  V sine, cosine;
  SinCos(d, x, sine, cosine);
  return sine;
}

template <class D, class V>
HWY_INLINE V Cos(D d, V x) {
  V sine, cosine;
  SinCos(d, x, sine, cosine);
  return cosine;
}

/// tan(x), 4 ulp.
template <class D, class V>
HWY_INLINE V Tan(D d, V x) {
  V sine, cosine;
  SinCos(d, x, sine, cosine);
  return hn::Div(sine, cosine);
}

/// atan(x), 2 ulp: reduced to |t| <= tan(pi/8) by pi/2 - atan(1/x) and pi/4 + atan((x-1)/(x+1)).
template <class D, class V>
HWY_INLINE V Atan(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V ax = hn::Abs(x);
  const auto large = hn::Gt(ax, hn::Set(d, T(2.414213562373095)));
  const auto middle = hn::Gt(ax, hn::Set(d, T(0.4142135623730950)));
  V numerator = hn::IfThenElse(middle, hn::Sub(ax, one), ax);
  V denominator = hn::IfThenElse(middle, hn::Add(ax, one), one);
  numerator = hn::IfThenElse(large, hn::Set(d, T(-1)), numerator);
  denominator = hn::IfThenElse(large, ax, denominator);
  const V t = hn::Div(numerator, denominator);
  const V half_pi = hn::Set(d, MathConstants<T>::pio2[0]);
  const V half_pi_low = hn::Set(d, MathConstants<T>::pio2[1]);
  const V half = hn::Set(d, T(0.5));
  V base = hn::IfThenElseZero(middle, hn::Mul(half, half_pi));
  V base_low = hn::IfThenElseZero(middle, hn::Mul(half, half_pi_low));
  base = hn::IfThenElse(large, half_pi, base);
  base_low = hn::IfThenElse(large, half_pi_low, base_low);
  const V z = hn::Mul(t, t);
  const V tail = hn::MulAdd(hn::Mul(z, t), Polynomial(d, z, MathCoefficients<T>::atan), base_low);
  return hn::CopySign(hn::Add(base, hn::Add(t, tail)), x);
}

/// Parts of asin and acos: value = asin(u), u = |x| for |x| <= 1/2, else sqrt((1 - |x|) / 2).
template <class D, class V>
HWY_INLINE V AsinReduced(D d, V ax, decltype(hn::Gt(V(), V())) large) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, T(0.5));
  const V z = hn::IfThenElse(large, hn::NegMulAdd(half, ax, half), hn::Mul(ax, ax));
  const V u = hn::IfThenElse(large, hn::Sqrt(z), ax);
  return hn::MulAdd(hn::Mul(u, z), Polynomial(d, z, MathCoefficients<T>::asin), u);
}

/// asin(x), 3 ulp; NaN for |x| > 1.
template <class D, class V>
HWY_INLINE V Asin(D d, V x) {
  using T = hn::TFromD<D>;
  const V ax = hn::Abs(x);
  const auto large = hn::Gt(ax, hn::Set(d, T(0.5)));
  const V p = AsinReduced(d, ax, large);
  const V folded = hn::Sub(hn::Set(d, MathConstants<T>::pio2[0]),
                           hn::Sub(hn::Add(p, p), hn::Set(d, MathConstants<T>::pio2[1])));
  return hn::CopySign(hn::IfThenElse(large, folded, p), x);
}

/// acos(x), 3 ulp; NaN for |x| > 1.
template <class D, class V>
HWY_INLINE V Acos(D d, V x) {
  using T = hn::TFromD<D>;
  const V ax = hn::Abs(x);
  const auto large = hn::Gt(ax, hn::Set(d, T(0.5)));
  const V p = AsinReduced(d, ax, large);
  const V half_pi = hn::Set(d, MathConstants<T>::pio2[0]);
  const V half_pi_low = hn::Set(d, MathConstants<T>::pio2[1]);
  const V twice = hn::Add(p, p);
  const V reflected =
      hn::Sub(hn::Add(half_pi, half_pi), hn::Sub(twice, hn::Add(half_pi_low, half_pi_low)));
  const V outer = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), reflected, twice);
  const V inner = hn::Sub(half_pi, hn::Sub(hn::CopySign(p, x), half_pi_low));
  return hn::IfThenElse(large, outer, inner);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
