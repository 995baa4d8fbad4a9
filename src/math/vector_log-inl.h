// Logarithms, powers and error functions for one SIMD target; see vector_math-inl.h.

#if defined(CAUCHY_MATH_VECTOR_LOG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_MATH_VECTOR_LOG_INL_H_
#undef CAUCHY_MATH_VECTOR_LOG_INL_H_
#else
#define CAUCHY_MATH_VECTOR_LOG_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "math/vector_exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

/// x = m 2^k with m in [sqrt(1/2), sqrt 2), for positive normal x.
template <class D, class V>
HWY_INLINE V SplitExponent(D d, V x, V& k) {
  using T = hn::TFromD<D>;
  using C = MathConstants<T>;
  const hn::RebindToUnsigned<D> du;
  using TU = hn::TFromD<decltype(du)>;
  constexpr TU kMantissaMask = (TU(1) << C::mantissa_bits) - 1;
  const auto one = hn::BitCast(du, hn::Set(d, T(1)));
  const auto offset = hn::BitCast(du, hn::Set(d, C::log_offset));
  const auto bits = hn::Add(hn::BitCast(du, x), hn::Sub(one, offset));
  // The biased exponent becomes the low bits of 2^mantissa_bits: an integer-to-float conversion
  // that every target has.
  constexpr T kTwoPower = static_cast<T>(TU(1) << C::mantissa_bits);
  const auto exponent =
      hn::Or(hn::ShiftRight<C::mantissa_bits>(bits), hn::BitCast(du, hn::Set(d, kTwoPower)));
  k = hn::Sub(hn::BitCast(d, exponent), hn::Set(d, kTwoPower + static_cast<T>(C::exponent_bias)));
  return hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(du, kMantissaMask)), offset));
}

/// log(1 + f) + k ln 2 + correction for f in [sqrt(1/2) - 1, sqrt 2 - 1].
template <class D, class V>
HWY_INLINE V LogOfParts(D d, V f, V k, V correction) {
  using T = hn::TFromD<D>;
  using C = MathConstants<T>;
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, T(2))));
  const V z = hn::Mul(s, s);
  const V half_square = hn::Mul(hn::Mul(hn::Set(d, T(0.5)), f), f);
  const V p = hn::Mul(z, Polynomial(d, z, MathCoefficients<T>::log));
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + p)): the leading term is exact.
  const V low = hn::MulAdd(k, hn::Set(d, C::ln2_low), correction);
  const V small = hn::Sub(half_square, hn::MulAdd(s, hn::Add(half_square, p), low));
  return hn::MulAdd(k, hn::Set(d, C::ln2_high), hn::Sub(f, small));
}

/// log at the edges of its domain: x = 0 gives -inf, x < 0 NaN, inf and NaN themselves.
template <class D, class V>
HWY_INLINE V LogEdges(D d, V x, V y) {
  using L = std::numeric_limits<hn::TFromD<D>>;
  const V infinity = hn::Set(d, L::infinity());
  y = hn::IfThenElse(hn::Eq(x, infinity), infinity, y);
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), y);
  y = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Set(d, L::quiet_NaN()), y);
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

/// log(x), 1 ulp.
template <class D, class V>
HWY_INLINE V Log(D d, V x) {
  using T = hn::TFromD<D>;
  using C = MathConstants<T>;
  const auto subnormal = hn::Lt(x, hn::Set(d, std::numeric_limits<T>::min()));
  const V scaled = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, C::tiny_scale)), x);
  V k;
  const V m = SplitExponent(d, scaled, k);
  k = hn::Sub(k, hn::IfThenElseZero(subnormal, hn::Set(d, C::tiny_exponent)));
  return LogEdges(d, x, LogOfParts(d, hn::Sub(m, hn::Set(d, T(1))), k, hn::Zero(d)));
}

/// log(1 + x), 2 ulp.
template <class D, class V>
HWY_INLINE V Log1p(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V u = hn::Add(one, x);
  V k;
  const V m = SplitExponent(d, u, k);
  // What rounding took from u = 1 + x comes back to first order.
  const auto near = hn::Eq(k, hn::Zero(d));
  const V lost =
      hn::IfThenElse(hn::Gt(x, one), hn::Sub(one, hn::Sub(u, x)), hn::Sub(x, hn::Sub(u, one)));
  const V correction = hn::IfThenZeroElse(near, hn::Div(lost, u));
  const V f = hn::IfThenElse(near, x, hn::Sub(m, one));
  const V y = LogEdges(d, u, LogOfParts(d, f, k, correction));
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
}

