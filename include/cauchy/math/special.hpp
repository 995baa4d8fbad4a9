#pragma once

namespace cauchy {

// Special functions of one real variable. NaN in gives NaN out; arguments outside the domain give
// NaN; nothing throws.

/// Inverse of the error function on [-1, 1]; erfinv(+-1) = +-infinity. Error below 4 ulp, for tiny
/// y and y next to +-1 too.
double erfinv(double y) noexcept;

/// Inverse of erfc on [0, 2]: erfcinv(0) = infinity, erfcinv(2) = -infinity. Error below 4 ulp,
/// also for subnormal q.
double erfcinv(double q) noexcept;

/// Distribution function of the standard normal law; small relative error in the lower tail as
/// well.
double normal_cdf(double x) noexcept;

/// Its inverse on [0, 1]; normal_quantile(0) = -infinity, normal_quantile(1) = infinity.
double normal_quantile(double p) noexcept;

/// log|Gamma(x)|.
double log_gamma(double x) noexcept;

/// log B(a, b) = log(Gamma(a) Gamma(b) / Gamma(a + b)) for a, b > 0, else NaN. Relative error grows
/// with log_gamma(a + b) when a and b are both large.
double log_beta(double a, double b) noexcept;

}  // namespace cauchy
