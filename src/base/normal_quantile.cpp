#include "base/normal_quantile.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace cauchy::detail {
namespace {

// c[0] + c[1] x + ... by Horner's rule.
template <std::size_t N>
double polynomial(const std::array<double, N>& c, double x) noexcept {
  double value = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) value = value * x + c[i];
  return value;
}

// Minimax rational approximations of Wichura, "Algorithm AS 241: The percentage points of the
// normal distribution", Applied Statistics 37 (1988), relative error about 1e-16 before rounding.
// All coefficients and all arguments are positive, so that no cancellation occurs.
struct Rational {
  std::array<double, 8> numerator, denominator;
  double operator()(double x) const noexcept {
    return polynomial(numerator, x) / polynomial(denominator, x);
  }
};

// |p - 1/2| <= 0.425: x = q R(0.425^2 - q^2), q = p - 1/2.
constexpr Rational centre = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};

// r = sqrt(-log(min(p, 1 - p))) <= 5: |x| = R(r - 1.6).
constexpr Rational near_tail = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};

// r > 5, down to the smallest subnormal p (r = 27.3): |x| = R(r - 5).
constexpr Rational far_tail = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

}  // namespace

double portable_log(double x) noexcept {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m - 1)/(m + 1), |s| <
  // 0.1716.
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2.0;
    --exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  // atanh(s)/s - 1 = z/3 + z^2/5 + ...: the first term left out is below 0.0295^11 / 23 < 1e-18.
  constexpr std::array<double, 10> series = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                             1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
  const double twice_s = 2.0 * s;
  const double log_m = twice_s + twice_s * (z * polynomial(series, z));
  // log 2 in two parts; the first has 32 significant bits, so that its product with e is exact.
  constexpr double log2_high = 0x1.62e42fee00000p-1, log2_low = 0x1.a39ef35793c76p-33;
  return exponent * log2_high + (log_m + exponent * log2_low);
}

double portable_normal_quantile(double p) noexcept {
  if (!(p > 0.0 && p < 1.0)) {
    if (p == 0.0) return -std::numeric_limits<double>::infinity();
    if (p == 1.0) return std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) return q * centre(0.180625 - q * q);
  const double r = std::sqrt(-portable_log(q < 0.0 ? p : 1.0 - p));
  const double x = r <= 5.0 ? near_tail(r - 1.6) : far_tail(r - 5.0);
  return q < 0.0 ? -x : x;
}

}  // namespace cauchy::detail
