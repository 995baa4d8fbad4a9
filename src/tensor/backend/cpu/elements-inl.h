// Loops number by number, for one instruction set (Highway per-target header).
#if defined(CAUCHY_TENSOR_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_TENSOR_ELEMENTS_INL_H_
#undef CAUCHY_TENSOR_ELEMENTS_INL_H_
#else
#define CAUCHY_TENSOR_ELEMENTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "engine/activation-inl.h"
#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/backend/cpu/tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using cauchy::detail::BinaryOp;

/// x Phi(x) and, where wanted, its slope Phi(x) + x f(x) in single precision, f the normal density.
/// Phi(x) = 1/2 + x P(x^2) with a polynomial for |x| <= 5.25, beyond which Phi(-|x|) < 8e-8. Errors
/// of the slope are at most 3e-7, of the value 7e-7 and an ulp; fewer operations than
/// Derivatives<gelu>, which is accurate for arguments of any size.
template <bool kSlope, class D, class V>
HWY_INLINE void FastGelu(D d, V x, V* out) {
  constexpr float limit = 5.25F;
  constexpr float p[] = {1.346593499e-01F, -6.712678820e-02F, 4.964564741e-02F, -3.976424411e-02F,
                         3.203409910e-02F, -2.503444999e-02F, 1.851999201e-02F, -1.280360203e-02F,
                         8.478604257e-03F, -5.396953318e-03F, 2.792803571e-03F, -1.084138057e-03F,
                         7.445099181e-04F, -6.418497651e-04F, 2.151072258e-04F};
  constexpr float power[] = {1.000000119e+00F, 6.931469440e-01F, 2.402212024e-01F,
                             5.550713092e-02F, 9.675540961e-03F, 1.327647129e-03F};  // 2^r
  const V left = AtLeast(d, x, -limit), xc = AtMost(d, left, limit);
  const V square = hn::Mul(xc, xc);
  const V u = hn::MulSub(square, hn::Set(d, 2 / (limit * limit)), hn::Set(d, 1.0F));
  const V phi = hn::MulAdd(xc, Polynomial(d, u, p), hn::Set(d, 0.5F));
  out[0] = hn::Mul(left, phi);
  if constexpr (kSlope) {
    // f(x) = 2^(n + r) / sqrt(2 pi); n > -21 for clamped x.
    const V scale = hn::Set(d, -0.72134752F), magic = hn::Set(d, MathConstants<float>::round_magic);
    const V shifted = hn::MulAdd(square, scale, magic);
    const V r = hn::MulSub(square, scale, hn::Sub(shifted, magic));
    const V e = hn::Mul(Polynomial(d, r, power), PowerOfTwo(d, shifted, 0));
    out[1] = hn::MulAdd(hn::Mul(xc, hn::Set(d, 0.39894228F)), e, phi);
  }
}

template <bool kSlope, Activation A, class D, class V>
HWY_INLINE void ValueAndSlope(D d, V z, V* out) {
  if constexpr (A == Activation::gelu && sizeof(hn::TFromD<D>) == 4) {
    FastGelu<kSlope>(d, z, out);
  } else {
    Derivatives<A, kSlope ? 1 : 0>(d, z, out);
  }
}

template <Activation A, class T>
void ActivateBy(std::size_t n, const T* z, T* out, T* slope) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  if (slope == nullptr) {
    ForEachVector<T>(n, [&](auto load, auto store) {
      V s[1];
      ValueAndSlope<false, A>(d, load(z), s);
      store(s[0], out);
    });
  } else {
    ForEachVector<T>(n, [&](auto load, auto store) {
      V s[2];
      ValueAndSlope<true, A>(d, load(z), s);
      store(s[0], out);
      store(s[1], slope);
    });
  }
}

template <class T>
void Activate(Activation a, std::size_t n, const T* z, T* out, T* slope) {
  switch (a) {
    case Activation::tanh:
      return ActivateBy<Activation::tanh>(n, z, out, slope);
    case Activation::sin:
      return ActivateBy<Activation::sin>(n, z, out, slope);
    case Activation::cos:
      return ActivateBy<Activation::cos>(n, z, out, slope);
    case Activation::sigmoid:
      return ActivateBy<Activation::sigmoid>(n, z, out, slope);
    case Activation::silu:
      return ActivateBy<Activation::silu>(n, z, out, slope);
    case Activation::gelu:
      return ActivateBy<Activation::gelu>(n, z, out, slope);
    case Activation::softplus:
      return ActivateBy<Activation::softplus>(n, z, out, slope);
    case Activation::elu:
      return ActivateBy<Activation::elu>(n, z, out, slope);
    case Activation::relu:
      return ActivateBy<Activation::relu>(n, z, out, slope);
    case Activation::relu3:
      return ActivateBy<Activation::relu3>(n, z, out, slope);
    case Activation::gaussian:
      return ActivateBy<Activation::gaussian>(n, z, out, slope);
    case Activation::exp:
      return ActivateBy<Activation::exp>(n, z, out, slope);
    case Activation::sqrt:
      return ActivateBy<Activation::sqrt>(n, z, out, slope);
    case Activation::identity:
    case Activation::wavelet:  // graphs hold it as a sum of sin and cos
      return ActivateBy<Activation::identity>(n, z, out, slope);
  }
}

