#pragma once

#include "geometry/meshes/plane_walls.hpp"

namespace cauchy::detail {

/// Adds the curves inside a shape of the plane where the interfaces of the options are 0: traced on
/// a grid, put on the exact curves, cut where they meet walls and each other, with their corners
/// kept, and divided into chords of the sizes asked for.
void add_level_walls(const Shape& shape, const MeshOptions& options, PlaneWalls& walls);

}  // namespace cauchy::detail
