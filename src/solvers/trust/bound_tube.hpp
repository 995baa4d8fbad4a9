#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/math/matrix.hpp>

#include "solvers/ode/ode_system.hpp"

namespace cauchy::detail {

/// Gauss points of an interval, as shares of it, and their weights.
inline constexpr std::size_t tube_points = 3;
inline constexpr double tube_place[tube_points] = {0.1127016653792583, 0.5, 0.8872983346207417};
inline constexpr double tube_share[tube_points] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/// Norms of a state whose components are in units of their sizes.
enum class StateNorm : std::uint8_t { euclidean, largest };

/// A curve y(t) with its slope, asked for at the Gauss points of intervals; `point` counts them.
using TubeCurve =
    FunctionRef<void(std::size_t point, double t, std::span<double> y, std::span<double> dy)>;

/// What is known of the distance between a curve and the solution at the edges of a grid of time.
///   far, near   the norm of the scaled distance lies between; between two edges it is at most the
///               larger one of far
///   low, high   of a single component: it lies between, with its sign
struct Tube {
  std::vector<double> far, near, low, high;
  double largest_rate = -std::numeric_limits<double>::infinity();  // logarithmic norm that was met
};

/// Sizes of the components for which the rows and columns of J, the mean of |J| along a curve, are
/// of equal size (Osborne): u and u_t / 5 of u_tt = -25 u. The largest is that of `sizes`.
[[nodiscard]] std::vector<double> balanced_sizes(const OdeSystem& system, TubeCurve curve,
                                                 std::span<const double> edges,
                                                 std::span<const double> sizes);

/// Follows comparison equations along a curve y(t) beside the solution of y' = f(t, y):
///   |e|' <= mu(J) |e| + |r|  and  |e|' >= -mu(-J) |e| - |r|,  r = y' - f(t, y),
/// with the logarithmic norm mu at the curve and, for nonlinear f, at points of the ball around it
/// that holds the solution as long as the bound is right. A single component keeps its sign:
///   e' = m e + r with m between -mu(-J) and mu(J).
/// Rates and residuals are the largest of the Gauss points of every interval.
class TubeFollower final {
 public:
  ///   linear   J does not depend on y: no ball is looked at
  TubeFollower(const OdeSystem& system, std::vector<double> sizes, bool linear);

  ///   start_error  y - solution at the first edge
  ///   infinity     from where nothing is known
  [[nodiscard]] Tube follow(TubeCurve curve, std::span<const double> edges,
                            std::span<const double> start_error, StateNorm norm);

  /// The same for a curve that jumps: behind interval k by at most jumps[k * n + i] in component i.
  [[nodiscard]] Tube follow(TubeCurve curve, std::span<const double> edges,
                            std::span<const double> start_error, StateNorm norm,
                            std::span<const double> jumps);

  /// The norm in units of the sizes.
  [[nodiscard]] double size_of(std::span<const double> e, StateNorm norm) const;

 private:
  struct Rates {
    double up, down;  // mu(J), -mu(-J)
    double residual, low, high;
  };
  [[nodiscard]] static double ahead(double e, double r, const Rates& rates, double h);
  [[nodiscard]] Rates rates_between(TubeCurve curve, std::span<const double> edges, std::size_t k,
                                    double radius);
  void look_at(double t, std::span<const double> y, double radius, Rates& rates);
  void take(double t, std::span<const double> y, Rates& rates);
  [[nodiscard]] double rate(double sign) const;

  const OdeSystem& system_;
  std::vector<double> sizes_;
  bool linear_;
  std::size_t n_;
  StateNorm norm_ = StateNorm::euclidean;
  std::vector<std::vector<double>> directions_;
  LoopLimit limit_{"a bound of the error"};
  Matrix jacobian_;
  std::vector<double> y_, dy_, slope_, defect_, beside_;  // scratch
};

}  // namespace cauchy::detail
