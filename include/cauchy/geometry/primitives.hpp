#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include <cauchy/geometry/region.hpp>

namespace cauchy {

using PointExpr = std::vector<Expr>;

// The primitive regions. Pieces of the boundary in brackets. Numbers may hold parameters, except
// the vertices of polygons (transformations of them may).

/// a < x < b [left, right].
struct Interval final : Region {
  Interval(const Expr& lower, const Expr& upper);
  Interval(const Coordinate& x, const Expr& lower, const Expr& upper);
};
/// [left, right, bottom, top].
struct Rectangle final : Region {
  Rectangle(const PointExpr& lower, const PointExpr& upper);
};
/// [arc].
struct Disk final : Region {
  Disk(const PointExpr& center, const Expr& radius);
};
/// Half axes along the coordinates [arc].
struct Ellipse final : Region {
  Ellipse(const PointExpr& center, const Expr& a, const Expr& b);
};
/// [inner, outer].
struct Annulus final : Region {
  Annulus(const PointExpr& center, const Expr& inner, const Expr& outer);
};
/// Counter-clockwise from one angle to another [arc, start, end].
struct Sector final : Region {
  Sector(const PointExpr& center, const Expr& radius, const Expr& start, const Expr& end);
};
/// [side1, side2, side3].
struct Triangle final : Region {
  Triangle(std::array<double, 2> a, std::array<double, 2> b, std::array<double, 2> c);
};
/// Simple polygon with holes, vertices in either order [side1, ...; hole1_side1, ..., label hole1].
struct Polygon final : Region {
  explicit Polygon(const std::vector<std::array<double, 2>>& outer,
                   const std::vector<std::vector<std::array<double, 2>>>& holes = {});
};
/// The side of a line from which the normal points away; unbounded [line].
struct HalfPlane final : Region {
  HalfPlane(const PointExpr& point, const PointExpr& normal);
};
/// A cut along a polyline, only to be subtracted [slit_left, slit_right, label slit].
struct Slit final : Region {
  explicit Slit(const std::vector<std::array<double, 2>>& line);
};
/// Any dimension [in 3: left, right, front, back, bottom, top; else lower1, upper1, ...].
struct Box final : Region {
  Box(const PointExpr& lower, const PointExpr& upper);
};
/// Any dimension [sphere; in the plane arc, on the line left and right].
struct Ball final : Region {
  Ball(const PointExpr& center, const Expr& radius);
};
/// The ball of three dimensions [sphere].
struct Sphere final : Region {
  Sphere(const PointExpr& center, const Expr& radius);
};
/// Half axes along the coordinates [surface].
struct Ellipsoid final : Region {
  Ellipsoid(const PointExpr& center, const PointExpr& half_axes);
};
/// From the centre of the bottom to that of the top [side, bottom, top].
struct Cylinder final : Region {
  Cylinder(const PointExpr& bottom, const PointExpr& top, const Expr& radius);
};
/// From the centre of the base to the apex [side, base].
struct Cone final : Region {
  Cone(const PointExpr& base, const PointExpr& apex, const Expr& radius);
};
/// About an axis; 0 < minor < major [surface].
struct Torus final : Region {
  Torus(const PointExpr& center, const PointExpr& axis, const Expr& major, const Expr& minor);
};
/// [face1 .. face4, face i opposite vertex i].
struct Tetrahedron final : Region {
  Tetrahedron(const PointExpr& a, const PointExpr& b, const PointExpr& c, const PointExpr& d);
};
/// The inside of a closed triangle surface read from STL or OBJ [the groups of the file].
struct Surface final : Region {
  explicit Surface(const std::filesystem::path& file);
};

}  // namespace cauchy
