#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <cauchy/geometry/mesh.hpp>
#include <cauchy/geometry/region.hpp>
#include <cauchy/geometry/shape.hpp>

namespace cauchy {

/// A material: the cells inside `shape` belong to the part of this name. Where parts overlap, the
/// first one counts. A shape may reach beyond the region, or be unbounded.
struct MeshPart {
  std::string name;
  ShapePtr shape;
};

/// A curve or surface inside the region, where a continuous function of the place changes its sign:
/// it becomes sides of cells. Cells where the function is positive belong to the part of this name,
/// those where several are positive to "a+b", cells of a MeshPart p to "p+a". Where the function
/// does not change its sign inside the region, nothing happens.
struct MeshInterface {
  std::string name;
  std::function<double(const double*)> level;  ///< of `dimension` doubles
};

/// The interface where an expression of the coordinates is 0; parameters need values.
///   error    throws Error naming a coordinate or parameter that is not known
[[nodiscard]] MeshInterface mesh_interface(std::string name, const Expr& level,
                                           const std::vector<std::string>& coordinates,
                                           const ParameterValues& values = {});

/// How a region is cut into cells.
struct MeshOptions {
  double size = 0;  ///< sides of the cells
  /// Sides near a point, `dimension` doubles; the smaller of this and size counts.
  std::function<double(const double*)> size_field = {};
  /// Boundaries between parts become sides of cells. Cells in none of them are "inside", part 0.
  std::vector<MeshPart> parts = {};
  /// Sides of cells inside the region; they may cross each other, parts and the boundary.
  std::vector<MeshInterface> interfaces = {};
  /// What an arc may turn along one side, in degrees: small holes get small sides.
  double turn = 30;
  /// No triangle gets a smaller angle, but at corners of the region that are sharper themselves.
  double smallest_angle = 28;
  /// The mesh is refused when more cells are to be expected.
  std::size_t max_cells = 20'000'000;
};

/// Simplices of sides of about `size` that fill a bounded region.
///   plane    corners, slits (nodes doubled, the tip single) and boundaries between parts are kept;
///            nodes of the boundary lie on the exact curves, so that area and length are right to
///            second order. Delaunay triangles, refined until shapes and sizes are as asked for
///   space    a lattice of tetrahedra, moved and cut where it meets the surface; edges between
///            pieces of the surface are kept. Parts and interfaces are cut in
///   pieces   those of the shape, in its order
///   error    throws Error naming the place when a wall cannot be kept, the region is unbounded,
///            the size is not positive or asks for more than max_cells
[[nodiscard]] Mesh make_mesh(const ShapePtr& shape, const MeshOptions& options);

/// About how many cells make_mesh gives.
[[nodiscard]] double expected_cells(const Shape& shape, const MeshOptions& options);

/// The smaller the nearer to a place: size * (distance / reach)^(1 - 1 / grading), at least
/// `smallest`, for solutions that are singular at the tip of a slit or at a corner.
struct MeshFocus {
  std::vector<double> place;
  double reach = 1, size = 0.1, smallest = 1e-3, grading = 2;
};
[[nodiscard]] std::function<double(const double*)> focused_size(std::vector<MeshFocus> foci);

}  // namespace cauchy
