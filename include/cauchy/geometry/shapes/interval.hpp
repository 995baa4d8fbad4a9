#pragma once

#include <cauchy/geometry/shape.hpp>

namespace cauchy {

/// lower < x < upper. Exact. Pieces left and right, each one boundary point of measure 1;
/// boundary_point() needs no u (nullptr will do). Combinations are lists of disjoint intervals with
/// one piece per boundary point in ascending order, so that several pieces may have one name.
///   names    a boundary point keeps the name it had: subtracting (1, 2) from (0, 4) leaves left 0,
///            left 1, right 2, right 4, and after a reflection right lies on the left
///   map      the unit interval to the intervals one after the other, length-true
///   error    throws Error unless lower < upper, both finite
[[nodiscard]] ShapePtr interval_shape(double lower, double upper);

namespace detail {
/// Touching intervals become one. Throws Error when nothing is left.
[[nodiscard]] ShapePtr combine_intervals(Boolean operation, const Shape& a, const Shape& b);
[[nodiscard]] ShapePtr transform_intervals(const Shape& shape, const Affine& affine);
}  // namespace detail

}  // namespace cauchy
