#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <cauchy/geometry/shapes/triangle_surface.hpp>

namespace cauchy::detail::triangles {

/// Checks that a mesh is a closed surface, mends and turns what can be (see
/// triangle_surface_shape), and returns the neighbours of each triangle over its edges ab, bc, ca.
///   error    throws Error with the source of the mesh as place
std::vector<std::array<std::uint32_t, 3>> close_and_orient(TriangleMesh& mesh);

/// How often the triangles wind around a point: the sum of their solid angles over 4 pi. For a
/// closed surface an integer to rounding, 1 inside when it faces outwards. O(n), slow and sure.
double winding_number(const TriangleMesh& mesh, const std::array<double, 3>& x);

}  // namespace cauchy::detail::triangles