template <BinaryOp kOp, class V>
HWY_INLINE V Combine(V x, V y) {
  if constexpr (kOp == BinaryOp::add) {
    return hn::Add(x, y);
  } else if constexpr (kOp == BinaryOp::subtract) {
    return hn::Sub(x, y);
  } else if constexpr (kOp == BinaryOp::multiply) {
    return hn::Mul(x, y);
  } else {
    return hn::Div(x, y);
  }
}

template <BinaryOp kOp, class T>
void BinaryBy(std::size_t n, const T* x, std::size_t x_step, const T* y, std::size_t y_step,
              T* out) {
  const hn::ScalableTag<T> d;
  if (x_step == 0) {
    const auto one = hn::Set(d, *x);
    ForEachVector<T>(n, [&](auto load, auto store) { store(Combine<kOp>(one, load(y)), out); });
  } else if (y_step == 0) {
    const auto one = hn::Set(d, *y);
    ForEachVector<T>(n, [&](auto load, auto store) { store(Combine<kOp>(load(x), one), out); });
  } else {
    ForEachVector<T>(n, [&](auto load, auto store) { store(Combine<kOp>(load(x), load(y)), out); });
  }
}

template <class T>
void Binary(BinaryOp op, std::size_t n, const T* x, std::size_t x_step, const T* y,
            std::size_t y_step, T* out) {
  switch (op) {
    case BinaryOp::add:
      return BinaryBy<BinaryOp::add>(n, x, x_step, y, y_step, out);
    case BinaryOp::subtract:
      return BinaryBy<BinaryOp::subtract>(n, x, x_step, y, y_step, out);
    case BinaryOp::multiply:
      return BinaryBy<BinaryOp::multiply>(n, x, x_step, y, y_step, out);
    case BinaryOp::divide:
      return BinaryBy<BinaryOp::divide>(n, x, x_step, y, y_step, out);
  }
}

template <class T>
void ScaleNumbers(std::size_t n, T a, const T* x, T* y) {
  const auto factor = hn::Set(hn::ScalableTag<T>(), a);
  ForEachVector<T>(n, [&](auto load, auto store) { store(hn::Mul(factor, load(x)), y); });
}

template <class T>
void AddNumbers(std::size_t n, const T* x, T* y) {
  ForEachVector<T>(n, [&](auto load, auto store) { store(hn::Add(load(x), load(y)), y); });
}

template <class T>
void AddMultiple(std::size_t n, T a, const T* x, T* y) {
  const auto factor = hn::Set(hn::ScalableTag<T>(), a);
  ForEachVector<T>(n,
                   [&](auto load, auto store) { store(hn::MulAdd(factor, load(x), load(y)), y); });
}

template <class T>
void AddProduct(std::size_t n, T a, const T* x, const T* w, T* y) {
  const auto factor = hn::Set(hn::ScalableTag<T>(), a);
  ForEachVector<T>(n, [&](auto load, auto store) {
    store(hn::MulAdd(hn::Mul(factor, load(x)), load(w), load(y)), y);
  });
}

template <class T>
void Absolute(std::size_t n, const T* x, T* y) {
  ForEachVector<T>(n, [&](auto load, auto store) { store(hn::Abs(load(x)), y); });
}

/// The slope at 0 is 0.
template <class T>
void AbsoluteBackward(std::size_t n, const T* x, const T* y_bar, T* x_bar) {
  const hn::ScalableTag<T> d;
  const auto zero = hn::Zero(d);
  ForEachVector<T>(n, [&](auto load, auto store) {
    const auto u = load(x), g = load(y_bar);
    const auto signed_g = hn::IfThenElse(hn::Lt(u, zero), hn::Neg(g), g);
    store(hn::Add(load(x_bar), hn::IfThenZeroElse(hn::Eq(u, zero), signed_g)), x_bar);
  });
}

/// NaN stays NaN.
template <class T>
void SoftShrink(std::size_t n, T lambda, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const auto bound = hn::Set(d, lambda);
  ForEachVector<T>(n, [&](auto load, auto store) {
    const auto u = load(x);
    const auto shrunk = hn::Sub(u, hn::CopySign(bound, u));
    store(hn::IfThenZeroElse(hn::Le(hn::Abs(u), bound), shrunk), y);
  });
}

