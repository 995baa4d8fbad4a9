#include <algorithm>
#include <limits>
#include <numbers>

#include "curve.hpp"

// Arc length of ellipses by Carlson's symmetric integrals (B. C. Carlson, "Numerical computation of
// real or complex elliptic integrals", 1995): duplication until the arguments agree, then a series.

namespace cauchy::detail {
namespace {

/// R_F(x, y, z), at most one argument 0.
double carlson_rf(double x, double y, double z) {
  const double a0 = (x + y + z) / 3;
  const double spread = std::max({std::abs(a0 - x), std::abs(a0 - y), std::abs(a0 - z)});
  // The error of the series is about (spread / a)^6 / 4: below 1e-17 for 3e-3.
  double a = a0, shrink = 1;
  while (shrink * spread > 2e-3 * a) {
    const double lambda = std::sqrt(x * y) + std::sqrt(y * z) + std::sqrt(z * x);
    a = (a + lambda) / 4;
    x = (x + lambda) / 4;
    y = (y + lambda) / 4;
    z = (z + lambda) / 4;
    shrink /= 4;
  }
  const double p = (a - x) / a, q = (a - y) / a, r = -p - q;
  const double e2 = p * q - r * r, e3 = p * q * r;
  return (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44) / std::sqrt(a);
}

/// R_D(x, y, z), z > 0 and at most one of x, y 0.
double carlson_rd(double x, double y, double z) {
  const double a0 = (x + y + 3 * z) / 5;
  const double spread = std::max({std::abs(a0 - x), std::abs(a0 - y), std::abs(a0 - z)});
  double a = a0, shrink = 1, sum = 0;
  while (shrink * spread > 1.5e-3 * a) {
    const double sx = std::sqrt(x), sy = std::sqrt(y), sz = std::sqrt(z);
    const double lambda = sx * sy + sy * sz + sz * sx;
    sum += shrink / (sz * (z + lambda));
    a = (a + lambda) / 4;
    x = (x + lambda) / 4;
    y = (y + lambda) / 4;
    z = (z + lambda) / 4;
    shrink /= 4;
  }
  const double p = (a - x) / a, q = (a - y) / a, r = -(p + q) / 3;
  const double pq = p * q, rr = r * r;
  const double e2 = pq - 6 * rr, e3 = (3 * pq - 8 * rr) * r, e4 = 3 * (pq - rr) * rr,
               e5 = pq * rr * r;
  return shrink / (a * std::sqrt(a)) *
             (1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 +
              3 * e5 / 26) +
         3 * sum;
}

/// |phi| <= pi/2. All terms are positive: nothing cancels for flat ellipses (DLMF 19.25.10).
double elliptic_e_quarter(double phi, double k1) {
  const double s = std::sin(phi), c = std::cos(phi);
  const double c2 = c * c, s2 = s * s, k12 = k1 * k1, k2 = (1 - k1) * (1 + k1);
  const double delta = c2 + k12 * s2;
  return s * (k12 * carlson_rf(c2, delta, 1) + k2 * k12 * s2 / 3 * carlson_rd(c2, 1, delta) +
              k2 * std::abs(c) / std::sqrt(delta));
}

/// Gauss-Legendre with 8 nodes on short ranges, where the difference of two integrals would cancel.
double short_length(const Curve& c, double ta, double tb) {
  constexpr double node[4] = {0.18343464249564980494, 0.52553240991632898582,
                              0.79666647741362673959, 0.96028985649753623168};
  constexpr double weight[4] = {0.36268378337836198297, 0.31370664587788728734,
                                0.22238103445337447054, 0.10122853629037625915};
  const double half = (tb - ta) / 2, mid = (tb + ta) / 2;
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    for (const double t : {mid - half * node[i], mid + half * node[i]}) {
      sum += weight[i] * std::hypot(c.a * std::sin(t), c.b * std::cos(t));
    }
  }
  return half * sum;
}

}  // namespace

double elliptic_e(double phi, double k1) {
  const double turns = std::nearbyint(phi / std::numbers::pi);
  double whole = 0;
  if (turns != 0) whole = 2 * turns * elliptic_e_quarter(std::numbers::pi / 2, k1);
  return whole + elliptic_e_quarter(phi - turns * std::numbers::pi, k1);
}

double Curve::length(double ta, double tb) const {
  if (!arc) return (tb - ta) * norm(u);
  if (circular()) return a * (tb - ta);
  // The integrand is analytic within atanh(b/a) of the real axis: on a range of b/(8a) the 8-node
  // rule is exact to rounding.
  if (tb - ta <= 0.125 * b / a) return short_length(*this, ta, tb);
  // Speed is a sqrt(1 - k^2 cos^2 t).
  const double k1 = b / a;
  return a *
         (elliptic_e(tb - std::numbers::pi / 2, k1) - elliptic_e(ta - std::numbers::pi / 2, k1));
}

double Curve::length() const {
  if (!bounded()) return std::numeric_limits<double>::infinity();
  return length(t0, t1);
}

double Curve::at_length(double s) const {
  if (!arc) return t0 + s / norm(u);
  if (circular()) return std::clamp(t0 + s / a, t0, t1);
  if (!(s > 0)) return t0;
  const double total = length();
  if (s >= total) return t1;
  // Newton's method, with a halving of the bracket where it leaves it or converges slowly.
  double low = t0, high = t1, t = t0 + (t1 - t0) * (s / total), last_step = t1 - t0;
  for (int i = 0; i < 200; ++i) {
    const double error = length(t0, t) - s;
    (error > 0 ? high : low) = t;
    double next = t - error / std::hypot(a * std::sin(t), b * std::cos(t));
    if (std::abs(next - t) <= 4e-16 * (std::abs(t) + 1)) break;
    if (!(next > low && next < high && std::abs(next - t) <= 0.5 * last_step)) {
      next = low + (high - low) / 2;
      if (next == low || next == high) break;
    }
    last_step = std::abs(next - t);
    t = next;
  }
  return t;
}

}  // namespace cauchy::detail
