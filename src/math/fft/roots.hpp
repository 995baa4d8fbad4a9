#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>

namespace cauchy::detail {

/// exp(-2 pi i k / n) for k < n, correct to about one unit in the last place of long double. The
/// angle is reduced to [0, pi/4] in integers, so the symmetries of the circle hold exactly.
inline std::complex<long double> unit_root(std::size_t k, std::size_t n) {
  std::size_t eighths = 8 * k;  // angle = eighths / n * pi / 4
  bool lower = true, left = false, swap = false;
  if (eighths > 4 * n) eighths = 8 * n - eighths, lower = false;
  if (eighths > 2 * n) eighths = 4 * n - eighths, left = true;
  if (eighths > n) eighths = 2 * n - eighths, swap = true;
  const long double angle = std::numbers::pi_v<long double> / 4 *
                            (static_cast<long double>(eighths) / static_cast<long double>(n));
  long double c = std::cos(angle), s = std::sin(angle);
  if (swap) std::swap(c, s);
  return {left ? -c : c, lower ? -s : s};
}

}  // namespace cauchy::detail
