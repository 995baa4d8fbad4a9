#pragma once

#include <array>
#include <span>

#include <cauchy/geometry/shape.hpp>

namespace cauchy {

using Point3 = std::array<double, 3>;

// Shapes of three and more dimensions. Each primitive has its exact distance, its volume and areas
// in closed form, an equal-volume map from the unit cube and equal-area maps onto its pieces, which
// are continuous but for the cut where an angle begins again. All throw Error on numbers that are
// not finite and on sizes that are not positive. One and two dimensions are handed to the intervals
// and the shapes of the plane, with their pieces.

/// Any dimension from 1. Pieces in 3 dimensions: left, right (x), front, back (y), bottom, top (z);
/// in others lower1, upper1, lower2, ...
[[nodiscard]] ShapePtr box_shape(std::span<const double> lower, std::span<const double> upper);
/// Any dimension from 1. Piece sphere. The maps invert the laws of d - 2 angles at a cost of
/// O(d^2).
[[nodiscard]] ShapePtr ball_shape(std::span<const double> center, double radius);
/// Half axes along the coordinate axes. Piece surface, whose equal-area map is tabulated when the
/// shape is made (5 to 20 ms): density right to 1e-6 for half axes up to 1 : 3, 1e-5 for 1 : 10,
/// 5e-5 for 1 : 30, the area to 1e-10 up to 1 : 10; the points are on the surface to rounding.
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
/// Distances by the smaller or larger of the operands': bounds with the right sign. One operand is
/// returned as it is when the other is proven not to change it.
///   pieces   those of a, then those of b (turned round when subtracted); pieces proven to be off
///            the boundary are dropped, pieces proven to be on it keep their measure, others have
///            none (NaN) and boundary_point says which points count. Of surfaces that coincide
///            those of a are kept
///   measure  known when the shapes are proven to be apart or one within the other
///   error    throws Error when the result is proven to be empty; an empty result that is not
///            noticed contains no point
[[nodiscard]] ShapePtr combine_solids(Boolean operation, const ShapePtr& a, const ShapePtr& b);
/// Exact under similarities. Uneven maps keep ellipsoids and balls of three dimensions and
/// tetrahedra exact, boxes along the axes, cylinders and cones along their axis; other distances
/// are those of the original times the smallest stretch, a bound. Areas of curved pieces that are
/// stretched unevenly come from quadrature (1e-9 for moderate stretches) and their points from a
/// table (density to about 1e-5); beyond three dimensions such pieces have neither, and
/// boundary_point throws Error. Combinations are transformed operand by operand.
///   error    throws Error when the map is singular or not finite
[[nodiscard]] ShapePtr transform_solid(const ShapePtr& shape, const Affine& affine);
}  // namespace detail

}  // namespace cauchy
