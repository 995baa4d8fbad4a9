#pragma once

#include <cauchy/math/bspline.hpp>  // BSplineBasis
#include <cstdint>
#include <span>
#include <vector>

namespace cauchy {

/// What a spline through n points does besides: one of degree k with a knot at every inner point
/// has n + k - 1 coefficients, k - 1 more than values.
///   not_a_knot  fewer knots, as many functions as points: the (k - 1) / 2 points nearest to each
///   end
///               are no knots; for even k the knots lie halfway between points
///   natural     derivatives of order (k + 1) / 2 to k - 1 vanish at both ends; odd k
///   clamped     derivatives of order 1 to (k - 1) / 2 are given at both ends; odd k
enum class SplineEnds : std::uint8_t { not_a_knot, natural, clamped };

/// A sum of B-splines: k - 1 times continuously differentiable at simple knots.
class Spline final {
 public:
  ///   error    throws Error unless there is one coefficient per function
  Spline(BSplineBasis basis, std::vector<double> coefficients);

  [[nodiscard]] const BSplineBasis& basis() const noexcept { return basis_; }
  [[nodiscard]] const std::vector<double>& coefficients() const noexcept { return coefficients_; }
  /// Value, or a derivative. Beyond the ends the last polynomial is continued.
  ///   cost     O(log n + degree^2)
  [[nodiscard]] double operator()(double x, int derivative = 0) const;

 private:
  BSplineBasis basis_;
  std::vector<double> coefficients_;
};

struct SplineOptions {
  int degree = 3;
  SplineEnds ends = SplineEnds::not_a_knot;
  /// Of clamped ends: derivatives of order 1, 2, ..., (degree - 1) / 2.
  std::vector<double> left = {}, right = {};
};

/// The spline through the points (x_i, y_i), x ascending. It reproduces polynomials of its degree
/// (natural ends: those whose end derivatives vanish), and its error is O(h^(degree + 1)) for
/// smooth functions (natural ends: O(h^((degree + 1) / 2)) near the ends).
///   cost     O(n degree^2), by a sparse factorization
///   error    throws Error unless x ascends, numbers are finite, there are at least degree + 1
///   points
///            (natural: (degree + 1) / 2, clamped: 2) and the ends fit the degree
[[nodiscard]] Spline interpolate_spline(std::span<const double> x, std::span<const double> y,
                                        const SplineOptions& options = {});

}  // namespace cauchy
