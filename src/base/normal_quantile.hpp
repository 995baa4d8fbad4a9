#pragma once

namespace cauchy::detail {

/// Inverse of the standard normal distribution function: x with P(N(0,1) < x) = p.
///   range   p in (0, 1); 0 and 1 give -inf and +inf, anything else NaN
///   error   relative error below 1e-15 for every p, including subnormal p and p next to 1/2
///   bits    only + - * / sqrt and the exact frexp: the same bits on every IEEE machine, provided
///           that the compiler does not contract to fused multiply-add (-ffp-contract=off)
/// portable_normal_quantile(1 - p) is exactly -portable_normal_quantile(p) whenever 1 - p is exact.
[[nodiscard]] double portable_normal_quantile(double p) noexcept;

/// Natural logarithm of a finite x > 0 from the same exact operations, for use where the bits of
/// the result must not depend on the C library. Relative error below 4e-16 outside [1/2, 2]
/// (absolute error below 2e-16 within).
[[nodiscard]] double portable_log(double x) noexcept;

}  // namespace cauchy::detail
