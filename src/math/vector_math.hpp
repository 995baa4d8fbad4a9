#pragma once

#include <cstddef>

namespace cauchy::detail {

// Elementary functions on arrays: y[i] = f(x[i]), i < n. x and y may be the same array and need no
// alignment. Run-time dispatch over the SIMD targets; y[i] depends on x[i] and the target only.
// Error bounds: vector_math-inl.h (at most 4 ulp, erfc 5).

void vexp(const double* x, double* y, size_t n);
void vexpm1(const double* x, double* y, size_t n);
void vlog(const double* x, double* y, size_t n);
void vlog1p(const double* x, double* y, size_t n);
void vsin(const double* x, double* y, size_t n);
void vcos(const double* x, double* y, size_t n);
void vtan(const double* x, double* y, size_t n);
void vasin(const double* x, double* y, size_t n);
void vacos(const double* x, double* y, size_t n);
void vatan(const double* x, double* y, size_t n);
void vsinh(const double* x, double* y, size_t n);
void vcosh(const double* x, double* y, size_t n);
void vtanh(const double* x, double* y, size_t n);
void verf(const double* x, double* y, size_t n);
void verfc(const double* x, double* y, size_t n);
void vsigmoid(const double* x, double* y, size_t n);

void vsincos(const double* x, double* sines, double* cosines, size_t n);
void vpow(const double* x, const double* exponents, double* y, size_t n);
void vpowint(const double* x, int exponent, double* y, size_t n);

void vexp(const float* x, float* y, size_t n);
void vexpm1(const float* x, float* y, size_t n);
void vlog(const float* x, float* y, size_t n);
void vlog1p(const float* x, float* y, size_t n);
void vsin(const float* x, float* y, size_t n);
void vcos(const float* x, float* y, size_t n);
void vtan(const float* x, float* y, size_t n);
void vasin(const float* x, float* y, size_t n);
void vacos(const float* x, float* y, size_t n);
void vatan(const float* x, float* y, size_t n);
void vsinh(const float* x, float* y, size_t n);
void vcosh(const float* x, float* y, size_t n);
void vtanh(const float* x, float* y, size_t n);
void verf(const float* x, float* y, size_t n);
void verfc(const float* x, float* y, size_t n);
void vsigmoid(const float* x, float* y, size_t n);

void vsincos(const float* x, float* sines, float* cosines, size_t n);
void vpow(const float* x, const float* exponents, float* y, size_t n);
void vpowint(const float* x, int exponent, float* y, size_t n);

}  // namespace cauchy::detail
