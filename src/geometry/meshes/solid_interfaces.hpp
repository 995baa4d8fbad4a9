#pragma once

#include <cauchy/geometry/make_mesh.hpp>

namespace cauchy::detail {

/// Cuts the cells of a solid along the surfaces where parts end and levels are 0: nodes near a
/// surface are moved onto it, cells that it still passes through are cut in two. Nodes of the
/// boundary stay on it, those of an earlier surface on that.
void cut_solid(const Shape& shape, const MeshOptions& options, Mesh& mesh);

}  // namespace cauchy::detail
