#pragma once

#include <cstddef>

#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// About n Gauss nodes, those of degree 3 on the cells of a mesh of the region: exact to second
/// order in the size of the cells where the boundary is curved.
///   error    throws Error (unsupported) where the domain has no region of two or three dimensions,
///            a time or ranges
[[nodiscard]] Points mesh_points(const Domain& domain, std::size_t n);

}  // namespace cauchy::detail