template <class T>
void SoftShrinkBackward(std::size_t n, T lambda, const T* x, const T* y_bar, T* x_bar) {
  const hn::ScalableTag<T> d;
  const auto bound = hn::Set(d, lambda);
  ForEachVector<T>(n, [&](auto load, auto store) {
    const auto kept = hn::Gt(hn::Abs(load(x)), bound);
    store(hn::Add(load(x_bar), hn::IfThenElseZero(kept, load(y_bar))), x_bar);
  });
}

/// Sum of term(load) over vectors, in four sums that are joined at the end.
template <class T, class Term>
HWY_INLINE T SumOf(std::size_t n, const Term& term) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d);
  V a = hn::Zero(d), b = a, c = a, e = a;
  std::size_t i = 0;
  const auto at = [&](std::size_t j) {
    return [&d, j](const T* p) { return hn::LoadU(d, p + j); };
  };
  for (; i + 4 * L <= n; i += 4 * L) {
    a = term(at(i), a);
    b = term(at(i + L), b);
    c = term(at(i + 2 * L), c);
    e = term(at(i + 3 * L), e);
  }
  for (; i + L <= n; i += L) a = term(at(i), a);
  if (i < n) {
    V last = term([&](const T* p) { return LoadSome(d, p + i, n - i); }, hn::Zero(d));
#if HWY_TARGET != HWY_SCALAR  // has no such vectors
    last = hn::IfThenElseZero(hn::FirstN(d, n - i), last);
#endif
    b = hn::Add(b, last);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

template <class T>
T SumNumbers(std::size_t n, const T* x) {
  return SumOf<T>(n, [&](auto load, auto sum) { return hn::Add(sum, load(x)); });
}

template <class T>
T DotNumbers(std::size_t n, const T* x, const T* y) {
  return SumOf<T>(n, [&](auto load, auto sum) { return hn::MulAdd(load(x), load(y), sum); });
}

template <class T>
T SquaresOf(std::size_t n, T a, const T* x) {
  const auto middle = hn::Set(hn::ScalableTag<T>(), a);
  return SumOf<T>(n, [&](auto load, auto sum) {
    const auto u = hn::Sub(load(x), middle);
    return hn::MulAdd(u, u, sum);
  });
}

template <class T>
void Center(std::size_t n, T a, T b, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, a), middle = hn::Set(d, b);
  ForEachVector<T>(
      n, [&](auto load, auto store) { store(hn::Mul(factor, hn::Sub(load(x), middle)), y); });
}

template <class T>
void CenterBackward(std::size_t n, T a, T b, T c, const T* x, const T* z, bool add, T* y) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, a), middle = hn::Set(d, b), slope = hn::Set(d, c);
  ForEachVector<T>(n, [&](auto load, auto store) {
    const auto u = hn::NegMulAdd(slope, load(z), hn::Sub(load(x), middle));
    store(add ? hn::MulAdd(factor, u, load(y)) : hn::Mul(factor, u), y);
  });
}

template <class T>
void TakeLines(std::size_t lines, const std::size_t* begins, std::size_t n, std::size_t step,
               const T* from, T* to) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  for (std::size_t l = 0; l < lines; ++l, to += n) {
    const T* x = from + begins[l];
    std::size_t j = 0;
    if (step == 1) {
      for (; j + L <= n; j += L) hn::StoreU(hn::LoadU(d, x + j), d, to + j);
      if (j < n) StoreSome(d, LoadSome(d, x + j, n - j), n - j, to + j);
      continue;
    }
    if (step == 2) {
      for (; j + L < n; j += L) {  // the number behind the last one may not exist
        hn::Vec<decltype(d)> even, odd;
        hn::LoadInterleaved2(d, x + 2 * j, even, odd);
        hn::StoreU(even, d, to + j);
      }
    }
    for (; j < n; ++j) to[j] = x[j * step];
  }
}

template <class T>
void GiveLines(std::size_t lines, const std::size_t* begins, std::size_t n, std::size_t step,
               const T* to, T* from) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  for (std::size_t l = 0; l < lines; ++l, to += n) {
    T* x = from + begins[l];
    std::size_t j = 0;
    if (step == 1) {
      for (; j + L <= n; j += L) {
        hn::StoreU(hn::Add(hn::LoadU(d, x + j), hn::LoadU(d, to + j)), d, x + j);
      }
      if (j < n) {
        const auto sum = hn::Add(LoadSome(d, x + j, n - j), LoadSome(d, to + j, n - j));
        StoreSome(d, sum, n - j, x + j);
      }
      continue;
    }
    if (step == 2) {
      for (; j + L < n; j += L) {
        hn::Vec<decltype(d)> even, odd;
        hn::LoadInterleaved2(d, x + 2 * j, even, odd);
        hn::StoreInterleaved2(hn::Add(even, hn::LoadU(d, to + j)), odd, d, x + 2 * j);
      }
    }
    for (; j < n; ++j) x[j * step] += to[j];
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
