#include "math/sphere/legendre_sweep.hpp"

#include <cmath>
#include <numbers>

namespace cauchy::detail {

ScaledReal rescaled(ScaledReal a) {
  if (a.value == 0) return {};
  while (std::fabs(a.value) < 0x1p-128L) {
    a.value *= 0x1p256L;
    --a.exponent;
  }
  while (std::fabs(a.value) >= 0x1p128L) {
    a.value *= 0x1p-256L;
    ++a.exponent;
  }
  return a;
}

ScaledReal operator*(ScaledReal a, long double b) { return rescaled({a.value * b, a.exponent}); }

long double plain(ScaledReal a) { return a.exponent < 0 ? 0 : a.value; }

std::vector<ScaledReal> sectoral_values(std::size_t degree, long double sine) {
  // P_mm = -sqrt((2m+1) / (2m)) sin P_{m-1,m-1}; the division by sin takes one factor away.
  std::vector<ScaledReal> q(degree + 1);
  q[0] = {1 / std::sqrt(4 * std::numbers::pi_v<long double>), 0};
  for (std::size_t m = 1; m <= degree; ++m) {
    const auto n = static_cast<long double>(m);
    q[m] = q[m - 1] * (-std::sqrt((2 * n + 1) / (2 * n)) * (m == 1 ? 1 : sine));
  }
  return q;
}

LegendreSweep::LegendreSweep(std::size_t degree, std::size_t order) : order_(order) {
  const auto m = static_cast<long double>(order);
  const std::size_t n = degree >= order ? degree - order + 1 : 0;
  a_.assign(n, 0);
  b_.assign(n, 0);
  slope_.assign(n, 0);
  for (std::size_t k = 1; k < n; ++k) {
    const auto l = static_cast<long double>(order + k);
    a_[k] = std::sqrt((4 * l * l - 1) / (l * l - m * m));
    b_[k] = std::sqrt(((l - 1) * (l - 1) - m * m) / (4 * (l - 1) * (l - 1) - 1));
    slope_[k] = std::sqrt((l * l - m * m) * (2 * l + 1) / (2 * l - 1));
  }
}

void LegendreSweep::operator()(long double x, ScaledReal first, std::span<long double> q) const {
  // Values of one order grow from far below the smallest number to about 1 and then oscillate: once
  // the exponent is 0 it stays there.
  long double now = first.value, before = 0;
  long exponent = first.exponent;
  q[0] = plain(first);
  std::size_t k = 1;
  for (; k < a_.size() && exponent < 0; ++k) {
    const long double next = a_[k] * (x * now - b_[k] * before);
    before = now;
    now = next;
    if (std::fabs(now) >= 0x1p128L) {
      now *= 0x1p-256L;
      before *= 0x1p-256L;
      ++exponent;
    }
    q[k] = plain({now, exponent});
  }
  for (; k < a_.size(); ++k) {
    const long double next = a_[k] * (x * now - b_[k] * before);
    before = now;
    now = next;
    q[k] = now;
  }
}

}  // namespace cauchy::detail
