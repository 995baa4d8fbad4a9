#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/geometry/shape.hpp>

namespace cauchy::detail {

struct Triangulation {
  std::vector<std::array<double, 2>> vertices;
  std::vector<std::array<std::size_t, 3>> triangles;  ///< counter-clockwise
};

/// A rectangle cut into nx x ny boxes of two triangles each, with diagonals in turn.
[[nodiscard]] Triangulation triangulate_box(std::span<const double> lower,
                                            std::span<const double> upper, std::size_t nx,
                                            std::size_t ny);

/// Delaunay triangles of points (Bowyer and Watson); points closer than 1e-9 of the size to another
/// one are left out.
///   cost     O(n^1.5) for points in the order of a sweep
[[nodiscard]] Triangulation delaunay(std::vector<std::array<double, 2>> points);

/// Triangles of sides of about h that cover a bounded region of the plane: points on the boundary,
/// corners among them, and on a lattice inside; those outside by the signed distance are left out.
///   error    throws Error (unsupported) when the region has no bounds or is too small for h
[[nodiscard]] Triangulation triangulate(const Shape& shape, double h);

}  // namespace cauchy::detail
