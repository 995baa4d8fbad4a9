#pragma once

#include <string>
#include <vector>

#include <cauchy/geometry/oriented_points.hpp>
#include <cauchy/report/picture.hpp>

namespace cauchy {

/// A surface or points of one, to be drawn beside others.
struct SurfacePanel {
  std::string title;
  TriangleMesh mesh = {};      ///< empty: none
  OrientedPoints points = {};  ///< those that face the reader are shown
};

/// Shaded surfaces in parallel projection, seen from the front right, a little from above; all
/// panels in one scale and place, `columns` of them in a row.
///   size     of a panel, pixels
///   error    throws Error without panels, or with nothing in all of them
[[nodiscard]] Picture draw_surfaces(const std::vector<SurfacePanel>& panels,
                                    std::size_t columns = 4, double size = 240);

}  // namespace cauchy
