#pragma once

#include <cauchy/geometry/shape.hpp>

namespace cauchy {

/// lower < x < upper. Pieces left and right, of measure 1 (a boundary point counts one); after
/// combinations the shape is a list of intervals and a piece may hold several points. Exact.
///   error    throws Error unless lower < upper, both finite
[[nodiscard]] ShapePtr interval_shape(double lower, double upper);

namespace detail {
[[nodiscard]] ShapePtr combine_intervals(Boolean operation, const Shape& a, const Shape& b);
[[nodiscard]] ShapePtr transform_intervals(const Shape& shape, const Affine& affine);
}  // namespace detail

}  // namespace cauchy
