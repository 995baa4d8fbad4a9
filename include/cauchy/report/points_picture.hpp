#pragma once

#include <string>

#include <cauchy/report/picture.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy {

struct PointsPictureOptions {
  std::string title;
  double size = 560;     ///< of the longer side, pixels
  bool normals = false;  ///< a stroke along the normal of each boundary point, in the plane
};

/// Points of a domain, with the outline of the region where it has two dimensions.
///   space 1          the coordinate against time, or against the number of the point
///   space 2          a map; coloured by piece on boundaries, by time where the domain has one
///   space 3          a parallel projection
///   more             the first two coordinates
[[nodiscard]] Picture draw_points(const Domain& domain, const Points& points,
                                  const PointsPictureOptions& options = {});

}  // namespace cauchy
