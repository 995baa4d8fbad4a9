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

/// Triangles of sides of about h that fill a bounded region of the plane: make_mesh.
///   error    throws Error (unsupported) when the region has no bounds
[[nodiscard]] Triangulation triangulate(const ShapePtr& shape, double h);

}  // namespace cauchy::detail