/// log(1 + x) for 0 <= x <= 1 only, 1 ulp: half the cost of Log1p.
template <class D, class V>
HWY_INLINE V Log1pUnit(D d, V x) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, T(0.5));
  // 1 + x = 2 (1 + f) with f = (x - 1) / 2 when that is the smaller argument.
  const auto upper = hn::Gt(x, hn::Set(d, T(0.41421356237309505)));
  const V f = hn::IfThenElse(upper, hn::MulSub(half, x, half), x);
  const V k = hn::IfThenElseZero(upper, hn::Set(d, T(1)));
  return LogOfParts(d, f, k, hn::Zero(d));
}

#if HWY_NATIVE_FMA
/// x^y for positive normal x and finite y, 1.5 ulp: log x as an unevaluated sum of two doubles.
template <class D, class V>
HWY_INLINE V PowPositive(D d, V x, V y) {
  static_assert(sizeof(hn::TFromD<D>) == 8);
  const V one = hn::Set(d, 1.0);
  V k;
  const V m = SplitExponent(d, x, k);
  // s + s_low = (m - 1) / (m + 1)
  const V f = hn::Sub(m, one);
  const V g = hn::Add(m, one);
  const V g_low = hn::Sub(m, hn::Sub(g, one));
  const V s = hn::Div(f, g);
  const V s_low = hn::Div(hn::NegMulAdd(s, g_low, hn::NegMulAdd(s, g, f)), g);
  // z = s^2, t = s^3, q = 2/3 + z p(z), u = t q; each with its low part
  const V z = hn::Mul(s, s);
  const V z_low = hn::MulAdd(hn::Add(s, s), s_low, hn::MulSub(s, s, z));
  const V t = hn::Mul(s, z);
  const V t_low = hn::MulAdd(s_low, z, hn::MulAdd(s, z_low, hn::MulSub(s, z, t)));
  const V w = hn::Mul(z, Polynomial(d, z, MathCoefficients<double>::pow));
  const V two_thirds = hn::Set(d, 0x1.5555555555555p-1);
  const V q = hn::Add(two_thirds, w);
  const V q_low = hn::Add(hn::Add(hn::Sub(two_thirds, q), w), hn::Set(d, 0x1.5555555555555p-55));
  const V u = hn::Mul(t, q);
  const V u_low = hn::MulAdd(t_low, q, hn::MulAdd(t, q_low, hn::MulSub(t, q, u)));
  // log x = k ln 2 + 2 s + u
  const V twice = hn::Add(s, s);
  const V a = hn::Add(twice, u);
  const V a_low = hn::Add(hn::Add(hn::Sub(twice, a), u), hn::MulAdd(hn::Set(d, 2.0), s_low, u_low));
  const V b = hn::Mul(k, hn::Set(d, 0x1.62e42fefa38p-1));  // 42 bits of ln 2: exact
  const V log_high = hn::Add(b, a);
  const V log_low = hn::Add(hn::Add(hn::Sub(b, log_high), a),
                            hn::MulAdd(k, hn::Set(d, 0x1.ef35793c7673p-45), a_low));
  const V product = hn::Mul(y, log_high);
  return ExpSum(d, product, hn::MulAdd(y, log_low, hn::MulSub(y, log_high, product)));
}

/// exp(y log x) in double for float arguments: no special care needed.
template <class D, class V>
HWY_INLINE V PowPositiveThroughDouble(D d, V x, V y) {
  const hn::Half<D> dh;
  const hn::Rebind<double, decltype(dh)> dd;
  const auto part = [&](auto xh, auto yh) HWY_ATTR {
    const auto product = hn::Mul(hn::PromoteTo(dd, yh), Log(dd, hn::PromoteTo(dd, xh)));
    return hn::DemoteTo(dh, Exp(dd, product));
  };
  const auto low = part(hn::LowerHalf(dh, x), hn::LowerHalf(dh, y));
  const auto high = part(hn::UpperHalf(dh, x), hn::UpperHalf(dh, y));
  return hn::Combine(d, high, low);
}
#endif  // HWY_NATIVE_FMA

/// x^y, 1.5 ulp. x <= 0, subnormal or infinite and infinite or NaN y go through std::pow, lane by
/// lane (slow; use PowInt for integer exponents of negative bases).
template <class D, class V>
HWY_INLINE V Pow(D d, V x, V y) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T bases[hn::MaxLanes(d)];
  HWY_ALIGN T exponents[hn::MaxLanes(d)];
  HWY_ALIGN T results[hn::MaxLanes(d)];
#if HWY_NATIVE_FMA
  V result;
  if constexpr (sizeof(T) == 8) {
    result = PowPositive(d, x, y);
  } else {
    result = PowPositiveThroughDouble(d, x, y);
  }
  using L = std::numeric_limits<T>;
  const auto plain =
      hn::And(hn::And(hn::Ge(x, hn::Set(d, L::min())), hn::Le(x, hn::Set(d, L::max()))),
              hn::Le(hn::Abs(y), hn::Set(d, L::max())));
  if (HWY_UNLIKELY(!hn::AllTrue(d, plain))) {
    hn::Store(x, d, bases);
    hn::Store(y, d, exponents);
    hn::Store(result, d, results);
    cauchy::detail::pow_lanes(bases, exponents, results, hn::Lanes(d));
    result = hn::Load(d, results);
  }
  return result;
