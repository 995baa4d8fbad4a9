#pragma once

#include <string>
#include <vector>

namespace cauchy::test {

/// Regions of every kind that have a formula: primitives, combinations, images.
inline const std::vector<std::string>& region_cases() {
  static const std::vector<std::string> cases{
      "interval(-1, 2)",
      "rectangle((-1, 0), (2, 1))",
      "disk((0.5, -0.25), 1.5)",
      "ellipse((0.2, 0.1), 2, 0.7)",
      "annulus((0, 0), 0.5, 1.25)",
      "sector((0, 0), 1, 0.3, 2)",
      "sector((0.1, 0), 1, 0, 3*pi/2)",
      "triangle((0, 0), (2, 0.2), (0.5, 1.5))",
      "triangle((0, 0), (0.5, 1.5), (2, 0.2))",
      "polygon((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))",
      "polygon((0, 0), (3, 0), (3, 3), (1.5, 1), (0, 3); (1.2, 0.3), (1.8, 0.3), (1.5, 0.7))",
      "half_plane((0, 0), (1, 2)) & disk((0, 0), 1)",
      "box((-1, 0, 1), (1, 2, 4))",
      "box((0, 0, 0, 0), (1, 2, 1, 2))",
      "sphere((0.1, 0.2, 0.3), 0.8)",
      "ball((0, 0, 0, 0, 0), 1.5)",
      "ellipsoid((0, 0, 0.5), (2, 1, 0.6))",
      "cylinder((0, 0, 0), (1, 1, 1), 0.5)",
      "cone((0, 0, 0), (0, 0.5, 2), 0.8)",
      "torus((0, 0, 0), (0, 0, 1), 1, 0.3)",
      "tetrahedron((0, 0, 0), (1, 0, 0), (0, 1.5, 0), (0.2, 0.1, 1))",
      "interval(0, 1) | interval(2, 3)",
      "rectangle((0, 0), (2, 2)) - rectangle((1, 1), (2, 2))",
      "disk((0, 0), 1) - disk((0.5, 0), 0.25)",
      "disk((0, 0), 1) | disk((1, 0), 0.8)",
      "disk((0, 0), 1) & rectangle((-0.5, -2), (2, 0.5))",
      "(rectangle((0, 0), (4, 1)) | disk((4, 0.5), 1)) - ellipse((2, 0.5), 0.8, 0.3)",
      "rectangle((0, 0), (2, 1)).rotated(pi/6).translated(1, -1)",
      "(disk((0, 0), 1) - rectangle((0, 0), (2, 2))).scaled(3)",
      "disk((1, 0), 1).scaled((2, 0.5))",
      "sphere((0, 0, 0), 1) - cylinder((0, 0, -2), (0, 0, 2), 0.4)",
      "box((0, 0, 0), (1, 1, 1)) | sphere((1, 1, 1), 0.5)",
      "cone((0, 0, 0), (0, 0, 1), 1).rotated((1, 0, 0), pi/3)",
      "rectangle((-1, -1), (1, 1)) - slit((0, 0), (1, 0))",
  };
  return cases;
}

}  // namespace cauchy::test
