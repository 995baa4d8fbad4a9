#pragma once

#include <string>

#include <cauchy/geometry/mesh.hpp>
#include <cauchy/report/picture.hpp>

namespace cauchy {

/// The triangles of a mesh of the plane, coloured by part, with the boundary coloured by piece; of
/// a mesh in space its surface in parallel projection, coloured by piece.
///   size     of the longer side, pixels
///   error    throws Error for meshes of one dimension
[[nodiscard]] Picture draw_mesh(const Mesh& mesh, double size = 560);

}  // namespace cauchy
