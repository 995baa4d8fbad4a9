#pragma once

#include <array>

namespace cauchy::detail {

/// The additive Runge-Kutta method ARS(3,4,3) of Ascher, Ruuth and Spiteri (1997) with three
/// implicit and four explicit stages, order 3, the implicit part L-stable. Both parts have the same
/// times of stages, so that what is steady in the sum is steady in every stage.
struct ImexScheme {
  static constexpr std::size_t stages = 4;
  /// explicit_part[i][j], j < i; implicit_part[i][j], j <= i; b: weights of both.
  std::array<std::array<double, stages>, stages> explicit_part{}, implicit_part{};
  std::array<double, stages> b{};
};

[[nodiscard]] constexpr ImexScheme imex_scheme() {
  // g is the root of x^3 - 3 x^2 + 3/2 x - 1/6 in (0, 1).
  constexpr double g = 0.43586652150845899942;
  constexpr double b1 = -1.5 * g * g + 4 * g - 0.25, b2 = 1.5 * g * g - 5 * g + 1.25;
  constexpr double a42 = 0.5529291480359398, a43 = a42;  // the largest stability region
  constexpr double p = 1 - 4.5 * g + 1.5 * g * g, q = 2.75 - 10.5 * g + 3.75 * g * g;
  constexpr double a31 = p * a42 + q * a43 - 3.5 + 13 * g - 4.5 * g * g;
  constexpr double a32 = -p * a42 - q * a43 + 4 - 12.5 * g + 4.5 * g * g;
  ImexScheme s;
  s.explicit_part = {{{}, {g}, {a31, a32}, {1 - a42 - a43, a42, a43}}};
  s.implicit_part = {{{}, {0, g}, {0, (1 - g) / 2, g}, {0, b1, b2, g}}};
  s.b = {0, b1, b2, g};
  return s;
}

}  // namespace cauchy::detail