#else
  hn::Store(x, d, bases);
  hn::Store(y, d, exponents);
  cauchy::detail::pow_all_lanes(bases, exponents, results, hn::Lanes(d));
  return hn::Load(d, results);
#endif
}

/// x^n, 4 ulp: products for |n| <= 6, Pow beyond.
template <class D, class V>
HWY_INLINE V PowInt(D d, V x, int n) {
  using T = hn::TFromD<D>;
  if (n < -6 || n > 6) {
    // |x|^n, with the sign of x for odd n; std::pow semantics at 0 and infinity follow.
    const V magnitude = Pow(d, hn::Abs(x), hn::Set(d, static_cast<T>(n)));
    return (n % 2 != 0) ? hn::CopySign(magnitude, x) : magnitude;
  }
  const int m = n < 0 ? -n : n;
  if (m == 0) return hn::Set(d, T(1));
  V y = x;
  if (m == 2) y = hn::Mul(x, x);
  if (m == 3) y = hn::Mul(hn::Mul(x, x), x);
  if (m == 4) {
    y = hn::Mul(x, x);
    y = hn::Mul(y, y);
  }
  if (m == 5) {
    y = hn::Mul(x, x);
    y = hn::Mul(hn::Mul(y, y), x);
  }
  if (m == 6) {
    y = hn::Mul(hn::Mul(x, x), x);
    y = hn::Mul(y, y);
  }
  return n < 0 ? hn::Div(hn::Set(d, T(1)), y) : y;
}

/// exp(x^2) erfc(x) for 0 <= x <= 1e100 (float 1e30), 2 ulp.
template <class D, class V>
HWY_INLINE V ErfcScaled(D d, V x) {
  using T = hn::TFromD<D>;
  const V three = hn::Set(d, T(3));
  const V sum = hn::Add(x, three);
  const V lost = hn::Sub(x, hn::Sub(sum, three));  // exact: x + 3 = sum + lost
  V w = hn::Div(hn::Set(d, T(1)), sum);
  w = hn::NegMulAdd(hn::Mul(w, lost), w, w);
  const V t = hn::Mul(hn::Sub(x, three), w);
  return hn::Mul(w, Polynomial(d, t, MathCoefficients<T>::erfcx));
}

/// exp(-x^2), 1.5 ulp: the rounding error of x^2 is put back.
template <class D, class V>
HWY_INLINE V ExpMinusSquare(D d, V x) {
  using T = hn::TFromD<D>;
  const V square = hn::Mul(x, x);
#if HWY_NATIVE_FMA
  const V lost = hn::MulSub(x, x, square);
#else
  // Veltkamp's split: high has half the digits, so its square is exact.
  const V c = hn::Mul(x, hn::Set(d, sizeof(T) == 8 ? T(134217729) : T(4097)));
  const V high = hn::Sub(c, hn::Sub(c, x));
  const V low = hn::Sub(x, high);
  const V lost =
      hn::Add(hn::Add(hn::Sub(hn::Mul(high, high), square), hn::Mul(hn::Add(high, high), low)),
              hn::Mul(low, low));
#endif
  return ExpSum(d, hn::Neg(square), hn::Neg(lost));
}

/// erf(x) for |x| <= 1.
template <class D, class V>
HWY_INLINE V ErfSmall(D d, V x) {
  using T = hn::TFromD<D>;
  return hn::MulAdd(x, Polynomial(d, hn::Mul(x, x), MathCoefficients<T>::erf), x);
}

/// erf(x), 2 ulp.
template <class D, class V>
HWY_INLINE V Erf(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V ax = AtMost(d, hn::Abs(x), T(7));  // erf rounds to 1 from 5.9 (float: 3.8)
  const V tail = hn::Mul(ExpMinusSquare(d, ax), ErfcScaled(d, ax));
  const V y = hn::IfThenElse(hn::Gt(ax, one), hn::Sub(one, tail), ErfSmall(d, ax));
  return hn::CopySign(y, x);
}

/// erfc(x), 5 ulp over the whole range, the right tail included.
template <class D, class V>
HWY_INLINE V Erfc(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V ax = AtMost(d, hn::Abs(x), MathConstants<T>::erfc_zero);
  const V tail = hn::Mul(ExpMinusSquare(d, ax), ErfcScaled(d, ax));
  const V outer = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, T(2)), tail), tail);
  const V inner = hn::Sub(one, ErfSmall(d, x));
  return hn::IfThenElse(hn::Lt(ax, hn::Set(d, T(0.75))), inner, outer);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
