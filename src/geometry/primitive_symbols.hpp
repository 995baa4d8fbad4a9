#pragma once

#include <array>
#include <span>
#include <vector>

#include "geometry/region_node.hpp"

namespace cauchy::detail {

// The primitives in symbols. `a` are their numbers as in the table of primitives.cpp, x the point.

Symbols box_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols ball_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols ellipsoid_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols annulus_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols sector_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols half_plane_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols slit_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols cylinder_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols cone_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols torus_symbols(std::span<const Expr> a, std::span<const Expr> x);
Symbols tetrahedron_symbols(std::span<const Expr> a, std::span<const Expr> x);
/// rings[0] vertices of the outer ring, then the holes.
Symbols polygon_symbols(std::span<const Expr> a, std::span<const std::size_t> rings,
                        std::span<const Expr> x);

/// Names of the pieces of a box: left, right, ... up to 3 dimensions, else lower1, upper1, ...
std::vector<std::string> box_piece_names(std::size_t dimension);

}  // namespace cauchy::detail
