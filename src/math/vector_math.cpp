#include "math/vector_math.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/vector_math.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

/// Applies F::Run to every element of two inputs and two outputs (unused ones may be null). The
/// tail is copied into a full vector, so that every element sees the same operations.
template <class F, class T>
void ForEachVector(const F& f, const T* a, const T* b, T* p, T* q, size_t n) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  V second = hn::Zero(d);
  V other = hn::Zero(d);
  for (; i + lanes <= n; i += lanes) {
    if (b != nullptr) second = hn::LoadU(d, b + i);
    const V first = f.Run(d, hn::LoadU(d, a + i), second, other);
    hn::StoreU(first, d, p + i);
    if (q != nullptr) hn::StoreU(other, d, q + i);
  }
  if (i == n) return;
  HWY_ALIGN T buffer[hn::MaxLanes(d)] = {};
  const size_t bytes = (n - i) * sizeof(T);
  if (b != nullptr) {
    std::memcpy(buffer, b + i, bytes);
    second = hn::Load(d, buffer);
  }
  std::memcpy(buffer, a + i, bytes);
  const V first = f.Run(d, hn::Load(d, buffer), second, other);
  hn::Store(first, d, buffer);
  std::memcpy(p + i, buffer, bytes);
  if (q != nullptr) {
    hn::Store(other, d, buffer);
    std::memcpy(q + i, buffer, bytes);
  }
}

#define CAUCHY_UNARY(NAME)                                                \
  struct NAME##Function {                                                 \
    template <class D, class V>                                           \
    HWY_INLINE V Run(D d, V x, V, V&) const {                             \
      return NAME(d, x);                                                  \
    }                                                                     \
  };                                                                      \
  void NAME##F32(const float* x, float* y, size_t n) {                    \
    ForEachVector<NAME##Function, float>({}, x, nullptr, y, nullptr, n);  \
  }                                                                       \
  void NAME##F64(const double* x, double* y, size_t n) {                  \
    ForEachVector<NAME##Function, double>({}, x, nullptr, y, nullptr, n); \
  }

CAUCHY_UNARY(Exp)
CAUCHY_UNARY(Expm1)
CAUCHY_UNARY(Log)
CAUCHY_UNARY(Log1p)
CAUCHY_UNARY(Sin)
CAUCHY_UNARY(Cos)
CAUCHY_UNARY(Tan)
CAUCHY_UNARY(Asin)
CAUCHY_UNARY(Acos)
CAUCHY_UNARY(Atan)
CAUCHY_UNARY(Sinh)
CAUCHY_UNARY(Cosh)
CAUCHY_UNARY(Tanh)
CAUCHY_UNARY(Erf)
CAUCHY_UNARY(Erfc)
CAUCHY_UNARY(Sigmoid)
#undef CAUCHY_UNARY

struct SinCosFunction {
  template <class D, class V>
  HWY_INLINE V Run(D d, V x, V, V& cosine) const {
    V sine;
    SinCos(d, x, sine, cosine);
    return sine;
  }
};
struct PowFunction {
  template <class D, class V>
  HWY_INLINE V Run(D d, V x, V y, V&) const {
    return Pow(d, x, y);
  }
};
struct PowIntFunction {
  int exponent;
  template <class D, class V>
  HWY_INLINE V Run(D d, V x, V, V&) const {
    return PowInt(d, x, exponent);
  }
};

void SinCosF32(const float* x, float* s, float* c, size_t n) {
  ForEachVector<SinCosFunction, float>({}, x, nullptr, s, c, n);
}
void SinCosF64(const double* x, double* s, double* c, size_t n) {
  ForEachVector<SinCosFunction, double>({}, x, nullptr, s, c, n);
}
void PowF32(const float* x, const float* e, float* y, size_t n) {
  ForEachVector<PowFunction, float>({}, x, e, y, nullptr, n);
}
void PowF64(const double* x, const double* e, double* y, size_t n) {
  ForEachVector<PowFunction, double>({}, x, e, y, nullptr, n);
}
void PowIntF32(const float* x, int e, float* y, size_t n) {
  ForEachVector<PowIntFunction, float>({e}, x, nullptr, y, nullptr, n);
}
void PowIntF64(const double* x, int e, double* y, size_t n) {
  ForEachVector<PowIntFunction, double>({e}, x, nullptr, y, nullptr, n);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {

// Exports the float and double versions of NAME as overloads of detail::MEMBER.
#define CAUCHY_UNARY(NAME, MEMBER)                            \
  HWY_EXPORT(NAME##F32);                                      \
  HWY_EXPORT(NAME##F64);                                      \
  void detail::MEMBER(const float* x, float* y, size_t n) {   \
    HWY_DYNAMIC_DISPATCH(NAME##F32)(x, y, n);                 \
  }                                                           \
  void detail::MEMBER(const double* x, double* y, size_t n) { \
    HWY_DYNAMIC_DISPATCH(NAME##F64)(x, y, n);                 \
  }

CAUCHY_UNARY(Exp, vexp)
CAUCHY_UNARY(Expm1, vexpm1)
CAUCHY_UNARY(Log, vlog)
CAUCHY_UNARY(Log1p, vlog1p)
CAUCHY_UNARY(Sin, vsin)
CAUCHY_UNARY(Cos, vcos)
CAUCHY_UNARY(Tan, vtan)
CAUCHY_UNARY(Asin, vasin)
CAUCHY_UNARY(Acos, vacos)
CAUCHY_UNARY(Atan, vatan)
CAUCHY_UNARY(Sinh, vsinh)
CAUCHY_UNARY(Cosh, vcosh)
CAUCHY_UNARY(Tanh, vtanh)
CAUCHY_UNARY(Erf, verf)
CAUCHY_UNARY(Erfc, verfc)
CAUCHY_UNARY(Sigmoid, vsigmoid)
#undef CAUCHY_UNARY

HWY_EXPORT(SinCosF32);
HWY_EXPORT(SinCosF64);
HWY_EXPORT(PowF32);
HWY_EXPORT(PowF64);
HWY_EXPORT(PowIntF32);
HWY_EXPORT(PowIntF64);

void detail::vsincos(const float* x, float* sines, float* cosines, size_t n) {
  HWY_DYNAMIC_DISPATCH(SinCosF32)(x, sines, cosines, n);
}
void detail::vpow(const float* x, const float* exponents, float* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(PowF32)(x, exponents, y, n);
}
void detail::vpowint(const float* x, int exponent, float* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(PowIntF32)(x, exponent, y, n);
}
void detail::vsincos(const double* x, double* sines, double* cosines, size_t n) {
  HWY_DYNAMIC_DISPATCH(SinCosF64)(x, sines, cosines, n);
}
void detail::vpow(const double* x, const double* exponents, double* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(PowF64)(x, exponents, y, n);
}
void detail::vpowint(const double* x, int exponent, double* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(PowIntF64)(x, exponent, y, n);
}

}  // namespace cauchy
#endif  // HWY_ONCE
