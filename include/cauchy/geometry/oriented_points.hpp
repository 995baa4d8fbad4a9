#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/solid.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

namespace cauchy {

/// Points of a surface in space with unit normals that point outwards.
struct OrientedPoints {
  std::vector<Point3> points, normals;
  [[nodiscard]] std::size_t size() const noexcept { return points.size(); }
};

/// Brings normals to length 1.
///   error    throws Error for the first thing that is wrong, with the number of the point (from
///            1): fewer than 4 points, not as many normals, a coordinate that is not finite, a
///            normal of length 0
void check_and_normalize(OrientedPoints& cloud);

/// n points on the boundary of a bounded shape, uniform in its area, one after the other at random.
///   error    throws Error for a shape that is not one of space, unbounded, or whose boundary can
///            hardly be found (fewer than 1 in 10,000 points of the carriers)
[[nodiscard]] OrientedPoints surface_points(const Shape& shape, std::size_t n, Rng rng);

/// n points on triangles, uniform in the area, spread evenly along their order, with the normals of
/// the triangles.
///   error    throws Error for a mesh without area
[[nodiscard]] OrientedPoints surface_points(const TriangleMesh& mesh, std::size_t n, Rng rng);

/// Half the sum of the mean distances from the points of one surface to the other surface and back,
/// by n points on each: 0 for equal surfaces, the distance of parallel planes. Distances to
/// triangles are exact. The same n and seed give the same bits.
///   error    throws Error for a mesh without triangles
[[nodiscard]] double chamfer_distance(const TriangleMesh& a, const TriangleMesh& b,
                                      std::size_t n = 10'000, std::uint64_t seed = 1);

/// Reads points with normals, by content: a PLY file as text whose vertices have x, y, z, nx, ny,
/// nz; or a table of six numbers per line, x y z nx ny nz, with blanks, commas or semicolons
/// between them, lines that begin with # and one line of names left out. The result is checked as
/// above.
///   error    throws Error with file, line and column
[[nodiscard]] OrientedPoints read_oriented_points(const std::filesystem::path& file);

}  // namespace cauchy
