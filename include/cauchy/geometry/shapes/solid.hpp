#pragma once

#include <array>
#include <span>

#include <cauchy/geometry/shape.hpp>

namespace cauchy {

using Point3 = std::array<double, 3>;

// Shapes of three and more dimensions. Each primitive has its exact distance. All throw Error on
// numbers that are not finite and on sizes that are not positive.

/// Any dimension from 1. Pieces in 3 dimensions: left, right (x), front, back (y), bottom, top (z);
/// in others lower1, upper1, lower2, ...
[[nodiscard]] ShapePtr box_shape(std::span<const double> lower, std::span<const double> upper);
/// Any dimension from 1. Piece sphere.
[[nodiscard]] ShapePtr ball_shape(std::span<const double> center, double radius);
/// Half axes along the coordinate axes. Piece surface.
[[nodiscard]] ShapePtr ellipsoid_shape(Point3 center, Point3 half_axes);
/// From the centre of the bottom to the centre of the top. Pieces side, bottom, top.
[[nodiscard]] ShapePtr cylinder_shape(Point3 bottom, Point3 top, double radius);
/// From the centre of the base to the apex. Pieces side, base.
[[nodiscard]] ShapePtr cone_shape(Point3 base, Point3 apex, double radius);
/// About an axis through the centre; 0 < minor < major. Piece surface.
[[nodiscard]] ShapePtr torus_shape(Point3 center, Point3 axis, double major, double minor);
/// Vertices in any order. Pieces face1 .. face4, face i opposite vertex i.
[[nodiscard]] ShapePtr tetrahedron_shape(std::span<const Point3> vertices);

/// Whether distance(x) of this shape is proven to be the true distance, although a combination only
/// promises a bound: the point that decides the distance is checked to lie on the boundary of the
/// result (to 1e-10 of its size). False means not proven. Always true where is_exact() is.
///   cost     a few distances of each operand
[[nodiscard]] bool distance_is_exact_at(const Shape& shape, const double* x);

namespace detail {
[[nodiscard]] ShapePtr combine_solids(Boolean operation, const ShapePtr& a, const ShapePtr& b);
[[nodiscard]] ShapePtr transform_solid(const ShapePtr& shape, const Affine& affine);
}  // namespace detail

}  // namespace cauchy
