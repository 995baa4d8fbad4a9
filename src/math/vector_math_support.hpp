#pragma once

// Constants and lane-wise fallbacks of the vector functions; compiled once, not per target.

#include <cmath>
#include <cstddef>
#include <limits>

#include "math/vector_math_coefficients.hpp"

namespace cauchy::detail {

/// Range limits and argument-reduction constants. `*_high` and `*_low` pairs are Cody-Waite
/// splits: the product of the leading part with an integer in range is exact.
template <class T>
struct MathConstants;

template <>
struct MathConstants<double> {
  static constexpr int mantissa_bits = 52;
  static constexpr int exponent_bias = 1023;
  static constexpr double round_magic = 0x1.8p52;  // adding it rounds to an integer
  static constexpr double log2_e = 1.4426950408889634074;
  static constexpr double ln2_high = 0x1.62e42feep-1;  // 32 bits
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double exp_high = 710.0;  // exp overflows from 709.79
  static constexpr double exp_low = -746.0;  // and is zero below -745.14
  static constexpr double exp_normal_low = -708.0;
  static constexpr double expm1_low = -40.0;  // expm1 rounds to -1
  static constexpr double tanh_one = 20.0;
  static constexpr double cosh_high = 710.6;  // cosh overflows from 710.476
  static constexpr double erfc_zero = 27.3;   // erfc underflows to 0 from 27.23
  static constexpr double trig_limit = 1e6;   // beyond: std::sin, std::cos lane by lane
  static constexpr double two_over_pi = 0.63661977236758134308;
  // With fused multiply-add a full-width leading part is exact. All parts are positive: subtracting
  // 0 * part then keeps the sign of -0.
  static constexpr double pio2[] = {0x1.921fb54442d18p0, 0x1.1a62633145c06p-54,
                                    0x1.c1cd129024e08p-107};
  // Without it: 33 bits each (times an integer below 2^20 is exact) and the rest.
  static constexpr double pio2_split[] = {0x1.921fb544p0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
  static constexpr double log_offset = 0x1.6a09e667f3bcdp-1;  // sqrt(1/2)
  static constexpr double tiny_scale = 0x1p54;
  static constexpr double tiny_exponent = 54.0;
};

template <>
struct MathConstants<float> {
  static constexpr int mantissa_bits = 23;
  static constexpr int exponent_bias = 127;
  static constexpr float round_magic = 0x1.8p23f;
  static constexpr float log2_e = 1.44269504f;
  static constexpr float ln2_high = 0x1.63p-1f;
  static constexpr float ln2_low = -0x1.bd0106p-13f;
  static constexpr float exp_high = 89.0f;   // exp overflows from 88.73
  static constexpr float exp_low = -104.0f;  // and is zero below -103.97
  static constexpr float exp_normal_low = -87.0f;
  static constexpr float expm1_low = -20.0f;
  static constexpr float tanh_one = 10.0f;
  static constexpr float cosh_high = 89.5f;  // cosh overflows from 89.416
  static constexpr float erfc_zero = 10.1f;  // erfc underflows to 0 from 10.06
  static constexpr float trig_limit = 8192.0f;
  static constexpr float two_over_pi = 0.636619772f;
  static constexpr float pio2[] = {0x1.921fb4p0f, 0x1.4442dp-24f, 0x1.846988p-48f};
  static constexpr float pio2_split[] = {0x1.92p0f, 0x1.fb4p-12f, 0x1.444p-24f, 0x1.68c234p-39f,
                                         0x1.898cc6p-64f};
  static constexpr float log_offset = 0x1.6a09e6p-1f;
  static constexpr float tiny_scale = 0x1p24f;
  static constexpr float tiny_exponent = 24.0f;
};

/// y[i] = f(x[i]) where |x[i]| > limit: the rare lanes that argument reduction cannot serve.
/// Out of line, so that the kernels stay small. Infinite and NaN arguments give NaN.
template <class T>
[[gnu::noinline, gnu::cold]] void sincos_lanes(const T* x, T* sines, T* cosines, size_t n,
                                               T limit) {
  for (size_t i = 0; i < n; ++i) {
    if (std::abs(x[i]) <= limit) continue;
    sines[i] = std::sin(x[i]);
    cosines[i] = std::cos(x[i]);
  }
}

/// y[i] = pow(x[i], e[i]) where x[i] is not a positive normal number or e[i] is not finite.
template <class T>
[[gnu::noinline, gnu::cold]] void pow_lanes(const T* x, const T* e, T* y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (x[i] >= std::numeric_limits<T>::min() && x[i] <= std::numeric_limits<T>::max() &&
        std::abs(e[i]) <= std::numeric_limits<T>::max()) {
      continue;
    }
    y[i] = std::pow(x[i], e[i]);
  }
}

/// y[i] = pow(x[i], e[i]) for every lane: targets without fused multiply-add.
template <class T>
[[gnu::noinline]] void pow_all_lanes(const T* x, const T* e, T* y, size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = std::pow(x[i], e[i]);
}

}  // namespace cauchy::detail
