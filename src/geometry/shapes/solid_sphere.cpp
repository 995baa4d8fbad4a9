#include <algorithm>
#include <cmath>
#include <numbers>

#include <cauchy/math/special.hpp>

#include "geometry/shapes/solid_base.hpp"

namespace cauchy::detail {
namespace {

using std::numbers::pi;

/// Integral of sin^k from 0 to the angle, by I_k = ((k - 1) I_(k-2) - cos sin^(k-1)) / k.
double sine_integral(std::size_t k, double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  std::size_t j = k % 2;
  double integral = j == 0 ? angle : 2 * std::sin(angle / 2) * std::sin(angle / 2);
  double power = j == 0 ? s : s * s;  // sin^(j + 1)
  while (j < k) {
    j += 2;
    integral = (static_cast<double>(j - 1) * integral - c * power) / static_cast<double>(j);
    power *= s * s;
  }
  return integral;
}

/// The angle in [0, pi] below which the density proportional to sin^k has the share u; k >= 2.
double sine_quantile(std::size_t k, double u) {
  const bool upper = u > 0.5;
  const double share = upper ? 1 - u : u;
  if (share <= 0) return upper ? pi : 0;
  const double total = 2 * sine_integral(k, pi / 2);
  const double order = static_cast<double>(k);
  double low = 0, high = pi / 2;
  // For large k the law tends to a normal one about pi / 2 with variance 1 / k.
  double angle = std::clamp(pi / 2 + normal_quantile(share) / std::sqrt(order), 1e-3, pi / 2);
  for (int i = 0; i < 100; ++i) {
    const double f = sine_integral(k, angle) / total - share;
    if (f == 0) break;
    (f < 0 ? low : high) = angle;
    double next = angle - f * total / std::pow(std::sin(angle), order);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double step = std::abs(next - angle);
    angle = next;
    if (step <= 1e-15) break;
  }
  return upper ? pi - angle : angle;
}

}  // namespace

void sphere_direction(std::size_t d, const double* u, double* x) {
  double radius = 1;
  for (std::size_t i = 0; i + 2 < d; ++i) {
    const std::size_t k = d - 2 - i;
    double c, s;
    if (k == 1) {
      c = 1 - 2 * u[i];  // Archimedes: the height is uniform
      s = 2 * std::sqrt(std::max(0.0, u[i] * (1 - u[i])));
    } else {
      const double angle = sine_quantile(k, u[i]);
      c = std::cos(angle);
      s = std::sin(angle);
    }
    x[i] = radius * c;
    radius *= s;
  }
  const double angle = 2 * pi * u[d - 2];
  x[d - 2] = radius * std::cos(angle);
  x[d - 1] = radius * std::sin(angle);
}

}  // namespace cauchy::detail
