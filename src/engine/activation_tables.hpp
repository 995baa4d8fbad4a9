#pragma once

#include <array>
#include <cauchy/engine/activation.hpp>
#include <cstddef>

namespace cauchy::detail {

/// Coefficients c[k][j] of  tanh^(k) = (1 - y^2) [y if k is even] sum_j c[k][j] y^(2j),  k >= 1,
/// y = tanh x. The factor 1 - y^2 is kept apart because the expanded polynomial in y cancels near
/// |y| = 1; in this form the error stays below 10 ulp of the largest value up to order 8.
/// The sigmoid follows by sigmoid^(k)(x) = 2^-(k+1) tanh^(k)(x/2), written with
/// the factor sigmoid' = (1 - y^2)/4 in place of 1 - y^2.
template <class T>
using TanhTable = std::array<std::array<T, kMaxActivationOrder / 2>, kMaxActivationOrder + 1>;

template <class T>
constexpr TanhTable<T> make_tanh_table(bool sigmoid) {
  constexpr int n = kMaxActivationOrder / 2;
  std::array<std::array<double, n + 1>, kMaxActivationOrder + 1> q{};
  q[1][0] = 1;
  for (size_t k = 1; k < kMaxActivationOrder; ++k) {
    // Derivatives of (1-z) q(z) and of y (1-z) q(z) with respect to x, z = y^2, y' = 1 - z.
    for (size_t j = 0; j < n; ++j) {
      const double c = q[k][j];
      const double power = static_cast<double>(j);
      if (k % 2 == 1) {  // -2 q + 2 (1 - z) q'
        q[k + 1][j] += -2 * c - 2 * power * c;
        if (j > 0) q[k + 1][j - 1] += 2 * power * c;
      } else {  // (1 - 3 z) q + 2 z (1 - z) q'
        q[k + 1][j] += c + 2 * power * c;
        q[k + 1][j + 1] += -3 * c - 2 * power * c;
      }
    }
  }
  TanhTable<T> table{};
  double scale = 1;
  for (size_t k = 1; k <= kMaxActivationOrder; ++k) {
    for (size_t j = 0; j < n; ++j) table[k][j] = static_cast<T>(scale * q[k][j]);
    if (sigmoid) scale /= 2;
  }
  return table;
}

template <class T>
inline constexpr TanhTable<T> kTanhTable = make_tanh_table<T>(false);
template <class T>
inline constexpr TanhTable<T> kSigmoidTable = make_tanh_table<T>(true);

/// Arguments beyond which all derivatives from some order on are zero in T; clamping there keeps
/// products such as polynomial * exp(-x^2) free of 0 * infinity.
template <class T>
struct ActivationLimits {
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr T gaussian = wide ? T(28) : T(11);
  static constexpr T gelu = wide ? T(40) : T(15);
  static constexpr T silu = wide ? T(800) : T(110);
};

}  // namespace cauchy::detail
