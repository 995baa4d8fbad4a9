#include <array>
#include <cauchy/math/special.hpp>
#include <cmath>
#include <limits>
#include <numbers>

// Inverse error functions: a polynomial start with 7 correct digits (least-maximum fits of this
// project), then one Halley step, whose cubic convergence leaves only the rounding of erf and erfc.

namespace cauchy {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double two_over_sqrt_pi = 2 * std::numbers::inv_sqrtpi;

template <std::size_t N>
double horner(const std::array<double, N>& c, double x) noexcept {
  double sum = c[0];
  for (std::size_t i = 1; i < N; ++i) sum = sum * x + c[i];
  return sum;
}

/// erfinv(y) / y in y^2 for |y| <= 1/2, error 5e-11.
constexpr std::array central = {0.095190690253441698, 0.014526124771553511, 0.058234679669823761,
                                0.064160619465525017, 0.086604463437956455, 0.12755451124842929,
                                0.23201368652261055,  0.88622692541365076};
/// erfcinv(q) in t = sqrt(-log q): [0.83, 2.5] error 7e-8, [2.5, 7] 2e-7, [7, 27.4] 6e-7.
constexpr std::array near_tail = {
    2.0759774994727811e-5, 3.4361288687204739e-5, -0.0040109606235807083, 0.039546461598094235,
    -0.19770252936016637,  0.61028633269285675,   -1.235813640664006,     1.6320838123040587,
    -0.24100585020325038,  0.033277444821182644};
constexpr std::array middle_tail = {
    -6.3113426610360722e-8, 2.9706429719607256e-6, -6.1922645202962462e-5, 0.00075090308108732286,
    -0.0058417722509551412, 0.030218468960327628,  -0.10329699331893731,   0.21769109766879409,
    0.79987549119348212,    -0.31344363719741103};
constexpr std::array far_tail = {
    2.8782141782090244e-13, -5.0410329333231487e-11, 3.9142309641004412e-9, -1.775624075271111e-7,
    5.2206426744522623e-6,  -0.00010435379880135708, 0.0014477114164366129, -0.014009550679450593,
    1.0946702851098027,     -0.47312834371648705};

/// erfinv for |y| <= 1/2.
double central_erfinv(double y) noexcept {
  const double x = y * horner(central, y * y);
  if (std::abs(y) < 1e-10) return y / two_over_sqrt_pi;  // next term is y^3 pi^1.5 / 24
  const double u = (std::erf(x) - y) / (two_over_sqrt_pi * std::exp(-x * x));
  return x - u / (1 + x * u);
}

/// erfcinv for 0 < q <= 1/2.
double tail_erfcinv(double q) noexcept {
  const double log_q = std::log(q), t = std::sqrt(-log_q);
  double x = t < 2.5 ? horner(near_tail, t) : t < 7 ? horner(middle_tail, t) : horner(far_tail, t);
  if (q > 1e-300) {
    const double u = (q - std::erfc(x)) / (two_over_sqrt_pi * std::exp(-x * x));
    return x - u / (1 + x * u);
  }
  // erfc(x) would be subnormal: Newton for its logarithm, erfc(x) = exp(-x^2) s / (x sqrt(pi)).
  for (int i = 0; i < 2; ++i) {
    const double r = 1 / (2 * x * x);  // below 8e-4, so five terms suffice
    const double s = 1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r * (1 - 9 * r))));
    const double f = -x * x + std::log(s * std::numbers::inv_sqrtpi / x) - log_q;
    x += f * s / (2 * x);
  }
  return x;
}

}  // namespace

double erfinv(double y) noexcept {
  const double a = std::abs(y);
  if (a <= 0.5) return central_erfinv(y);
  if (a < 1) return std::copysign(tail_erfcinv(1 - a), y);  // 1 - a is exact for a >= 1/2
  return a == 1 ? std::copysign(infinity, y) : nan;
}

double erfcinv(double q) noexcept {
  if (q >= 0.5 && q <= 1.5) return central_erfinv(1 - q);  // exact differences, here and below
  if (q > 0 && q < 0.5) return tail_erfcinv(q);
  if (q > 1.5 && q < 2) return -tail_erfcinv(2 - q);
  if (q == 0) return infinity;
  return q == 2 ? -infinity : nan;
}

double normal_cdf(double x) noexcept {
  // z + dz = -x / sqrt(2): the rounding of z, times 2 z^2, would spoil the tail.
  constexpr double root_half = std::numbers::sqrt2 / 2, root_half_rest = -4.833646656726457e-17;
  const double z = -x * root_half;
  const double value = std::erfc(z) / 2;
  if (!(std::abs(x) < 40)) return value;
  const double dz = std::fma(-x, root_half, -z) - x * root_half_rest;
  return value - dz * std::numbers::inv_sqrtpi * std::exp(-z * z);
}

double normal_quantile(double p) noexcept { return -std::numbers::sqrt2 * erfcinv(2 * p); }

double log_gamma(double x) noexcept { return std::lgamma(x); }

double log_beta(double a, double b) noexcept {
  if (!(a > 0) || !(b > 0)) return nan;
  return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

}  // namespace cauchy
