#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <cauchy/geometry/shapes/solid.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

namespace cauchy {

/// Nodes lower + i spacing of a regular grid in space, the last axis fastest.
struct NodeGrid {
  std::array<std::size_t, 3> n = {0, 0, 0};
  Point3 lower = {0, 0, 0}, spacing = {1, 1, 1};
  [[nodiscard]] std::size_t size() const noexcept { return n[0] * n[1] * n[2]; }
};

/// The surface where a function on a grid, linear along edges of cells, passes a level: marching
/// cubes without a table of cases. Values above the level are inside; beyond the grid is outside.
///   method   on each face of a cell the crossings of its sides are joined by lines; four of them
///            in two pairs by the value at the saddle of the bilinear function (asymptotic
///            decider), which both cells of the face find alike. Lines make rings, rings triangles,
///            without a diagonal inside a face
///   closed   every edge has two triangles in opposite directions and the triangles at a vertex
///            make one ring, whatever the values are; triangles are counter-clockwise seen from
///            outside
///   order    2: area, volume and place are right to O(spacing^2) for smooth functions
///   near     crossings keep 1/1000 of an edge away from nodes, so that no triangle has no area
///   error    throws Error unless there are as many finite values as nodes, at least two along each
///            axis; an empty surface is no error
///   cost     a pass over the cells; memory in proportion to a layer of nodes and the surface
[[nodiscard]] TriangleMesh isosurface(std::span<const double> values, const NodeGrid& grid,
                                      double level);

/// Sum of the areas of the triangles.
[[nodiscard]] double surface_area(const TriangleMesh& mesh);
/// Of a closed surface, by the divergence theorem: sum of a . (b x c) / 6.
[[nodiscard]] double enclosed_volume(const TriangleMesh& mesh);

}  // namespace cauchy
