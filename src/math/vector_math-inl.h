// Elementary functions on SIMD vectors of float or double: `V F(D d, V x)` in
// cauchy::HWY_NAMESPACE.
//
//   Exp Expm1 Log Log1p Sigmoid | Sin Cos SinCos Tan Asin Acos Atan | Sinh Cosh Tanh
//   Erf Erfc ErfcScaled | Pow(d, x, y) PowInt(d, x, n)
//
// Error at most 4 ulp (Erfc 5; each function states its own bound), signed zeros, infinities
// and NaN as in <cmath>. A lane's result depends on its own argument only, never on its position
// or neighbours; between instruction sets results may differ in the last bits.
//
// Private, included once per SIMD target: include after hwy/foreach_target.h and hwy/highway.h.
// HWY_NATIVE_FMA decides between algorithms; no function calls another translation unit on its
// fast path.

#if defined(CAUCHY_MATH_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_MATH_VECTOR_MATH_INL_H_
#undef CAUCHY_MATH_VECTOR_MATH_INL_H_
#else
#define CAUCHY_MATH_VECTOR_MATH_INL_H_
#endif

#include "math/vector_exp-inl.h"
#include "math/vector_log-inl.h"
#include "math/vector_trig-inl.h"

#endif  // per-target include guard
