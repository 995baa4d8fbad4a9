#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cauchy::detail {

/// A number with a range far beyond that of any type: value * 2^(sweep_scale * exponent).
struct ScaledReal {
  long double value = 0;
  long exponent = 0;
};
constexpr int sweep_scale = 256;
/// The value brought into [2^-128, 2^128), or 0.
[[nodiscard]] ScaledReal rescaled(ScaledReal a);
[[nodiscard]] ScaledReal operator*(ScaledReal a, long double b);
/// As an ordinary number; below 2^-128 it is 0.
[[nodiscard]] long double plain(ScaledReal a);

/// P_mm / sin^min(m,1) for m = 0 ... degree at one colatitude of this sine.
[[nodiscard]] std::vector<ScaledReal> sectoral_values(std::size_t degree, long double sine);

/// The recursion Q_l = a_l (x Q_{l-1} - b_l Q_{l-2}) of one order, stable upwards; Q is P_lm, or
/// P_lm / sin for m >= 1, which is finite at the poles.
class LegendreSweep final {
 public:
  LegendreSweep(std::size_t degree, std::size_t order);
  /// q[l - m] for l = m ... degree from the value of l = m; numbers below 2^-128 are 0.
  void operator()(long double x, ScaledReal first, std::span<long double> q) const;
  /// dP_l/dtheta = l x Q_l - slope(l) Q_{l-1} for m >= 1 and Q = P / sin.
  [[nodiscard]] long double slope(std::size_t l) const { return slope_[l - order_]; }

 private:
  std::size_t order_;
  std::vector<long double> a_, b_, slope_;
};

}  // namespace cauchy::detail
