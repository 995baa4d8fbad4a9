#pragma once

#include <span>
#include <string>
#include <vector>

#include "curve.hpp"
#include "plane_shape.hpp"

namespace cauchy::detail {

/// One side of a polygon or polyline, for messages.
struct PolygonSide {
  Vec from, to;
  std::size_t loop = 0, index = 0;  ///< index within its loop
  std::size_t loop_size = 0;        ///< number of sides in the loop
  bool closed = true;               ///< the last side of the loop meets the first
};

/// The first pair of sides (in order) that meet other than at the vertex between neighbours, or
/// nothing when the loops are simple and apart. O(n log n) for sides that do not crowd.
struct SidePair {
  std::size_t first = 0, second = 0;
  bool found = false;
};
SidePair meeting_sides(const std::vector<PolygonSide>& sides);

/// An equal-area map of a simple polygon with holes by cutting it into triangles (ear clipping).
/// Loops must be simple and apart, the first counter-clockwise, the rest, inside it, clockwise.
/// Empty when there are more than 1000 vertices (the clipping is quadratic) or rounding defeats it.
EqualAreaMap polygon_map(const std::vector<std::vector<Vec>>& loops);

}  // namespace cauchy::detail
