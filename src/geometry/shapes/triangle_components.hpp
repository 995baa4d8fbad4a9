#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <cauchy/geometry/shapes/triangle_surface.hpp>

namespace cauchy::detail::triangles {

/// Turns the triangles of a closed surface so that they face outwards, see triangle_surface_shape.
///   twin     for each edge of each triangle 3 triangle + edge of the other side; kept up to date
///   error    throws Error when that cannot be done, with the source of the mesh as place
void orient(TriangleMesh& mesh, std::vector<std::array<std::uint32_t, 3>>& twin);

}  // namespace cauchy::detail::triangles
