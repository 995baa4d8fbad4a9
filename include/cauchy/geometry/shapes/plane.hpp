#pragma once

#include <array>
#include <span>
#include <vector>

#include <cauchy/geometry/shape.hpp>

namespace cauchy {

using Point2 = std::array<double, 2>;

// Shapes of the plane. Their boundaries are straight segments and elliptic arcs, which affine maps
// and combinations turn into segments and arcs again: distances, areas, lengths and boundary points
// of every combination are exact.
//   errors      all throw Error on numbers that are not finite and on sizes that are not positive
//   membership  by the winding number of the boundary: points on it are not contained
//   maps        primitives have an equal-area map() of the unit square (polygons up to 1000
//               vertices, holes included); affine images keep it, combinations have none
//   unbounded   half planes and what is made of them: infinite bounds, measure() and piece
//               measures; boundary_point() throws Error on unbounded pieces
//   cost        O(log n) for a boundary of n curves: a polygon of 10,000 sides takes some 5
//               microseconds per distance

/// Pieces left, right, bottom, top.
[[nodiscard]] ShapePtr rectangle_shape(Point2 lower, Point2 upper);
/// Half axes a, b along the coordinate axes; a disk when they are equal. Piece arc. The map takes
/// concentric squares to concentric ellipses.
[[nodiscard]] ShapePtr ellipse_shape(Point2 center, double a, double b);
/// Pieces inner and outer.
[[nodiscard]] ShapePtr annulus_shape(Point2 center, double inner, double outer);
/// The part of a disk between two angles, counter-clockwise from start to end, at most a full turn
/// apart. Pieces arc, start, end (the two straight sides). After a full turn they are the two sides
/// of a cut from the centre to the rim.
[[nodiscard]] ShapePtr sector_shape(Point2 center, double radius, double start, double end);
/// Simple polygon, vertices in either order, with holes that lie inside and apart from each other.
/// Pieces side1, side2, ... (from vertex i to i + 1), holes hole1_side1, ... with label hole1.
///   error    throws Error naming the sides that cross or touch, a repeated vertex, a hole outside
[[nodiscard]] ShapePtr polygon_shape(std::span<const Point2> outer,
                                     std::span<const std::vector<Point2>> holes = {});
/// The points p with (p - point) . normal < 0; unbounded. Piece line.
[[nodiscard]] ShapePtr half_plane_shape(Point2 point, Point2 normal);
/// A cut along an open polyline: no area, only good for being subtracted. The result has both sides
/// of the cut as boundary: pieces slit_left and slit_right (seen along the polyline), label slit,
/// with normals that point into the cut. Further combinations keep the cut where it lies inside the
/// result and the other shape does not cover it.
///   error    throws Error when the line meets itself, when it is united or intersected, and when
///            something is subtracted from it
[[nodiscard]] ShapePtr slit_shape(std::span<const Point2> line);

/// One smooth part of a boundary, with the inside on its left.
struct BoundaryCurve {
  std::size_t piece = 0;
  /// Points along the curve, both ends included: two for a segment, more for an arc.
  std::vector<Point2> points;
};
/// The boundary of a plane shape as polylines for pictures; arcs within `tolerance` of the curve.
/// Unbounded lines are cut to the box.
///   error    throws Error unless the shape is two-dimensional
[[nodiscard]] std::vector<BoundaryCurve> boundary_curves(const Shape& shape, double tolerance,
                                                         const Bounds& box);

namespace detail {
/// Regularised: no isolated points or lines, and boundaries that coincide are recognised. Pieces
/// are those of a, then those of b; pieces with nothing left are dropped.
///   resolution  curves, ends and crossings within 1e-9 of the larger diameter are taken as one
///   error       throws Error when the result is empty or the whole plane, and when boundaries that
///               nearly coincide do not close up at any resolution from 1e-11 to 1e-7
///   cost        O(n log n) for n curves that do not crowd
[[nodiscard]] ShapePtr combine_plane(Boolean operation, const Shape& a, const Shape& b);
/// Pieces keep their names, also under reflections.
///   error       throws Error when the map is singular or not finite
[[nodiscard]] ShapePtr transform_plane(const Shape& shape, const Affine& affine);
}  // namespace detail

}  // namespace cauchy
